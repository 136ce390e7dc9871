import {
  type Address,
  decodeTransaction,
  type Instruction,
  type Transaction,
  transactionSignature,
  withSignature,
} from '@slipway/wire';
import type { Chain } from '../chain/index.js';
import { MAX_COMPUTE_UNITS, unitLimitFrom } from '../crafting/budget.js';
import { type Budget, type Crafted, craftTransaction } from '../crafting/transaction.js';
import type { KeyName, Signer } from '../signer/index.js';

/** What moves money without the service. */
export interface SendDeps {
  chain: Chain;
  signer: Pick<Signer, 'publicKey' | 'sign' | 'address'>;
  /** Sends a signed transaction until its outcome is known. */
  land(transaction: Transaction, lastValidBlockHeight: bigint): Promise<{ event: 'landed' | 'failed' | 'expired' }>;
  /** Explains a chain error in words. */
  explain(error: unknown): string;
}

/** Who pays the fee, by the name that people know. */
export interface Payer {
  name: string;
  address: Address;
}

/** Whoever signs and is no key of one signer. */
export interface Signatory {
  address: Address;
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/** `isShort`: the payer has too little SOL. */
export type Sent = { signature: string; feeLamports: bigint } | { reason: string; isShort?: boolean };

/** What is sent, given the fee in lamports; the fee does not depend on what the function makes of it. */
export type Way = readonly Instruction[] | ((feeLamports: bigint) => readonly Instruction[]);

/**
 * Sends the first of these alternatives that does not fail, in simulation or on the chain, signed by these keys. The payer's is one
 * of them.
 */
export async function sendFirst(
  deps: SendDeps,
  ways: readonly Way[],
  { payer, keys }: { payer: Payer; keys: readonly (KeyName | Signatory)[] },
): Promise<Sent> {
  let refused: Sent = { reason: 'its mint is not on the chain' };
  for (const way of ways) {
    const crafted = await craftTried(deps, way, payer);
    if ('reason' in crafted) {
      refused = crafted;
      continue;
    }
    const signed = await signAll(deps.signer, crafted.wire, keys);
    const { event } = await deps.land(signed, crafted.lastValidBlockHeight);
    if (event === 'landed') return { signature: transactionSignature(signed), feeLamports: crafted.feeLamports };
    if (event === 'expired') return { reason: 'it did not land in time: run this again' };
    refused = { reason: 'the chain refused it' };
  }
  return refused;
}

/** Crafts the transaction and simulates it; `reason`: why it would fail. */
async function craftTried(
  { chain, explain }: SendDeps,
  way: Way,
  { name, address: feePayer }: Payer,
): Promise<(Crafted & { lastValidBlockHeight: bigint }) | { reason: string; isShort?: boolean }> {
  const [{ blockhash, lastValidBlockHeight }, computeUnitPrice] = await Promise.all([
    chain.latestBlockhash(),
    chain.computeUnitPrice(),
  ]);
  const craft = (budget: Budget, fee: bigint) =>
    craftTransaction({
      feePayer,
      instructions: [...(typeof way === 'function' ? way(fee) : way)],
      blockhash,
      budget,
    });
  const free = { computeUnitLimit: MAX_COMPUTE_UNITS, computeUnitPrice: 0n };
  const trial = craft(free, craft(free, 0n).feeLamports);
  const { err, unitsConsumed } = await chain.simulate(trial.wire, { sigVerify: false });
  if (err === 'AccountNotFound' || err === 'InsufficientFundsForFee') {
    const reason = `the ${name} wallet ${feePayer} has too little SOL to pay the fee: send it some, then run this again`;
    return { reason, isShort: true };
  }
  if (err !== null) return { reason: explain(err) };
  const budget = { computeUnitLimit: unitLimitFrom(unitsConsumed), computeUnitPrice };
  return { ...craft(budget, craft(budget, 0n).feeLamports), lastValidBlockHeight };
}

async function signAll(
  signer: SendDeps['signer'],
  wire: Uint8Array,
  keys: readonly (KeyName | Signatory)[],
): Promise<Transaction> {
  const { decoded: _, ...unsigned } = decodeTransaction(wire);
  let signed: Transaction = unsigned;
  for (const key of new Set(keys)) {
    const [address, signature] =
      typeof key === 'string'
        ? [await signer.publicKey(key), await signer.sign(key, signed.message)]
        : [key.address, await key.sign(signed.message)];
    signed = withSignature(signed, address, signature);
  }
  return signed;
}
