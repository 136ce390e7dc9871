import type { Address } from '@slipway/wire';
import type { Signer, WalletKeys, WalletRole, WalletRotation } from '../signer/index.js';
import { type MoveReport, moveWallet, type ReadyDeps, readyWallet } from './move-wallet.js';

export interface RotationDeps extends ReadyDeps {
  signer: ReadyDeps['signer'] & WalletRotation & Pick<Signer, 'wallets'>;
  pause(ms: number): Promise<void>;
}

export interface RotationReport extends MoveReport {
  role: WalletRole;
  /** The addresses that the wallet had before, as far as there is a key for them. */
  before: readonly Address[];
  address: Address;
}

/** By then every copy of the service has learned of a step: each looks once a second. */
const LEARNED_MS = 3_000;
const LOOK_MS = 1_000;
/** Blocks that a fork may take back. */
const FORK_BLOCKS = 32n;

/**
 * Exchanges the key of a wallet for the next one, and moves what the wallet holds. It can be killed at any point and run again:
 * it goes on with what the signer file says was begun. The key from before signs until no transaction that names it can land.
 *
 * @param begins whether to begin with another key where nothing was begun; otherwise it only moves what earlier wallets hold
 */
export async function rotateWallet(deps: RotationDeps, role: WalletRole, begins: boolean): Promise<RotationReport> {
  const { signer, pause, tell } = deps;
  await signer.reload();
  let keys = signer.wallets()[role];
  if (begins && keys.newest === keys.current && keys.oldest === keys.current) {
    tell(`making key ${keys.newest + 1} of the ${role} wallet`);
    keys = (await signer.rotate(role, 'make'))[role];
  }
  if (keys.newest > keys.current) {
    const move = { role, from: keys.addresses[keys.current]!, to: keys.addresses[keys.newest]! };
    await pause(LEARNED_MS);
    tell(`getting ${move.to} ready`);
    await readyWallet(deps, move);
    keys = (await signer.rotate(role, 'use'))[role];
  }
  if (keys.oldest < keys.current) await outlive(deps, role);
  const report = await moveAll(deps, role, keys);
  if (keys.oldest < keys.current) await signer.rotate(role, 'retire');
  return report;
}

/** Waits until nothing can land any more that was made before all copies knew the new key. */
async function outlive({ chain, pause, tell }: RotationDeps, role: WalletRole): Promise<void> {
  await pause(LEARNED_MS);
  const { lastValidBlockHeight } = await chain.latestBlockhash();
  const last = lastValidBlockHeight + FORK_BLOCKS;
  tell(`waiting for what was made with the ${role} wallet from before: until block height ${last}, a minute or two`);
  while ((await chain.blockHeight()) <= last) await pause(LOOK_MS);
}

async function moveAll(deps: RotationDeps, role: WalletRole, keys: WalletKeys): Promise<RotationReport> {
  const { addresses, current } = keys;
  const address = addresses[current]!;
  const before = addresses.slice(0, current).filter((each) => each !== null);
  const report: RotationReport = { role, before, address, moved: [], left: [] };
  for (const from of before) {
    deps.tell(`moving what ${from} holds to ${address}`);
    const { moved, left } = await moveWallet(deps, { role, from, to: address });
    // Anybody opens accounts for a wallet: too many for a call's arguments.
    report.moved = report.moved.concat(moved);
    report.left = report.left.concat(left);
  }
  return report;
}
