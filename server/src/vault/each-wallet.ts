import { type Address, isAddress } from '@slipway/wire';

/** Vaults that are worked on side by side: each waits for the chain most of the time. */
const AT_ONCE = 8;
const LONGEST_SHOWN = 100;

/** Why nothing more could be read or sent for a vault. */
export interface Failed {
  /** Of a row that names no wallet, what it names instead. */
  wallet: string;
  failed: string;
}

/** Whoever can write to the database writes such rows, too. */
const NO_WALLET = 'this is no address, so that there is no such vault: delete the row of it from the table "vaults"';

/** Does the work for each of these wallets and tells each outcome. One that fails does not stop the others. */
export async function forEachWallet<T>(
  wallets: AsyncIterator<string>,
  work: (wallet: Address) => Promise<T>,
  onOutcome: (outcome: T | Failed) => void,
): Promise<void> {
  const worker = async () => {
    for (let next = await wallets.next(); !next.done; next = await wallets.next()) {
      const wallet = next.value;
      if (!isAddress(wallet)) onOutcome({ wallet: shown(wallet), failed: NO_WALLET });
      else onOutcome(await work(wallet).catch((error: Error) => ({ wallet, failed: error.message })));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** In quotes, and without what a terminal would obey. */
function shown(text: string): string {
  const code = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text.slice(0, LONGEST_SHOWN)).replace(/[^ -~]/g, code);
}
