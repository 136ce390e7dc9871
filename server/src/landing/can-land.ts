import {
  type Address,
  decodeMessage,
  decompileInstructions,
  parseComputeUnitLimit,
  parseComputeUnitPrice,
  SYSTEM_PROGRAM,
} from '@slipway/wire';
import { BLOCKHASH_LIFE, type Chain } from '../chain/index.js';
import { feeOf } from '../crafting/transaction.js';
import { statusSince } from './ask-since.js';
import { lifetimeOf, nonceIn } from './lifetime.js';
import type { SignedTransaction } from './signed-transaction.js';

/** What is read to tell whether a transaction could land. */
export type CanLandChain = Pick<
  Chain,
  'accountReading' | 'isBlockhashValid' | 'latestBlockhash' | 'newestSlot' | 'statuses'
>;

/** Until when a transaction can land, as far as it shows by itself. */
export interface Alive {
  /** A slot at which it could land; 0 if unknown. */
  aliveAt: bigint;
  /** 0 where the message says whether it is by a blockhash or by a nonce. */
  lastValidBlockHeight: bigint;
}

/** Nobody could land the transaction, as the chain is now. The message says why. */
export class CannotLand extends Error {
  override readonly name = 'CannotLand';
  constructor(
    message: string,
    /** The slot at which a node had its blockhash or nonce for none, or its fee payer for one that cannot pay. */
    readonly deadAt: bigint,
  ) {
    super(message);
  }
}

/**
 * Refuses what no validator would take, however often it is sent, so that it costs nobody a fee: its blockhash or nonce
 * is not current, or its fee payer cannot pay. Resolves with what is known of how long it can.
 * What has landed is refused, too: see `landedAt`.
 * @throws CannotLand, ChainUnavailable
 */
export async function requireLandable(
  chain: CanLandChain,
  { transaction, signers }: SignedTransaction,
): Promise<Alive> {
  const payer = signers[0]!;
  const [alive, { account, slot }] = await Promise.all([
    requireAlive(chain, transaction.message),
    chain.accountReading(payer),
  ]);
  const fee = leastFee(transaction.message, signers.length);
  const lamports = account?.lamports ?? 0n;
  if (account && account.owner !== SYSTEM_PROGRAM) {
    throw new CannotLand(`its fee payer ${payer} cannot pay fees, because a program owns it`, slot);
  }
  if (lamports < fee) {
    throw new CannotLand(`its fee payer ${payer} has ${lamports} lamports, but the network fee is ${fee}`, slot);
  }
  return alive;
}

async function requireAlive(chain: CanLandChain, message: Uint8Array): Promise<Alive> {
  const lifetime = lifetimeOf(message);
  if (lifetime.kind === 'nonce') return requireNonce(chain, lifetime);
  if (lifetime.kind !== 'blockhash') return { aliveAt: 0n, lastValidBlockHeight: 0n };
  const { valid, slot } = await chain.isBlockhashValid(lifetime.blockhash);
  if (!valid) throw new CannotLand('its blockhash is unknown or has expired; sign again with a new one', slot);
  return { aliveAt: slot, lastValidBlockHeight: 0n };
}

async function requireNonce(chain: CanLandChain, nonce: { account: Address; value: string }): Promise<Alive> {
  const { account, slot } = await chain.accountReading(nonce.account);
  if (account?.owner === SYSTEM_PROGRAM && nonceIn(account.data) === nonce.value) {
    return { aliveAt: slot, lastValidBlockHeight: 0n };
  }
  // Nonces are advanced like that: validators look at the nonce only where the blockhash is none of the last.
  const recent = await chain.isBlockhashValid(nonce.value);
  if (!recent.valid) {
    const why = `its nonce is not that of the account ${nonce.account}; sign again with the nonce there`;
    const isLater = recent.slot > slot;
    throw new CannotLand(why, isLater ? recent.slot : slot);
  }
  const { lastValidBlockHeight } = await chain.latestBlockhash();
  // It may be a node that is behind which tells the newest.
  return { aliveAt: recent.slot, lastValidBlockHeight: lastValidBlockHeight + BLOCKHASH_LIFE };
}

/**
 * The slot at which what cannot land has landed, or has landed before; undefined if it has not: whoever were told to sign that again would
 * pay twice. One that takes all that its fee payer has leaves none for its own fee.
 * @throws ChainUnavailable, also if the node that answers has not reached the slot at which it was dead
 */
export async function landedAt(
  chain: CanLandChain,
  signature: string,
  { deadAt }: CannotLand,
): Promise<bigint | undefined> {
  return (await statusSince(chain, signature, async () => deadAt))?.slot;
}

/** The least that the network takes for it, in lamports: without a limit of units, what they cost is not counted. */
function leastFee(message: Uint8Array, signatures: number): bigint {
  const decoded = decodeMessage(message);
  const plain = decoded.instructions.filter(({ accountIndexes }) => accountIndexes.length === 0);
  const budget = decompileInstructions({ ...decoded, instructions: plain, lookups: [] });
  const find = <T>(parse: (instruction: (typeof budget)[number]) => T | undefined) =>
    budget.map(parse).find((found) => found !== undefined);
  const computeUnitLimit = find(parseComputeUnitLimit) ?? 0;
  const computeUnitPrice = find(parseComputeUnitPrice) ?? 0n;
  return feeOf(signatures, { computeUnitLimit, computeUnitPrice });
}
