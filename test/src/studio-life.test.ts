import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  BONDING_CURVE_POOL_SIZE,
  type BondingCurvePool,
  bondingCurvePool,
  claimLocked,
  curveSwap,
  decodeBondingCurveConfig,
  decodeBondingCurvePool,
  lockerAccount,
  MIGRATED_POOL_CONFIGS,
  migratedPool,
  migrateToDammV2,
} from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  compileMessage,
  createAssociatedTokenIdempotent,
  decodeTokenAccount,
  encodeTokenAccount,
  generateKeypair,
  type Instruction,
  type Keypair,
  setComputeUnitLimit,
  systemTransfer,
  TOKEN_PROGRAM,
  unsignedTransaction,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { createAnswerCheck, documentOf, operationsOf } from './openapi-document.js';
import { eventually } from './rounds.js';
import { request, type Service, startService } from './service.js';
import {
  addressesOf,
  type Creation,
  changed,
  claimTransaction,
  createPool,
  feesOf,
  giveWrapped,
  indie,
  PNG,
  type PoolBody,
  put,
  type Refused,
  type Submitted,
  submit,
  USDC,
  upload,
} from './studio.js';
import { askOrderAgain, executeOrder, order } from './swap.js';
import { newWallet, rpc, signTransaction } from './wallet.js';

const POLL_MS = 50;
const { SLIPWAY_PROGRAMS_DIR: programs } = process.env;
const skip = programs
  ? false
  : 'set SLIPWAY_PROGRAMS_DIR to a folder with the programs of Meteora and Metaplex to run this';

/** A launch that can migrate within a test: the preset "Meme", nothing vested, little locked. */
function meme(creator: string): PoolBody {
  const body = indie(creator);
  const vesting = {
    totalLockedVestingAmount: 0,
    cliffUnlockAmount: 0,
    numberOfVestingPeriod: 0,
    totalVestingDuration: 0,
    cliffDurationFromMigrationTime: 0,
  };
  Object.assign(body.buildCurveByMarketCapParam, {
    initialMarketCap: 16_000,
    migrationMarketCap: 69_000,
    lockedVestingParam: vesting,
  });
  return { ...body, isLpLocked: false };
}

const settings = join(mkdtempSync(join(tmpdir(), 'slipway-by-hand-')), 'settings.json');
const BY_HAND = { SLIPWAY_CONFIG: settings };

describe('a token on our stand-ins for the launch programs', () => lives({}));
describe('a token that the keeper does not migrate', () => {
  before(() => writeFileSync(settings, '{"studio":{"migrationBudgetSol":0}}'));
  after(() => rmSync(dirname(settings), { recursive: true }));
  lives(BY_HAND);
});
describe('a token on the real launch program', { skip }, () => lives({ SLIPWAY_PROGRAMS_DIR: programs! }));

