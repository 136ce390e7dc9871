import {
  type Address,
  addressFromBytes,
  associatedTokenAddress,
  compileMessage,
  createAssociatedTokenIdempotent,
  type Instruction,
  type LookupTable,
  MAX_TRANSACTION_SIZE,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemCreateAccountWithSeed,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenInitializeAccount3,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { LRUCache } from 'lru-cache';
import type { QuoteRequest } from '../router.js';
import { type BuildInput, buildPlan } from './build.js';
import type { Plan } from './plan.js';

const MAX_CACHED = 20_000;
const SIGNATURE_SIZE = 64;
const SEED = 'slipway-sol-0000';
const NO_BLOCKHASH = '11111111111111111111111111111111';

/** Size in bytes of a transaction with these instructions. */
export function transactionSize(feePayer: Address, instructions: Instruction[], lookupTables: LookupTable[]): number {
  const message = compileMessage({ version: 0, feePayer, instructions, blockhash: NO_BLOCKHASH, lookupTables });
  const signers = new Set([feePayer]);
  for (const { accounts } of instructions) for (const meta of accounts) if (meta.signer) signers.add(meta.address);
  return 1 + SIGNATURE_SIZE * signers.size + message.length;
}

interface SizerDeps {
  router: Address | undefined;
  lookupTables(): LookupTable[];
  tokenOf: BuildInput['tokenOf'];
}

/**
 * Whether a plan fits into a transaction together with what usually surrounds it: the compute budget, a token account
 * for SOL that comes or goes, and the creation of the receiver's account. Measured once for each shape of plan.
 */
export function createSizer({ router, lookupTables, tokenOf }: SizerDeps) {
  const known = new LRUCache<string, number>({ max: MAX_CACHED });
  let tables = lookupTables();

  return (plan: Plan, request: QuoteRequest): boolean => {
    if (lookupTables() !== tables) {
      known.clear();
      tables = lookupTables();
    }
    const key = keyOf(plan, request);
    let size = known.get(key);
    if (size === undefined) {
      size = measure({ plan, request, router, tokenOf }, tables);
      known.set(key, size);
    }
    return size <= MAX_TRANSACTION_SIZE;
  };
}

const isForeign = ({ owner, receiver }: QuoteRequest) => receiver !== undefined && receiver !== owner;

function keyOf({ steps }: Plan, request: QuoteRequest): string {
  let key = `${request.fee?.side ?? ''} ${isForeign(request)}`;
  for (const { input, output, parts } of steps) {
    key += ` ${input} ${output}`;
    for (const { pool } of parts) key += ` ${pool.address}`;
  }
  return key;
}

const standIn = (n: number) => addressFromBytes(new Uint8Array(32).fill(200 + n));

function measure(
  { plan, request, router, tokenOf }: Pick<BuildInput, 'plan' | 'router' | 'tokenOf'> & { request: QuoteRequest },
  tables: LookupTable[],
): number {
  const { input, output } = request;
  const [owner, source, feeAccount] = [standIn(1), standIn(2), standIn(3)];
  const receiver = isForeign(request) ? standIn(4) : owner;
  const isSol = output.mint === WRAPPED_SOL_MINT;
  const destination = isSol ? standIn(5) : associatedTokenAddress(receiver, output.mint, output.tokenProgram);
  const parties = { owner, source, destination, receiver, feePayer: owner, rentPayer: owner, feeAccount };
  const trades = plan.steps.flatMap(({ parts }, step) =>
    parts.map((part) => ({ part, step, offered: 1n, paid: 1n, received: 1n, fee: 0n, rest: 1n })),
  );
  const { instructions } = buildPlan({
    plan,
    request,
    router,
    tokenOf,
    outcome: { inAmount: 1n, outAmount: 1n, feeAmount: request.fee ? 1n : 0n, trades },
    parties: { ...parties, absentSigners: new Set(), minOut: 1n },
  });
  const around = [
    setComputeUnitLimit(1),
    setComputeUnitPrice(1n),
    ...(input.mint === WRAPPED_SOL_MINT ? wrapping(owner, source) : []),
    ...(isSol
      ? [
          ...wrapping(owner, destination),
          tokenCloseAccount({ account: destination, destination: receiver, authority: owner }),
        ]
      : [createAssociatedTokenIdempotent({ ...output, payer: owner, owner: receiver })]),
  ];
  return transactionSize(owner, [...around, ...instructions], tables);
}

/** A token account for SOL, created and closed again. */
function wrapping(owner: Address, account: Address): Instruction[] {
  const parts = {
    payer: owner,
    newAccount: account,
    lamports: 1n,
    space: TOKEN_ACCOUNT_SPACE,
    base: owner,
    seed: SEED,
  };
  return [
    systemCreateAccountWithSeed({ ...parts, owner: TOKEN_PROGRAM }),
    tokenInitializeAccount3({ account, mint: WRAPPED_SOL_MINT, owner }),
    tokenCloseAccount({ account, destination: owner, authority: owner }),
  ];
}
