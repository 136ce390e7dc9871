import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type EventKind, SlipwayError, SOL } from '@slipway/client';
import { type Address, compileMessage, setComputeUnitLimit, systemTransfer, unsignedTransaction } from '@slipway/wire';
import type { VerificationsPage } from '../areas/admin/index.js';
import { createClock } from '../lib/clock.js';
import type { WalletSigner } from '../signer/index.js';
import { withAdmin } from './admin-client.js';
import { type CliContext, CommandError } from './context.js';
import { mintOf, type SandboxInfo } from './sandbox.js';
import { requestJson } from './service.js';

/** What events are caused with. */
export interface Stage {
  context: CliContext;
  /** The `--url` that was given. */
  option: string | undefined;
  /** Acts for a new wallet that has 100 SOL and nothing else. */
  client: Client;
  signer: WalletSigner;
  info: SandboxInfo;
  signal: AbortSignal;
}

interface Deed {
  about: string;
  run(stage: Stage): Promise<unknown>;
}

const TENTH_SOL = 100_000_000n;
const HOUR = 60 * 60;
const DAY = 24 * HOUR;
const CLOCK = 'moves the clock of the sandbox by';
const FINAL = 'asks the operator, once the payment is final';

/** What is done for each kind of event. A sandbox lands whatever can land: nothing there expires. */
export type Deeds = Readonly<Record<Exclude<EventKind, 'transaction.expired'>, Deed>>;

export const deeds: Deeds = {
  'transaction.landed': { about: 'swaps 0.1 SOL for USDC', run: swap },
  'transaction.failed': { about: 'submits a transfer of more SOL than the wallet has', run: submitTooMuch },
  'order.opened': { about: 'places an order for a price that is far away', run: (stage) => place(stage, FAR) },
  'order.triggered': { about: 'places an order whose price is reached already', run: (stage) => place(stage, REACHED) },
  'order.partly_filled': { about: 'places an order with an exit, and fills its entry', run: placeWithExit },
  'order.filled': { about: 'places an order whose price is reached already', run: (stage) => place(stage, REACHED) },
  'order.cancelled': { about: 'places an order and cancels it', run: placeAndCancel },
  'order.expired': { about: `places an order, and ${CLOCK} an hour`, run: placeAndWait },
  'order.failed': { about: 'submits two limit orders, of which the wallet can pay one', run: overspend },
  'verification.requested': { about: 'launches a token, and pays for its verification', run: verify },
  'verification.approved': { about: `the same, and ${FINAL}`, run: (stage) => decide(stage, 'approve') },
  'verification.rejected': {
    about: 'the same, and has the operator reject it',
    run: (stage) => decide(stage, 'reject'),
  },
  'launch.created': { about: 'launches a token', run: launch },
  'launch.migrated': { about: 'launches a token, and buys all that its curve sells', run: launchAndBuy },
  'invite.created': { about: 'sends 0.1 SOL to whoever has a code', run: send },
  'invite.claimed': { about: 'sends 0.1 SOL, and claims it', run: sendAndClaim },
  'invite.taken_back': { about: 'sends 0.1 SOL, and takes it back', run: sendAndTakeBack },
  'invite.expired': { about: `sends 0.1 SOL, and ${CLOCK} a week`, run: sendAndWait },
  'score.changed': { about: 'has the operator set the score of a game', run: putScore },
  'price.changed': { about: 'raises the price of SOL by 1 %', run: raisePrice },
};

const tokenOf = ({ info }: Stage, symbol: string) => mintOf(info, symbol)!;

function swap(stage: Stage) {
  const request = { inputMint: SOL, outputMint: tokenOf(stage, 'USDC').mint, amount: TENTH_SOL };
  return stage.client.swap(request, { signal: stage.signal });
}

const priceOfSol = (stage: Stage): number => {
  const { usdPrice } = tokenOf(stage, 'SOL');
  if (usdPrice === undefined) throw new CommandError('this sandbox has no price of SOL');
  return usdPrice;
};

// ---- transactions -------------------------------------------------------------------------------------------------

