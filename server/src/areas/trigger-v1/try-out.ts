import { LIMIT_ORDER_ERRORS } from '@slipway/programs';
import { type Blockhash, ChainUnavailable } from '../../chain/index.js';
import type { Budget, Crafted } from '../../crafting/transaction.js';
import { AppError } from '../../errors/index.js';
import { explain, failedProgram, newRequest, type TryOutChain, tryOut, type Working } from '../../landing/index.js';
import { AREA, type Payload, type TriggerV1Deps } from './deps.js';

/** The percentile of recent prices that `auto` stands for. */
const AUTO_PERCENTILE = 95;

/** Micro-lamports for a checked `computeUnitPrice`; undefined is `auto`. */
export function priceOf({ chain }: TriggerV1Deps, computeUnitPrice: bigint | undefined): Promise<bigint> {
  return computeUnitPrice === undefined ? chain.computeUnitPrice(AUTO_PERCENTILE) : Promise.resolve(computeUnitPrice);
}

/**
 * `tryOut` at a given price, in micro-lamports per compute unit. `failure`: why it would fail.
 * @throws TransactionTooLarge, CraftCheckFailed; AppError if there is no blockhash
 */
export async function tryOutAt(
  deps: TriggerV1Deps,
  craft: (blockhash: string, budget: Budget) => Crafted,
  computeUnitPrice: bigint,
): Promise<Working | { failure: Failure }> {
  const chain: TryOutChain = {
    latestBlockhash: () => latestBlockhash(deps),
    computeUnitPrice: async () => computeUnitPrice,
    simulate: (wire, options) => deps.chain.simulate(wire, options),
  };
  const tried = await tryOut(chain, craft);
  return 'crafted' in tried ? tried : { failure: explainFailure(deps, tried.err, tried.sample.wire) };
}

async function latestBlockhash({ chain }: TriggerV1Deps): Promise<Blockhash> {
  try {
    return await chain.latestBlockhash();
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    throw new AppError('CHAIN_UNAVAILABLE', { message: 'unable to get latest blockhash', cause: error });
  }
}

interface Failure {
  message: string;
  /** The name that the program gives its error. */
  name?: string;
  /** The transaction has failed as a whole, not in an instruction: its payer has no SOL, for example. */
  ofTheWhole: boolean;
}

/** An error of the chain in the words of the contract. */
export function explainFailure({ addresses }: TriggerV1Deps, err: unknown, wire: Uint8Array): Failure {
  const { code, message } = explain(err);
  const ofTheWhole = !(typeof err === 'object' && err !== null && 'InstructionError' in err);
  if (code < 0) return { message, ofTheWhole };
  const names: Readonly<Record<number, string>> = LIMIT_ORDER_ERRORS;
  const name = failedProgram(err, wire) === addresses.program ? names[code] : undefined;
  return { message: `custom program error code: ${code}`, ofTheWhole, ...(name && { name }) };
}

/** Stores the crafted transactions of one request, each in a row of its own, which `rowId` names. */
export async function rememberAll(
  { clock, remember, index }: TriggerV1Deps,
  requestId: string,
  wallet: string,
  crafts: readonly (Working & { order?: Payload['order'] })[],
): Promise<void> {
  const requests = crafts.map(({ crafted, lastValidBlockHeight, order }, number) => {
    const payload: Payload = { ...(order && { order }), transactions: crafts.length };
    const id = rowId(requestId, number);
    return newRequest({ id, area: AREA, wallet, crafted, lastValidBlockHeight, cosigners: [], payload }, clock);
  });
  // What becomes of the orders is told to whoever listens.
  await Promise.all([index.begin(), ...requests.map(remember)]);
}

/** The row of a request's first transaction has the request id itself. */
export function rowId(requestId: string, number: number): string {
  return number === 0 ? requestId : `${requestId}:${number}`;
}
