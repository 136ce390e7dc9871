import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { generateKeypair, type Keypair, SYSTEM_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { ChainAccount } from '../../chain/index.js';
import { launchFilesChore, publishLaunch } from '../../launches/index.js';
import { put, samples, stands } from '../../objects/testing.js';
import { addMintNumber, countMintNumbers, findLaunch } from '../../store/launches.js';
import { insertCrafted } from '../../store/ledger.js';
import { openAnyStore } from '../../store/testing.js';
import { createPool } from './create-pool.js';
import type { StudioDeps } from './deps.js';

const URL_MS = 900_000;
const SUFFIX = 'a';
const JSON_TYPE = 'application/json';
const metadata = (name: string) => Buffer.from(JSON.stringify({ name, symbol: 'S', image: 'https://x.example/i' }));

function mintKey(): Keypair {
  for (;;) {
    const key = generateKeypair();
    if (key.address.endsWith(SUFFIX)) return key;
  }
}

/** Launches on a stock of one mint address, over files in this kind of store. */
async function open(t: TestContext, openStand: (typeof stands)[number]['open']) {
  const [opened, stand] = await Promise.all([openAnyStore(), openStand()]);
  /** How many more calls the database answers. */
  const answers = { left: Number.POSITIVE_INFINITY };
  const counted =
    <Args extends unknown[], Answer>(call: (...args: Args) => Promise<Answer>) =>
    async (...args: Args) => {
      if (answers.left-- <= 0) throw new Error('the database is away');
      return call(...args);
    };
  const store = {
    ...opened,
    query: counted(opened.query),
    single: counted(opened.single),
    transaction: counted(opened.transaction),
  } as typeof opened;
  t.after(async () => {
    await stand.close();
    await store.close();
  });
  await store.single((tx) => addMintNumber(tx, 7, SUFFIX));
  let now = Date.UTC(2026, 10, 20);
  let height = 1_000n;
  const { objects } = stand;
  const clock = { now: () => now };
  const keys: Record<string, Keypair> = { 'mint:7': mintKey(), 'launch:7': generateKeypair() };
  const creator = generateKeypair().address;
  const mint = keys['mint:7']!.address;
  const chain = {
    blockHeight: async () => height,
    latestBlockhash: async () => ({ blockhash: generateKeypair().address, slot: height, lastValidBlockHeight: height }),
    computeUnitPrice: async () => 0n,
    account: async (address: string) =>
      address === mint
        ? undefined
        : ({ lamports: 10n ** 10n, executable: true, owner: SYSTEM_PROGRAM, data: new Uint8Array() } as ChainAccount),
    newestSlot: async () => height,
    accountReading: async () => ({ account: undefined, slot: height }),
    simulate: async () => ({ err: null }),
  };
  const common = { store, clock, objects };
  const deps = {
    ...common,
    chain,
    signer: { publicKey: async (name: string) => keys[name]!.address },
    remember: (row: Parameters<typeof insertCrafted>[1][number]) => store.single((tx) => insertCrafted(tx, [row])),
    operator: generateKeypair().address,
    mintSuffix: SUFFIX,
    quotes: [{ symbol: 'SOL', mint: WRAPPED_SOL_MINT, decimals: 9 }],
  } as unknown as StudioDeps;
  const vesting = { totalLockedVestingAmount: 0, cliffUnlockAmount: 0, numberOfVestingPeriod: 0 };
  const lockedVestingParam = { ...vesting, totalVestingDuration: 0, cliffDurationFromMigrationTime: 0 };
  const caps = { initialMarketCap: 32_000, migrationMarketCap: 240_000 };
  const named = { tokenName: 'N', tokenSymbol: 'S', tokenImageContentType: 'image/png', creator };
  const body = {
    ...named,
    buildCurveByMarketCapParam: { quoteMint: WRAPPED_SOL_MINT, ...caps, tokenQuoteDecimal: 9, lockedVestingParam },
    antiSniping: false,
    fee: { feeBps: 100 },
  } as Parameters<typeof createPool>[1];
  const launch = async () => (await findLaunch(store, [mint]))!;
  return {
    objects,
    mint,
    answers,
    inStock: () => countMintNumbers(opened, SUFFIX),
    create: () => createPool(deps, body, { id: 'key' }),
    /** Until the address is back in stock. */
    async expire() {
      now += URL_MS + 120_000;
      height += 1_000n;
      await launchFilesChore({ ...common, chain, steadyNow: () => now }, URL_MS, SUFFIX)();
      assert.equal(await launch(), undefined);
    },
    async land() {
      await store.query(`update ledger set state = 'landed' where id = $1`, [(await launch()).requestId]);
      assert.equal(await publishLaunch(common, await launch(), URL_MS), 'finished');
    },
    bytesAt: async (key: string) => Buffer.from((await objects.read(key))!.bytes),
  };
}

/** A PUT whose last byte waits. */
async function begin(url: string, contentType: string, bytes: Buffer) {
  const headers = { 'content-type': contentType, 'content-length': bytes.length };
  const upload: ClientRequest = request(url, { method: 'PUT', headers });
  upload.write(bytes.subarray(0, -1));
  await once(upload, 'socket');
  return async () => {
    upload.end(bytes.subarray(-1));
    const [response] = await once(upload, 'response');
    response.resume();
    assert.equal(response.statusCode, 200);
  };
}

for (const { kind, open: openStand } of stands) {
  test(`attack: an uploader has uploads for a launch that never lands end when its mint address is another launch's: that one has its own files, on ${kind}`, async (t) => {
    const { objects, mint, create, expire, land, bytesAt } = await open(t, openStand);
    const his = await create();
    const endings = [
      await begin(his.imagePresignedUrl, 'image/png', samples.interlacedPng.bytes),
      await begin(his.metadataPresignedUrl, JSON_TYPE, metadata('His')),
    ];
    await expire();
    const other = await create();
    assert.deepEqual([other.mint, his.mint], [mint, mint]);
    assert.equal((await put(other.imagePresignedUrl, samples.png.bytes)).status, 200);
    assert.equal((await put(other.metadataPresignedUrl, metadata('Other'), JSON_TYPE)).status, 200);
    for (const end of endings) await end();
    await land();
    assert.equal(other.imageUrl, objects.publicUrl(`images/${mint}`));
    assert.ok(samples.png.bytes.equals(await bytesAt(`images/${mint}`)));
    assert.deepEqual(await bytesAt(`metadata/${mint}.json`), metadata('Other'));
  });
}

test('a mint address leaves the stock only with its launch, at whatever call the database goes away', async (t) => {
  const { answers, create, inStock } = await open(t, stands[0]!.open);
  let failed = 0;
  for (let left = 0; ; left++) {
    answers.left = left;
    const end = await create().catch((error: Error) => error);
    if (!(end instanceof Error)) break;
    assert.match(end.message, /the database is away/);
    assert.equal(await inStock(), 1, `after ${left} calls`);
    failed++;
  }
  assert.equal(failed, 3);
  assert.equal(await inStock(), 0);
});
