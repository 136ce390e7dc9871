import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  compileMessage,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  sign,
  systemTransfer,
  TOKEN_PROGRAM,
  withSignature,
} from '@slipway/wire';
import type { ChainAccount } from '../../chain/index.js';
import { hashMessage } from '../../crafting/transaction.js';
import { launchFiles, launchFilesChore } from '../../launches/index.js';
import { createLocalStore, createObjects } from '../../objects/index.js';
import { samples } from '../../objects/testing.js';
import { findLaunch, insertLaunch, setPage } from '../../store/launches.js';
import { findRequest, insertCrafted } from '../../store/ledger.js';
import { openAnyStore } from '../../store/testing.js';
import type { StudioDeps } from './deps.js';
import { submitPool } from './submit-pool.js';

const URL_MS = 900_000;
const MINUTE = 60_000;
const METADATA = Buffer.from(JSON.stringify({ name: 'N', symbol: 'S', image: 'https://x.example/i' }));

/** A launch with its files uploaded, whose transaction lands while `landing` tells that it has expired. */
async function open(t: TestContext) {
  const store = await openAnyStore();
  const dir = await mkdtemp(join(tmpdir(), 'slipway-told-expired-'));
  t.after(async () => {
    await store.close();
    await rm(dir, { recursive: true });
  });
  let now = Date.UTC(2026, 10, 20);
  let isOnChain = false;
  const clock = { now: () => now };
  const files = createLocalStore({ dir, secret: 'x'.repeat(43), publicUrl: () => 'http://localhost', clock });
  const objects = createObjects(files, { maxImageBytes: 1_000_000, urlSeconds: URL_MS / 1_000 });
  const [creator, mint, config] = [generateKeypair(), generateKeypair(), generateKeypair()];
  const message = compileMessage({
    version: 0,
    feePayer: creator.address,
    instructions: [systemTransfer({ from: mint.address, to: config.address, lamports: 1n })],
    blockhash: generateKeypair().address,
  });
  const unsigned = decodeTransaction(encodeTransaction({ signatures: [0, 0].map(() => new Uint8Array(64)), message }));
  const signed = encodeTransaction(withSignature(unsigned, creator.address, sign(creator, message)));
  const id = '0198a1b2-0000-7000-8000-000000000001';
  const crafted = { id, area: 'studio', wallet: creator.address, messageHash: hashMessage(message), cosigners: [] };
  const times = { createdAt: new Date(now), expiresAt: new Date(now + 3 * MINUTE) };
  const named = { quoteMint: 'quote', name: 'N', symbol: 'S', sniperSlots: null, createdAt: times.createdAt };
  const made = { mint: mint.address, requestId: id, creator: creator.address, config: config.address, pool: 'pool' };
  await store.transaction(async (tx) => {
    await insertCrafted(tx, [{ ...crafted, ...times, lastValidBlockHeight: 1_000n, payload: null }]);
    await insertLaunch(tx, { ...made, ...named });
  });
  const chain = {
    blockHeight: async () => 1_000n,
    newestSlot: async () => 1n,
    accountReading: async () => ({
      account: isOnChain ? ({ owner: TOKEN_PROGRAM, executable: true } as ChainAccount) : undefined,
      slot: 1n,
    }),
  };
  const landing = {
    vouchesFor: async () => true,
    walletsOf: () => [],
    async execute(_request: unknown, _signed: unknown, page: Parameters<typeof setPage>[2] | undefined) {
      isOnChain = true;
      if (page) await store.transaction((tx) => setPage(tx, id, page));
      await store.query(`update ledger set state = 'expired' where id = $1`, [id]);
      return findRequest(store, id);
    },
  };
  const programs = { account: async () => ({ executable: true }) as ChainAccount };
  const deps = {
    store,
    clock,
    objects,
    landing,
    uploadMs: URL_MS,
    chain: { ...chain, ...programs },
    findRequest: (wanted: string) => findRequest(store, wanted),
  } as unknown as StudioDeps;
  const body = { transaction: Buffer.from(signed).toString('base64'), owner: creator.address };
  return {
    files,
    launch: async () => (await findLaunch(store, [mint.address]))!,
    post: () =>
      submitPool(deps, body as Parameters<typeof submitPool>[1], {
        headerImage: samples.png,
        look: (_bytes, work) => work(),
      }),
    async chore() {
      now += URL_MS + 2 * MINUTE;
      const later = { ...chain, blockHeight: async () => 1_001n };
      await launchFilesChore({ store, clock, steadyNow: () => now, chain: later, objects }, URL_MS)();
    },
    isPublic: async (key: string) => (await objects.read(key)) !== undefined,
  };
}

test('attack: a node tells that a launch has expired which has landed, and its creator posts it again: its files are published, and stay', async (t) => {
  const { files, launch, post, chore, isPublic } = await open(t);
  const { image, metadata } = launchFiles(await launch());
  await files.put(`incoming/${image.upload}`, samples.png);
  await files.put(`incoming/${metadata.upload}`, { contentType: 'application/json', bytes: METADATA });
  await assert.rejects(post(), /The launch has not landed: Transaction expired/);
  const { headerKey } = await launch();
  const keys = [image.key, metadata.key, headerKey!];
  await chore();
  assert.deepEqual(await Promise.all(keys.map(isPublic)), [true, true, true]);
  for (let time = 0; time < 2; time++) await assert.rejects(post(), /The launch has not landed/);
  await chore();
  assert.deepEqual(await Promise.all(keys.map(isPublic)), [true, true, true]);
});
