import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config/index.js';
import { explain } from '../landing/index.js';
import { PrivateFileError, type WalletRole } from '../signer/index.js';
import { type RotationReport, rotateWallet } from '../vault/rotate-wallet.js';
import { CommandError } from './context.js';
import { feeMintsOf } from './fee-accounts.js';
import { withOwnChain } from './own-chain.js';

/** Exchanges the key of a wallet of the service. @throws CommandError where it must be run again */
export function rotate(
  config: Config,
  role: WalletRole,
  { begins, tell }: { begins: boolean; tell: (text: string) => void },
): Promise<RotationReport> {
  return withOwnChain(config, async (own) => {
    const common = { pause, tell, feeMints: feeMintsOf(config) };
    const deps = { ...own, ...common, explain: (error: unknown) => explain(error).message };
    return rotateWallet(deps, role, begins).catch((error: Error) => {
      if (error instanceof PrivateFileError) throw error;
      throw new CommandError(`${error.message}; nothing is lost: run this again`, { cause: error });
    });
  });
}

/** What no other key can do for the wallet from before. */
export function staysWith(role: WalletRole, { studio }: Config): string | undefined {
  if (role === 'keeper') {
    return 'Lookup tables that the keeper made before belong to the old key: it stays able to give them up, and nothing else, and the keeper closes them when no swap needs them.';
  }
  if (role === 'gas' && studio.feeClaimer === undefined) {
    return 'Launches from before name the old address for the fees that the operator claims, and for leftover tokens: the chain lets nobody change that. Move what arrives there with --finish.';
  }
  return undefined;
}