function lives(env: Record<string, string>): void {
  let service: Service;
  let creator: Keypair;
  let assertDocumented: (path: string, answer: { status: number; body: unknown }) => void;
  before(async () => {
    service = await startService({ env });
    const document = await documentOf(service);
    const check = createAnswerCheck(document);
    assertDocumented = (path, { status, body }) => {
      const operation = operationsOf(document).find((each) => each.path === `/studio/v1/${path}`);
      assert.equal(check(operation!, status, body), undefined);
    };
    creator = await newWallet(service, 2_000_000_000n, 0n);
  });
  after(() => service?.close());

  async function created(wanted: unknown = meme(creator.address)): Promise<Creation> {
    const { status, body } = await createPool(service, wanted);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  it('lives from its creation to its migration', async (t) => {
    const creation = await created();
    await upload(creation);
    const header = new Blob([PNG], { type: 'image/png' });
    const lamports = await lamportsOf(creator.address);
    const submitted = await submit(service, creation, creator, { content: 'What it is for', headerImage: header });
    assert.equal(submitted.status, 200, JSON.stringify(submitted.body));
    assert.equal(submitted.body.success, true);
    assertDocumented('dbc-pool/submit', submitted);
    assert.equal(submitted.body.data.mint, creation.mint);
    assert.equal(await venueOf(creation.mint), 'Dynamic Bonding Curve', 'whoever is first can buy');
    const made = bondingCurvePool(submitted.body.data.configKey as Address, creation.mint, USDC);
    const kept = [made.config, made.baseMint, made.pool, made.baseVault, made.quoteVault, made.metadata];
    const inThem = (await Promise.all(kept.map(lamportsOf))).reduce((sum, each) => sum + each, 0);
    // Three signatures; the rest is rent, and what the metadata program takes, which it keeps in the metadata's account.
    assert.equal(lamports - (await lamportsOf(creator.address)), inThem + 15_000);
    assert.deepEqual((await submit(service, creation, creator)).body, submitted.body);

    const found = (await addressesOf(service, creation.mint)).body.data;
    const pool = bondingCurvePool(found.configKey, creation.mint, USDC);
    assert.deepEqual([found.dbcPoolAddress, found.configKey], [pool.pool, submitted.body.data.configKey]);
    assert.equal(found.dammv2PoolAddress, null);
    assert.equal(found.content, 'What it is for');
    assert.deepEqual(Buffer.from(await (await fetch(found.headerImageUrl!)).arrayBuffer()), PNG);
    assert.deepEqual(Buffer.from(await (await fetch(creation.imageUrl)).arrayBuffer()), PNG);
    // Public is public: a later upload changes nothing.
    await put(creation.metadataPresignedUrl, 'application/json', '{"name":"Other","symbol":"O","image":"x"}');
    const metadata = await (await fetch(`${service.url}/objects/metadata/${creation.mint}.json`)).json();
    assert.equal((metadata as { name: string }).name, 'Indie Token');

    await assertFoundAndPriced(creation.mint);
    await tradeAndClaim(pool);
    if (env === BY_HAND) {
      while (!String(await venueOf(creation.mint)).includes('its curve is complete')) await sleep(POLL_MS);
      await migrate(pool);
    }
    // Long before the service looks for pools again.
    const since = performance.now();
    while ((await venueOf(creation.mint)) !== 'Meteora DAMM v2') await sleep(POLL_MS);
    t.diagnostic(`routed over ${Math.round(performance.now() - since)} ms later`);
    await buyMigrated(creation.mint);
    const moved = (await addressesOf(service, creation.mint)).body.data;
    assert.equal(moved.dammv2PoolAddress, migratedPool(MIGRATED_POOL_CONFIGS[2]!, creation.mint, USDC));
  });

  /** Over what a purchase of the token would go now, or why there is no route. */
  async function venueOf(mint: Address): Promise<string> {
    const { body } = await askOrderAgain(service, { inputMint: USDC, outputMint: mint, amount: 1_000_000n });
    return 'routePlan' in body ? body.routePlan[0]!.swapInfo.label : JSON.stringify(body);
  }

  /** Its price is that of its first pool: 16,000 USDC for all of 1,000,000,000 tokens. */
  async function assertFoundAndPriced(mint: Address): Promise<void> {
    for (const query of ['indie', 'Indie Tok']) {
      const token = await eventually('the price of a launched token', async () => {
        const found = await request<{ id: string; symbol: string; usdPrice?: number }[]>(
          `${service.url}/tokens/v2/search?query=${encodeURIComponent(query)}`,
        );
        return found.body.find(({ id, usdPrice }) => id === mint && usdPrice !== undefined);
      });
      assert.equal(token.symbol, 'INDIE');
      assert.ok(Math.abs(token.usdPrice! / 0.000016 - 1) < 0.001, String(token.usdPrice));
    }
    const bought = await order(service, { inputMint: USDC, outputMint: mint, amount: '10000000' });
    for (const usd of [bought.inUsdValue, bought.outUsdValue, bought.swapUsdValue, bought.routePlan[0]!.usdValue]) {
      assert.ok(usd !== undefined && Math.abs(usd - 10) < 0.3, String(usd));
    }
  }

  async function tradeAndClaim(pool: BondingCurvePool): Promise<void> {
    assert.deepEqual((await feesOf(service, pool.pool)).body, { unclaimed: '0', total: '0' });
    const buyer = await newWallet(service, 1_000_000_000n, 0n);
    await airdrop(buyer.address, 100_000_000_000n, USDC);
    await buy(pool, buyer, 1_000_000_000n);
    // One percent, less the fifth of the protocol's, halved.
    assert.deepEqual((await feesOf(service, pool.pool)).body, { unclaimed: '4000000', total: '4000000' });
    await refuseGivenAway(pool.pool);
    await claim(pool, 1_500_000, 1_500_000n);
    assert.deepEqual((await feesOf(service, pool.pool)).body, { unclaimed: '2500000', total: '4000000' });
    await claim(pool, 10 ** 12, 2_500_000n);
    assert.equal((await feesOf(service, pool.pool)).body.unclaimed, '0');

    const stranger = { ownerWallet: buyer.address, poolAddress: pool.pool, maxQuoteAmount: 1 };
    const refused = await claimTransaction<Refused>(service, stranger);
    assert.deepEqual([refused.status, refused.body], [403, { error: 'You are not the owner of this pool' }]);
    const { threshold } = await configOf(pool);
    await buy(pool, buyer, 50_000_000_000n);
    const { quoteReserve } = await stateOf(pool);
    assert.ok(quoteReserve >= threshold && quoteReserve <= threshold + 1n);
    assert.equal(threshold, 22_426_946_909n);
  }

  /** A page may have had the creator give its account for the quote away: nothing is paid into that. */
  async function refuseGivenAway(poolAddress: Address): Promise<void> {
    const account = associatedTokenAddress(creator.address, USDC);
    const { address: owner } = generateKeypair();
    const common = { state: 'initialized', delegatedAmount: 0n, isNative: false } as const;
    const data = Buffer.from(encodeTokenAccount({ ...common, mint: USDC, owner, amount: 0n })).toString('base64');
    const given = { lamports: 2_039_280, owner: TOKEN_PROGRAM, executable: false, data };
    await rpc(service, 'localnet_setAccount', account, given);
    const wanted = { ownerWallet: creator.address, poolAddress, maxQuoteAmount: 1 };
    const { status, body } = await claimTransaction<Refused>(service, wanted);
    assert.equal(status, 400, JSON.stringify(body));
    assert.match(body.error, /the chain would refuse this claim/);
    await rpc(service, 'localnet_setAccount', account, null);
  }

  async function claim(pool: BondingCurvePool, maxQuoteAmount: number, expected: bigint): Promise<void> {
    const account = associatedTokenAddress(creator.address, USDC);
    const [before, lamports] = [await tokensOf(account), await lamportsOf(creator.address)];
    const wanted = { ownerWallet: creator.address, poolAddress: pool.pool, maxQuoteAmount };
    const crafted = await claimTransaction(service, wanted);
    assertDocumented('dbc/fee/create-tx', crafted);
    await land(signTransaction(crafted.body.transaction, creator));
    assert.equal((await tokensOf(account)) - before, expected);
    // An account for the quote is kept; one for the base is not.
    const rent = before === 0n ? 2_039_280 : 0;
    assert.equal(lamports - (await lamportsOf(creator.address)), 5_000 + rent);
  }

  it('pays fees in SOL to a wallet as SOL', async () => {
    const body = meme(creator.address);
    Object.assign(body.buildCurveByMarketCapParam, {
      quoteMint: WRAPPED_SOL_MINT,
      tokenQuoteDecimal: 9,
      initialMarketCap: 30,
      migrationMarketCap: 300,
    });
    const creation = await created({ ...body, fee: { feeBps: 200 } });
    await upload(creation);
    const { data } = (await submit(service, creation, creator)).body;
    const pool = bondingCurvePool(data.configKey as Address, creation.mint, WRAPPED_SOL_MINT);
    const buyer = await newWallet(service, 5_000_000_000n, 0n);
    await giveWrapped(service, buyer.address, 2_000_000_000n);
    await buy(pool, buyer, 1_000_000_000n);
    assert.equal((await feesOf(service, pool.pool)).body.unclaimed, '8000000');
    const before = await lamportsOf(creator.address);
    const wanted = { ownerWallet: creator.address, poolAddress: pool.pool, maxQuoteAmount: 10 ** 12 };
    const claimed = await claimTransaction(service, wanted);
    await land(signTransaction(claimed.body.transaction, creator));
    assert.equal((await lamportsOf(creator.address)) - before, 8_000_000 - 5_000);
    const wrapped = associatedTokenAddress(creator.address, WRAPPED_SOL_MINT);
    assert.equal((await accountOf(wrapped)) ?? null, null);
  });

  it('has one outcome, however many post it', async () => {
    const creation = await created();
    await upload(creation);
    const posts = await Promise.all(
      Array.from({ length: 8 }, (_, i) => submit(service, creation, creator, { content: `post ${i}` })),
    );
    for (const { status, body } of posts) assert.deepEqual([status, body], [200, posts[0]!.body]);
    assert.match((await addressesOf(service, creation.mint)).body.data.content!, /^post \d$/);
  });

  it('asks for image and metadata before it is launched', async () => {
    const creation = await created();
    const early = await submit<Refused>(service, creation, creator);
    assert.equal(early.status, 400);
    assert.match(early.body.error, /^(?:image|metadata): expected to be uploaded first/);
    assert.equal((await addressesOf<Refused>(service, creation.mint)).status, 404);
    await upload(creation);
    const header = new Blob(['<svg xmlns="http://www.w3.org/2000/svg"/>'], { type: 'image/png' });
    const lie = await submit<Refused>(service, creation, creator, { headerImage: header });
    assert.deepEqual([lie.status, Object.keys(lie.body.errors ?? {})], [400, ['headerImage']]);
    const svg = new Blob(['<svg/>'], { type: 'image/svg+xml' });
    assert.equal((await submit<Refused>(service, creation, creator, { headerImage: svg })).status, 400);
    assert.equal((await submit<Submitted>(service, creation, creator)).status, 200);
  });

  it('leaves nothing behind when it cannot land', async () => {
    const creation = await created();
    await upload(creation);
    assert.equal((await fetch(creation.imageUrl)).status, 404, 'nothing is public before it has landed');
    const folder = join(service.dataDir, 'objects', 'incoming', 'images');
    const uploads = () => readdirSync(folder).filter((name) => name.startsWith(creation.mint));
    assert.equal(uploads().length, 1);
    await request(`${service.url}/sandbox/clock`, { body: { seconds: 3_600 } });
    const late = await submit<Refused>(service, creation, creator);
    assert.deepEqual([late.status, /expired/i.test(late.body.error)], [400, true], JSON.stringify(late.body));
    assert.equal((await addressesOf<Refused>(service, creation.mint)).status, 404);
    // What could be replaced until now is gone with the keeper's next round, which the clock has waited for.
    assert.deepEqual(uploads(), []);
  });

  it('is refused to who lacks the money between crafting and posting', async () => {
    const poor = await newWallet(service, 40_000_000n, 0n);
    const creation = await created(changed(meme(poor.address), 'tokenName', 'Poor'));
    await upload(creation);
    await drain(poor);
    const refused = await submit<Refused>(service, creation, poor);
    assert.equal(refused.status, 400);
    assert.match(refused.body.error, /^Not sent: /);
    assert.equal((await addressesOf<Refused>(service, creation.mint)).status, 404);
  });

  const byHand = env === BY_HAND && 'no keeper migrates it';
  it('locks what comes later when it migrates, and the creator claims what has come free', {
    skip: byHand,
  }, async () => {
    // The chain's clock moves half a year: nothing can follow this.
    const body = meme(creator.address);
    const halfAYear = 15_552_000;
    const vesting = { totalLockedVestingAmount: 1_000_000, cliffUnlockAmount: 400_000, numberOfVestingPeriod: 6 };
    const times = { totalVestingDuration: halfAYear, cliffDurationFromMigrationTime: 0 };
    Object.assign(body.buildCurveByMarketCapParam, { lockedVestingParam: { ...vesting, ...times } });
    const creation = await created(body);
    await upload(creation);
    const { data } = (await submit(service, creation, creator)).body;
    const pool = bondingCurvePool(data.configKey as Address, creation.mint, USDC);
    const buyer = await newWallet(service, 1_000_000_000n, 0n);
    await airdrop(buyer.address, 100_000_000_000n, USDC);
    await buy(pool, buyer, 50_000_000_000n);
    while ((await venueOf(creation.mint)) !== 'Meteora DAMM v2') await sleep(POLL_MS);
    const { owner: lock, account: tokens } = lockerAccount(pool);
    assert.equal(await tokensOf(tokens), 1_000_000_000_000n);
    const account = associatedTokenAddress(creator.address, creation.mint);
    const open = createAssociatedTokenIdempotent({
      payer: creator.address,
      owner: creator.address,
      mint: creation.mint,
    });
    const claim = claimLocked({ lock, tokens, recipient: creator.address, account, most: 2n ** 63n });
    await run(creator, [], open, claim);
    assert.equal(await tokensOf(account), 400_000_000_000n);
    await request(`${service.url}/sandbox/clock`, { body: { seconds: halfAYear / 2 } });
    await run(creator, [], claim);
    assert.equal(await tokensOf(account), 700_000_000_000n);
  });

  // ---- the chain, as anybody can use it --------------------------------------------------------------------------

  async function accountOf(address: Address): Promise<Buffer | undefined> {
    const { value } = await rpc<{ value: { data: [string] } | null }>(service, 'getAccountInfo', address, {
      encoding: 'base64',
    });
    return value ? Buffer.from(value.data[0], 'base64') : undefined;
  }

  async function lamportsOf(address: Address): Promise<number> {
    return (await rpc<{ value: number }>(service, 'getBalance', address)).value;
  }

  async function tokensOf(address: Address): Promise<bigint> {
    const data = await accountOf(address);
    return data ? decodeTokenAccount(data)!.amount : 0n;
  }

  async function stateOf({ pool }: BondingCurvePool) {
    const data = await accountOf(pool);
    assert.equal(data?.length, BONDING_CURVE_POOL_SIZE);
    return decodeBondingCurvePool(data!)!;
  }

  async function configOf({ config }: BondingCurvePool): Promise<{ threshold: bigint }> {
    return { threshold: decodeBondingCurveConfig((await accountOf(config))!)!.migrationQuoteThreshold };
  }

  function airdrop(wallet: Address, amount: bigint, mint?: Address) {
    return request(`${service.url}/sandbox/airdrop`, { body: { wallet, amount: amount.toString(), mint } });
  }

  async function run(payer: Keypair, signers: Keypair[], ...instructions: Instruction[]): Promise<void> {
    const { value } = await rpc<{ value: { blockhash: string } }>(service, 'getLatestBlockhash');
    const { blockhash } = value;
    const message = compileMessage({ version: 0, feePayer: payer.address, instructions, blockhash });
    const wire = Buffer.from(unsignedTransaction(message)).toString('base64');
    await land(signTransaction(wire, payer, ...signers));
  }

  async function land(transaction: string): Promise<void> {
    const signature = await rpc<string>(service, 'sendTransaction', transaction, { encoding: 'base64' });
    const { value } = await rpc<{ value: ({ err: unknown } | null)[] }>(service, 'getSignatureStatuses', [signature]);
    assert.equal(value[0]?.err, null);
  }

  async function buy(pool: BondingCurvePool, buyer: Keypair, amountIn: bigint): Promise<void> {
    const trader = buyer.address;
    const inputAccount = associatedTokenAddress(trader, pool.quoteMint);
    const outputAccount = associatedTokenAddress(trader, pool.baseMint);
    const open = createAssociatedTokenIdempotent({ payer: trader, owner: trader, mint: pool.baseMint });
    const swap = { pool, trader, inputAccount, outputAccount, amountIn, leastOut: 0n, partial: true };
    await run(buyer, [], open, curveSwap(swap));
  }

  async function migrate(pool: BondingCurvePool): Promise<void> {
    const payer = await newWallet(service, 1_000_000_000n, 0n);
    const positions = [generateKeypair(), generateKeypair()] as const;
    const dammConfig = MIGRATED_POOL_CONFIGS[2]!;
    const mints = [positions[0].address, positions[1].address] as const;
    const move = migrateToDammV2({ pool, dammConfig, positions: mints, payer: payer.address });
    await run(payer, [...positions], setComputeUnitLimit(500_000), move);
    assert.equal((await stateOf(pool)).isMigrated, true);
  }

  /** Like any other token, for what the order says. */
  async function buyMigrated(mint: Address): Promise<void> {
    const buyer = await newWallet(service, 1_000_000_000n, 0n);
    await airdrop(buyer.address, 100_000_000n, USDC);
    const terms = { inputMint: USDC, outputMint: mint, amount: '100000000', taker: buyer.address };
    const made = await order(service, terms);
    assert.equal((await executeOrder(service, made, buyer)).status, 'Success');
    assert.equal(await tokensOf(associatedTokenAddress(buyer.address, mint)), BigInt(made.outAmount));
  }

  async function drain(wallet: Keypair): Promise<void> {
    const lamports = BigInt(await lamportsOf(wallet.address)) - 5_000n - 1_000_000n;
    await run(wallet, [], systemTransfer({ from: wallet.address, to: creator.address, lamports }));
  }
}