/** It is sent although it fails, since a stranger pays for it. */
async function submitTooMuch(stage: Stage): Promise<void> {
  const { signer, client, info, signal } = stage;
  const { body } = await requestJson(info.rpcUrl, {
    method: 'POST',
    body: { jsonrpc: '2.0', id: 1, method: 'getLatestBlockhash', params: [] },
    signal,
  });
  const { blockhash } = (body as { result: { value: { blockhash: string } } }).result.value;
  const to = info.wallets[0]!.address as Address;
  const instructions = [setComputeUnitLimit(1_000), systemTransfer({ from: signer.address, to, lamports: 10n ** 15n })];
  const message = compileMessage({ version: 0, feePayer: signer.address, instructions, blockhash });
  await failing(client.submit(signer.signTransaction(unsignedTransaction(message)), { signal }));
}

/** Waits for what is to land and fail. */
async function failing(submitted: Promise<unknown>): Promise<void> {
  await submitted.catch((error: unknown) => {
    if (!(error instanceof SlipwayError) || error.code !== 'failed') throw error;
  });
}

// ---- orders -------------------------------------------------------------------------------------------------------

interface Terms {
  /** Times the price of SOL: the order fires above. */
  at: number;
  /** In seconds. */
  life?: number;
}
const FAR: Terms = { at: 1_000 };
const REACHED: Terms = { at: 0.5 };

async function place(stage: Stage, { at, life = DAY }: Terms, exit?: { take: number; stop: number }) {
  const { client, info, signal } = stage;
  const price = priceOfSol(stage);
  const session = await client.login({ signal });
  const prices = { triggerCondition: 'above', triggerPriceUsd: price * at } as const;
  const terms = {
    inputMint: SOL,
    outputMint: tokenOf(stage, 'USDC').mint,
    triggerMint: SOL,
    // Worth 20 USD.
    inputAmount: BigInt(Math.ceil((20 / price) * 1e9)),
    expiresAt: new Date((info.unixTimestamp + life) * 1_000),
  };
  const { id } = await client.placePriceOrder(
    session,
    exit === undefined
      ? { ...terms, ...prices, orderType: 'single' }
      : { ...terms, ...prices, orderType: 'otoco', tpPriceUsd: price * exit.take, slPriceUsd: price * exit.stop },
    { signal },
  );
  return { session, id };
}

function placeWithExit(stage: Stage) {
  return place(stage, REACHED, { take: 1_000, stop: 0.001 });
}

async function placeAndCancel(stage: Stage): Promise<void> {
  const { session, id } = await place(stage, FAR);
  await stage.client.cancelPriceOrder(session, id, { signal: stage.signal });
}

async function placeAndWait(stage: Stage): Promise<void> {
  await place(stage, { ...FAR, life: HOUR });
  await moveClock(stage, HOUR);
}

/** Both are signed before either is there, so that the second one fails on the chain. */
async function overspend(stage: Stage): Promise<void> {
  const { client, signer, signal } = stage;
  const { mint } = tokenOf(stage, 'USDC');
  await client.api.post('/sandbox/airdrop', { body: { wallet: signer.address, mint, amount: '20000000' }, signal });
  const params = { makingAmount: '20000000', takingAmount: '100000000000' };
  const body = { inputMint: mint, outputMint: SOL, maker: signer.address, payer: signer.address, params };
  const crafted = [];
  for (let i = 0; i < 2; i++) crafted.push(await client.api.post('/trigger/v1/createOrder', { body, signal }));
  for (const { transaction } of crafted) {
    await failing(client.submit(signer.signTransaction(Buffer.from(transaction, 'base64')), { signal }));
  }
}

async function moveClock({ client, signal }: Stage, seconds: number): Promise<void> {
  await client.api.post('/sandbox/clock', { body: { seconds }, signal });
}

// ---- launches and verifications -----------------------------------------------------------------------------------

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const UNLOCKED = { totalLockedVestingAmount: 0, cliffUnlockAmount: 0, numberOfVestingPeriod: 0 } as const;

