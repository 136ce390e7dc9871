import { type Address, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { FastifyRequest } from 'fastify';
import {
  BLOCKHASH_LIFE_MS,
  type HeldTokenAccount,
  obstacleToClosing,
  type Wallet,
  walletWeight,
} from '../../chain/index.js';
import { craftReclaim, MAX_CLOSINGS } from '../../crafting/reclaim.js';
import { type Budget, base64Of, feeOf } from '../../crafting/transaction.js';
import { walletMinimum } from '../../crafting/wallet.js';
import { AppError, requireAddress } from '../../errors/index.js';
import { askedBy, explain, failedIndex, newRequest, tryOut, type Working } from '../../landing/index.js';
import { decimalString, roundedUsd, usdValue } from '../../lib/decimal.js';
import { uuidv7 } from '../../lib/ids.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { RECLAIM, type TransfersDeps, tags, transfersRoute } from './deps.js';
import { CraftReclaimAnswer, CraftReclaimBody, type SkipReason } from './schema.js';

/** The compute budget stands before the instructions that close accounts. */
const BUDGET_INSTRUCTIONS = 2;

export function registerCraftReclaim(app: TypedServer, deps: TransfersDeps): void {
  app.post(
    '/ultra/v1/reclaim/craft',
    {
      config: { ...transfersRoute, crafts: true },
      schema: {
        tags,
        summary: 'Craft the closing of empty token accounts',
        description:
          'Only empty accounts are closed, at most 200 at a time. Their rent goes to the owner. Each transaction counts as a call, and so do each further 200 token accounts that the owner has.',
        body: CraftReclaimBody,
        response: { 200: CraftReclaimAnswer },
      },
    },
    (request) => craftReclaims(askedBy(deps, request), request.body, request),
  );
}

/** Token accounts that are closed at a time: one wallet may have any number of them, also of a single mint. */
const MOST_AT_ONCE = 8 * MAX_CLOSINGS;

/** Counts further calls; the answer says whether so many were left. */
type Charge = (weight: number) => Promise<{ allowed: boolean } | undefined>;

/** A transaction that closes these accounts. */
interface Batch extends Working {
  closed: readonly HeldTokenAccount[];
}

/** Crafts transactions that close the empty token accounts of these mints. Each counts as a call. */
export async function craftReclaims(
  deps: TransfersDeps,
  body: CraftReclaimBody,
  request: Pick<FastifyRequest, 'payer' | 'charge'>,
): Promise<CraftReclaimAnswer> {
  const started = performance.now();
  const owner = requireAddress('owner', body.owner);
  const mints = new Set(body.mints.map((mint, index) => requireAddress(`mints[${index}]`, mint)));
  const charge: Charge = (weight) => request.charge(weight);
  const wallet = await deps.chain.walletReads.read(deps.chain.rpc, owner, {
    payer: request.payer,
    async charge(read) {
      if (read) await pay(charge, Math.ceil(closableOf(read, mints).closable.length / MAX_CLOSINGS) - 1);
      return charge(walletWeight(read));
    },
  });
  const { closable, skipped } = closableOf(wallet, mints);
  const least = feeOf(1, { computeUnitLimit: 0, computeUnitPrice: 0n });
  const tooPoor = (error: string) => answer(deps, { code: 2, error, batches: [], skipped, started });
  const poor = closable.length > 0 && shortage(wallet, least);
  if (poor) return tooPoor(poor);

  const parts: HeldTokenAccount[][] = [];
  for (let from = 0; from < closable.length; from += MAX_CLOSINGS)
    parts.push(closable.slice(from, from + MAX_CLOSINGS));
  const tried = await Promise.all(parts.map((part) => closeThese(deps, owner, part, skipped, charge)));
  const batches = tried.filter((batch) => batch !== undefined);
  const poorer = batches.map(({ crafted }) => shortage(wallet, crafted.feeLamports)).find((each) => each !== undefined);
  if (poorer) return tooPoor(poorer);
  for (const { mint } of batches.flatMap(({ closed }) => closed)) skipped.delete(mint);
  return answer(deps, { code: 0, batches, skipped, started, transactions: await remember(deps, owner, batches) });
}

/** @throws AppError RATE_LIMITED where fewer calls are left */
async function pay(charge: Charge, calls: number): Promise<void> {
  if ((await charge(calls))?.allowed !== false) return;
  const message = 'Too many requests: each transaction counts as a call, and fewer are left; name fewer mints, or wait';
  throw new AppError('RATE_LIMITED', { message });
}

/** The accounts of the mints that can be closed, and why there is none of a mint. */
function closableOf({ tokenAccounts }: Wallet, mints: ReadonlySet<Address>) {
  const skipped = new Map<Address, SkipReason>([...mints].map((mint) => [mint, 'notHeld']));
  const closable: HeldTokenAccount[] = [];
  for (const account of tokenAccounts.filter(({ mint }) => mints.has(mint))) {
    const obstacle = obstacleToClosing(account);
    if (obstacle === undefined) closable.push(account);
    else skipped.set(account.mint, obstacle);
  }
  for (const { mint } of closable) skipped.delete(mint);
  closable.splice(MOST_AT_ONCE);
  return { closable, skipped };
}

/** A transaction's fee must be there before the rent is. */
function shortage({ lamports }: Wallet, fee: bigint): string | undefined {
  const needed = walletMinimum() + fee;
  return lamports < needed ? `Top up ${decimalString(needed - lamports, 9)} SOL for gas` : undefined;
}

/**
 * Crafts a transaction and simulates it. An account that its token program does not close is left out, and skipped.
 * Undefined if none is left.
 */
async function closeThese(
  { chain }: TransfersDeps,
  owner: Address,
  accounts: readonly HeldTokenAccount[],
  skipped: Map<Address, SkipReason>,
  charge: Charge,
): Promise<Batch | undefined> {
  let closed = accounts;
  while (closed.length > 0) {
    const closings = closed.map(({ address, tokenProgram }) => ({ account: address, tokenProgram }));
    const craft = (blockhash: string, budget: Budget) => craftReclaim({ owner, closings }, blockhash, budget);
    const tried = await tryOut(chain, craft);
    if ('crafted' in tried) return { ...tried, closed };
    const refused = closed[(failedIndex(tried.err) ?? 0) - BUDGET_INSTRUCTIONS];
    if (!refused) {
      throw new AppError('INVALID_REQUEST', { message: `The chain would refuse it: ${explain(tried.err).message}` });
    }
    await pay(charge, 1);
    skipped.set(refused.mint, 'refused');
    closed = closed.filter((each) => each !== refused);
  }
  return undefined;
}

function remember({ clock, ...deps }: TransfersDeps, wallet: Address, batches: readonly Batch[]) {
  return Promise.all(
    batches.map(async ({ crafted, lastValidBlockHeight }) => {
      const id = uuidv7(clock);
      const request = { id, area: RECLAIM, wallet, crafted, lastValidBlockHeight, cosigners: [], payload: {} };
      await deps.remember(newRequest(request, clock));
      return { requestId: id, transaction: base64Of(crafted) };
    }),
  );
}

function answer(
  { clock, prices }: TransfersDeps,
  found: {
    code: number;
    error?: string;
    batches: readonly Batch[];
    transactions?: CraftReclaimAnswer['transactions'];
    skipped: ReadonlyMap<Address, SkipReason>;
    started: number;
  },
): CraftReclaimAnswer {
  const { code, error, batches, transactions = [], skipped, started } = found;
  const total = sum(batches.flatMap(({ closed }) => closed.map(({ lamports }) => lamports)));
  const gas = sum(batches.map(({ crafted }) => crafted.feeLamports));
  const solUsd = prices.usd(WRAPPED_SOL_MINT);
  const usd = (lamports: bigint, usdPrice: number) => roundedUsd(usdValue(lamports, 9, usdPrice));
  return {
    transactions,
    code,
    ...(error !== undefined && { error }),
    totalLamportsReclaimed: `${total}`,
    netLamportsReclaimed: `${total - gas}`,
    serviceFeeLamports: '0',
    gasCostLamports: `${gas}`,
    ...(solUsd !== undefined && {
      netReclaimedUsdAmount: usd(total - gas, solUsd),
      serviceFeeUsdAmount: 0,
      gasCostUsdAmount: usd(gas, solUsd),
    }),
    ...(skipped.size > 0 && { skippedMints: [...skipped].map(([mint, reason]) => ({ mint, reason })) }),
    totalTime: Math.round(performance.now() - started),
    expireAt: new Date(clock.now() + BLOCKHASH_LIFE_MS).toISOString(),
  };
}

const sum = (lamports: readonly bigint[]) => lamports.reduce((total, each) => total + each, 0n);
