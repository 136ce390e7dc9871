import type { Address } from '@slipway/wire/formats';
import type { SealedOrder } from '../order-seal.js';
import { checkGas } from './gas.js';
import { checkEarlierKeeper, checkKeeper } from './keeper.js';
import { checkLaunch, checkMint } from './launch.js';
import { allow, NotAllowed } from './refusal.js';
import { checkTracker } from './tracker.js';
import type { KnownPrograms } from './trade.js';
import type { ToSign } from './transaction.js';
import { checkVault } from './vault.js';

export { countedRents } from './counted-rents.js';
export { isClaim } from './keeper.js';
export { createLoginPolicy, type LoginProof } from './login.js';
export { CONSENT_MS, type Consent, checkEdit, checkNewOrder } from './order.js';
export { NotAllowed, NotNow, SignerHolds, SignerRefused } from './refusal.js';
export type { KnownPrograms } from './trade.js';
export { readToSign } from './transaction.js';
export { termsThatWiden, wideningText } from './widening.js';

/** A key that signs transactions, by its name, and its address. */
export interface NamedKey {
  name: string;
  address: Address;
  /** Of a wallet that has another key now: it only gives up what this key alone can. */
  isEarlier?: boolean;
}

/** Everything besides the bytes that the policies go by. */
export interface PolicyFacts {
  /** The keeper's wallet, as the message has it: the only one that may be repaid out of a vault. */
  keeper: Address;
  programs: KnownPrograms;
  /** For a fill: the order, whose seal the caller has checked. */
  order?: SealedOrder | undefined;
}

/**
 * Checks that each of these keys may sign the transaction: see the policy of each.
 * @returns what each of the keys may lose, in lamports
 * @throws NotAllowed with the key's name
 */
export function checkPolicies(transaction: ToSign, keys: readonly NamedKey[], facts: PolicyFacts): bigint[] {
  return keys.map((key) => {
    try {
      allow(transaction.signers.includes(key.address), 'the transaction does not need its signature');
      return checkPolicy(transaction, key, keys, facts);
    } catch (error) {
      if (error instanceof NotAllowed) error.key = key.name;
      throw error;
    }
  });
}

function checkPolicy(transaction: ToSign, key: NamedKey, keys: readonly NamedKey[], facts: PolicyFacts): bigint {
  const [kind, member] = key.name.split(':');
  if (key.isEarlier) {
    allow(kind === 'keeper', 'this key was exchanged for another one');
    checkEarlierKeeper(key.address, facts.keeper, transaction);
    return 0n;
  }
  switch (kind) {
    case 'gas':
      return checkGas(key.address, transaction);
    case 'keeper':
      return checkKeeper(key.address, transaction, facts.programs);
    case 'vault':
      checkVault({ ...facts, vault: key.address, wallet: member as Address }, transaction);
      return 0n;
    case 'tracker':
      checkTracker(key.address, keys.find(({ name }) => name.startsWith('vault:'))?.address, transaction);
      return 0n;
    case 'mint':
      checkMint(key.address, transaction);
      return 0n;
    case 'launch':
      checkLaunch(key.address, transaction);
      return 0n;
    default:
      throw new NotAllowed('no policy lets it sign transactions');
  }
}