function launch(stage: Stage) {
  return stage.client.launch(
    {
      buildCurveByMarketCapParam: {
        quoteMint: tokenOf(stage, 'USDC').mint,
        tokenQuoteDecimal: 6,
        initialMarketCap: 16_000,
        migrationMarketCap: 69_000,
        lockedVestingParam: { ...UNLOCKED, totalVestingDuration: 0, cliffDurationFromMigrationTime: 0 },
      },
      antiSniping: false,
      fee: { feeBps: 100 },
      isLpLocked: true,
      tokenName: 'Triggered',
      tokenSymbol: 'TRIG',
      image: { contentType: 'image/png', bytes: Buffer.from(PIXEL, 'base64') },
    },
    { signal: stage.signal },
  );
}

/** The curve ends at some 22,400 USDC. */
async function launchAndBuy(stage: Stage): Promise<void> {
  const { client, signer, signal } = stage;
  const { mint: outputMint } = await launch(stage);
  const { mint: inputMint } = tokenOf(stage, 'USDC');
  await client.api.post('/sandbox/airdrop', {
    body: { wallet: signer.address, mint: inputMint, amount: `${10n ** 11n}` },
  });
  const request = { inputMint, outputMint, amount: 25_000_000_000n };
  await retrying(
    stage,
    () => client.swap(request, { signal }),
    ({ status }) => status === 400,
  );
}

/** Until it is done: what was refused may need a moment. */
async function retrying<T>({ signal }: Stage, work: () => Promise<T>, isPassing: (error: SlipwayError) => boolean) {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof SlipwayError) || !isPassing(error)) throw error;
      await sleep(500, undefined, { signal });
    }
  }
}

async function verify(stage: Stage): Promise<string> {
  const { mint: tokenId } = await launch(stage);
  const details = { twitterHandle: 'https://x.com/triggered', description: 'Paid by slipway trigger' };
  await stage.client.payVerification({ tokenId, ...details, paymentCurrency: 'SOL' }, { signal: stage.signal });
  return tokenId;
}

async function decide(stage: Stage, verb: 'approve' | 'reject'): Promise<void> {
  const tokenId = await verify(stage);
  await withAdmin(stage.context, stage.option, async (admin) => {
    const path = '/verifications?state=pending&limit=100';
    const { verifications } = await admin.request<VerificationsPage>('GET', path);
    const found = verifications.find((each) => each.tokenId === tokenId);
    if (found === undefined) throw new CommandError(`the verification of ${tokenId} is decided already`);
    for (;;) {
      try {
        return await admin.request('POST', `/verifications/${found.id}/${verb}`);
      } catch (error) {
        if (!(error instanceof CommandError) || !error.message.endsWith('(409)')) throw error;
        await sleep(500, undefined, { signal: stage.signal });
      }
    }
  });
}

// ---- invites ------------------------------------------------------------------------------------------------------

function send({ client, signal }: Stage) {
  return client.send({ amount: TENTH_SOL }, { signal });
}

async function sendAndClaim(stage: Stage): Promise<void> {
  const { code } = await send(stage);
  await stage.client.claim({ code, receiver: stage.info.wallets[0]!.address }, { signal: stage.signal });
}

async function sendAndTakeBack(stage: Stage): Promise<void> {
  const { invite } = await send(stage);
  await stage.client.takeBack(invite, { signal: stage.signal });
}

async function sendAndWait(stage: Stage): Promise<void> {
  const { expiry } = await send(stage);
  await moveClock(stage, Math.ceil(expiry.getTime() / 1_000) - stage.info.unixTimestamp);
}

// ---- scores and prices -------------------------------------------------------------------------------------------------------

async function putScore({ context, option }: Stage): Promise<void> {
  const now = createClock().now();
  const unknown = { leagueAbbreviation: null, period: null, elapsed: null, status: null };
  const game = { gameId: 'triggered', live: true, ended: false, homeTeam: 'Slipway', awayTeam: 'Trigger' };
  const score = { ...unknown, ...game, score: `${now}-0`, updatedAt: new Date(now).toISOString() };
  await withAdmin(context, option, (admin) => admin.request('PUT', '/scores/TRIGGERED', score));
}

async function raisePrice(stage: Stage): Promise<void> {
  const body = { mint: SOL, usd: priceOfSol(stage) * 1.01 };
  await stage.client.api.post('/sandbox/prices', { body, signal: stage.signal });
}
