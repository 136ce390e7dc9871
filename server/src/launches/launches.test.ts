import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { TOKEN_PROGRAM } from '@slipway/wire';
import pino from 'pino';
import type { ChainAccount } from '../chain/index.js';
import { Outage } from '../errors/index.js';
import { uuidv7 } from '../lib/ids.js';
import { createLocalStore, createObjects, type Objects } from '../objects/index.js';
import { openSigner } from '../signer/index.js';
import {
  addMintNumber,
  countMintNumbers,
  findLaunch,
  findLaunchesNamed,
  findMintNumber,
  insertLaunch,
  type Launch,
  setPage,
  takeMintNumber,
} from '../store/launches.js';
import { insertCrafted } from '../store/ledger.js';
import { deleteDead } from '../store/ledger-cleaning.js';
import type { Store } from '../store/sql.js';
import { openTestStore } from '../store/testing.js';
import { imageKey, launchFiles, launchFilesChore, newHeaderKey, publishLaunch, startMintPool } from './index.js';

const START = Date.UTC(2026, 10, 20);
const URL_MS = 900_000;
const MINUTE = 60_000;
/** The greatest block height at which the launches of these tests may land. */
const LAST_HEIGHT = 1_000n;
/** Of the node that tells the height. */
const NEWEST = 1_200n;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

for (const kind of ['embedded', 'postgres'] as const) {
  describe(`launches on ${kind}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    let dir: string;
    let now: number;
    let objects: Objects;
    let onChain: Set<string>;
    let height: bigint;
    let slot: bigint;
    let put: (key: string, bytes: string | Buffer) => Promise<void>;
    const clock = { now: () => now };

    before(async () => {
      ({ store, close } = await openTestStore(kind));
    });
    after(() => close());
    beforeEach(async () => {
      now = START;
      onChain = new Set();
      height = LAST_HEIGHT + 1n;
      slot = NEWEST;
      await store.query('truncate launches, mint_numbers, ledger');
      dir = await mkdtemp(join(tmpdir(), 'slipway-launches-'));
      const local = createLocalStore({ dir, secret: 'x'.repeat(43), publicUrl: () => 'http://localhost', clock });
      objects = createObjects(local, { maxImageBytes: 1_000_000, urlSeconds: URL_MS / 1_000 });
      put = (key, bytes) => {
        const contentType = typeof bytes === 'string' ? 'application/json' : 'image/png';
        return local.put(`incoming/${key}`, { contentType, bytes: Buffer.from(bytes) });
      };
    });
    afterEach(() => rm(dir, { recursive: true, force: true }));

    const chain = {
      blockHeight: async () => height,
      newestSlot: async () => NEWEST,
      accountReading: async (mint: string) => ({
        account: onChain.has(mint) ? ({ owner: TOKEN_PROGRAM } as ChainAccount) : undefined,
        slot,
      }),
    };
    const deps = () => ({ store, clock, steadyNow: () => now, chain, objects });
    const chore = () => launchFilesChore(deps(), URL_MS)();

    async function crafted(mint: string): Promise<void> {
      const row = { id: `request-of-${mint}`, area: 'studio', wallet: 'creator', messageHash: Buffer.alloc(32) };
      const times = { createdAt: new Date(now), expiresAt: new Date(now + 3 * MINUTE) };
      await store.transaction(async (tx) => {
        await insertCrafted(tx, [
          { ...row, ...times, cosigners: [], lastValidBlockHeight: LAST_HEIGHT, payload: null },
        ]);
        await insertLaunch(tx, {
          mint,
          requestId: row.id,
          creator: 'creator',
          config: 'config',
          pool: 'pool',
          quoteMint: 'quote',
          name: 'Name',
          symbol: 'NAME',
          sniperSlots: 196,
          createdAt: new Date(now),
        });
      });
    }

    const filesOf = async (mint: string) => launchFiles(await launch(mint));
    const uploadImage = async (mint: string) => put((await filesOf(mint)).image.upload, PNG);
    async function upload(mint: string): Promise<void> {
      await uploadImage(mint);
      const { metadata } = await filesOf(mint);
      await put(metadata.upload, JSON.stringify({ name: 'a', symbol: 'b', image: 'https://example.com/c' }));
    }

    const set = (state: string) => store.query('update ledger set state = $1', [state]);
    const launch = async (mint: string): Promise<Launch> => (await findLaunch(store, ['other', mint]))!;
    const isPublic = async (mint: string) => (await objects.read(imageKey(mint))) !== undefined;
    const isUploaded = async (mint: string) =>
      (await objects.uploaded((await filesOf(mint)).image.upload)) !== undefined;

    it('are found by their mint, with what became of their request', async () => {
      await crafted('a');
      const found = await launch('a');
      assert.deepEqual([found.state, found.sniperSlots, found.finishedAt], ['crafted', 196, null]);
      assert.equal(await findLaunch(store, ['b', 'config']), undefined);
      await store.transaction((tx) => setPage(tx, found.requestId, { content: 'text', headerKey: null }));
      assert.equal((await launch('a')).content, 'text');
    });

    it('are published by the keeper where nobody has: once, and only what has landed', async () => {
      await crafted('a');
      await upload('a');
      await chore();
      assert.equal(await isPublic('a'), false);
      await set('landed');
      await chore();
      assert.equal(await isPublic('a'), true);
      assert.equal((await launch('a')).finishedAt?.getTime(), now);
      await uploadImage('a');
      await chore();
      assert.equal(await isUploaded('a'), true, 'a finished launch is left alone');
    });

    it('attack: a free key makes ever more launches of one name that never land, and searches for it: only those under way are read', async () => {
      for (const mint of ['failed', 'expired', 'unsent', 'landed']) await crafted(mint);
      await store.query(`update ledger set state = substr(id, 12) where id <> 'request-of-unsent'`);
      now += URL_MS + 2 * MINUTE;
      await chore();
      await crafted('underway');
      const { rows } = await store.query('select mint from launches where not never_landed order by mint');
      assert.deepEqual(rows, [{ mint: 'landed' }, { mint: 'underway' }], 'what the indexes of names hold');
      const found = await findLaunchesNamed(store, 'na', 20);
      assert.deepEqual(
        found.map(({ mint }) => mint),
        ['landed'],
      );
    });

    it('attack: an uploader replaces his files by ones that the bucket does not give back: the launches of others are finished', async () => {
      for (const mint of ['a', 'b', 'c']) await crafted(mint);
      for (const mint of ['a', 'b', 'c']) await upload(mint);
      await store.query(`update ledger set state = 'landed' where id <> 'request-of-c'`);
      await store.query(`update ledger set state = 'expired' where id = 'request-of-c'`);
      now += URL_MS + 2 * MINUTE;
      const isHis = (key: string) => key === imageKey('a');
      const away = new Outage('STORAGE_UNAVAILABLE', 'encrypted with a key of the uploader');
      let tries = 0;
      const publish = async (from: string, key: string) => {
        if (!isHis(key)) return objects.publish(from, key);
        tries += 1;
        throw away;
      };
      const finishing = launchFilesChore({ ...deps(), objects: { ...objects, publish } }, URL_MS);
      await assert.rejects(finishing(), { code: 'STORAGE_UNAVAILABLE' });
      assert.deepEqual([await isPublic('b'), await isUploaded('c')], [true, false]);
      assert.ok((await launch('b')).finishedAt && (await launch('c')).finishedAt);
      // His own waits, and is not given up: the bucket may have been away.
      await finishing();
      assert.deepEqual([tries, (await launch('a')).finishedAt], [1, null]);
      now += 2 * MINUTE;
      await assert.rejects(finishing(), { code: 'STORAGE_UNAVAILABLE' });
      assert.equal(tries, 2);
    });

    it('attack: an uploader has his launches land with files that are refused: each is looked at twice, not until it can be replaced no more', async () => {
      const mints = ['a', 'b', 'c'];
      for (const mint of mints) await crafted(mint);
      for (const mint of mints) {
        await upload(mint);
        await put((await filesOf(mint)).image.upload, Buffer.concat([PNG, PNG]));
      }
      await set('landed');
      const looks = new Map<string, number>();
      const publish = async (from: string, key: string) => {
        looks.set(key, (looks.get(key) ?? 0) + 1);
        return objects.publish(from, key);
      };
      const finishing = launchFilesChore({ ...deps(), objects: { ...objects, publish } }, URL_MS);
      const end = now + URL_MS + MINUTE;
      await finishing();
      assert.deepEqual([await isPublic('a'), (await launch('a')).finishedAt], [false, null]);
      // One of them is replaced by a good one.
      await uploadImage('b');
      for (; now <= end; now += 2_000) await finishing();
      await finishing();
      assert.deepEqual(
        mints.map((mint) => looks.get(imageKey(mint))),
        [2, 2, 2],
      );
      assert.deepEqual(await Promise.all(mints.map(isPublic)), [false, true, false]);
      for (const mint of mints) assert.notEqual((await launch(mint)).finishedAt, null);
    });

    for (const end of ['landed', 'expired']) {
      it(`keep the names of their uploads where a copy from before the update has crafted them: ${end}`, async () => {
        await crafted('a');
        await store.query('update launches set uploads_by_request = false');
        assert.deepEqual(await filesOf('a'), {
          image: { upload: 'images/a', key: 'images/a' },
          metadata: { upload: 'metadata/a.json', key: 'metadata/a.json' },
        });
        await upload('a');
        await set(end);
        now += URL_MS + 2 * MINUTE;
        await chore();
        assert.deepEqual([await isPublic('a'), await isUploaded('a')], [end === 'landed', false]);
        assert.notEqual((await launch('a')).finishedAt, null);
      });
    }

    it('attack: an uploader lands 100 launches with files that the bucket does not give back: a younger one of another waits for minutes, not for good', async () => {
      const his = Array.from({ length: 100 }, (_, i) => `his-${i}`);
      for (const mint of his) await crafted(mint);
      now += 1_000;
      await crafted('b');
      await upload('b');
      await set('landed');
      const publish = async (from: string, key: string) => {
        if (key.includes('his-')) throw new Outage('STORAGE_UNAVAILABLE', 'encrypted with a key of the uploader');
        return objects.publish(from, key);
      };
      const finishing = launchFilesChore({ ...deps(), objects: { ...objects, publish } }, URL_MS);
      let turns = 0;
      for (; turns < 150 && !(await isPublic('b')); turns++) {
        now += 2_000;
        await finishing().catch(() => {});
      }
      // Each of his is tried twice at most before it: three a turn.
      assert.ok(turns <= (2 * his.length) / 3 + 1, `${turns} turns`);
    });

    it('attack: an uploader lands 150 launches and uploads no files: a younger one of another does not wait until they can come no more', async () => {
      for (let count = 0; count < 150; count++) await crafted(`his-${count}`);
      now += 1_000;
      await crafted('b');
      await upload('b');
      await set('landed');
      const finishing = launchFilesChore(deps(), URL_MS);
      await finishing();
      now += 2_000;
      await finishing();
      now += 2_000;
      await finishing();
      assert.equal(await isPublic('b'), true);
      // His are still looked for, now and then.
      await upload('his-7');
      now += 60_000;
      await finishing();
      await finishing();
      assert.equal(await isPublic('his-7'), true);
    });

    it('all wait while the bucket is away: it is asked about three of them', async () => {
      for (const mint of ['a', 'b', 'c', 'd', 'e']) await crafted(mint);
      await set('landed');
      let asked = 0;
      const publish = async () => {
        asked += 1;
        throw new Outage('STORAGE_UNAVAILABLE', 'away');
      };
      const finishing = launchFilesChore({ ...deps(), objects: { ...objects, publish } }, URL_MS);
      await assert.rejects(finishing(), { code: 'STORAGE_UNAVAILABLE' });
      assert.equal(asked, 2 * 3);
    });

    it('take their turn in parts where the bucket is slow, and leave the rest where the copy closes', async () => {
      const mints = ['a', 'b', 'c', 'd', 'e', 'f'];
      for (const mint of mints) {
        await crafted(mint);
        await upload(mint);
      }
      await set('landed');
      let [published, isClosing] = [0, false];
      const publish = async (from: string, key: string) => {
        now += 3_000;
        if (key.includes('images/')) published++;
        return objects.publish(from, key);
      };
      const finishing = launchFilesChore({ ...deps(), objects: { ...objects, publish } }, URL_MS);
      await finishing(() => isClosing);
      assert.equal(published, 2, 'more than ten seconds');
      const { publish: quick } = objects;
      const closing = launchFilesChore(
        {
          ...deps(),
          objects: {
            ...objects,
            publish: async (from, key) => {
              isClosing = true;
              return quick(from, key);
            },
          },
        },
        URL_MS,
      );
      await closing(() => isClosing);
      assert.equal((await Promise.all(mints.map(isPublic))).filter(Boolean).length, 3);
      await finishing();
      await finishing();
      assert.equal((await Promise.all(mints.map(isPublic))).filter(Boolean).length, 6);
    });

    it('that have landed wait for a file that is missing until it can come no more', async () => {
      await crafted('a');
      await uploadImage('a');
      await set('landed');
      await publishLaunch(deps(), await launch('a'), URL_MS);
      assert.equal((await launch('a')).finishedAt, null);
      await upload('a');
      await chore();
      assert.notEqual((await launch('a')).finishedAt, null);
      await crafted('b');
      await set('landed');
      now += URL_MS + 2 * MINUTE;
      await chore();
      assert.notEqual((await launch('b')).finishedAt, null);
    });

    for (const state of ['crafted', 'failed', 'expired']) {
      it(`leave nothing behind: ${state}`, async () => {
        await crafted('a');
        await upload('a');
        await set(state);
        const headerKey = newHeaderKey('a', uuidv7(clock));
        await objects.store(headerKey, { contentType: 'image/png', bytes: PNG });
        await store.transaction((tx) => setPage(tx, 'request-of-a', { content: null, headerKey }));
        now += URL_MS;
        await chore();
        assert.equal(await isUploaded('a'), true, 'it may still be replaced');
        now += 2 * MINUTE;
        await chore();
        assert.deepEqual([await isUploaded('a'), await isPublic('a')], [false, false]);
        assert.equal(await objects.read(headerKey), undefined);
      });
    }

    it('attack: a database writer names the files of the tokens of others as the header of a launch that never was: none is removed', async () => {
      await crafted('victim');
      await upload('victim');
      await set('landed');
      await chore();
      const { metadata, image } = await filesOf('victim');
      const header = newHeaderKey('victim', uuidv7(clock));
      await objects.store(header, { contentType: 'image/png', bytes: PNG });
      // As the beginning of a name, a mint that is none would take the header of another.
      const cut = header.slice('headers/'.length).split('-').slice(0, 2).join('-');
      const named = [metadata.key, image.key, header];
      const his = ['x', 'y', 'z', cut];
      for (const mint of his) await crafted(mint);
      await store.query(`update ledger set state = 'expired' where id <> 'request-of-victim'`);
      for (const [i, mint] of his.entries())
        await store.query('update launches set header_key = $2 where mint = $1', [mint, named[i] ?? header]);
      now += URL_MS + 10 * MINUTE;
      await chore();
      for (const mint of his) assert.ok((await launch(mint)).finishedAt);
      for (const key of named) assert.ok(await objects.read(key), key);
    });

    it('attack: an operator by mistake restores a backup from before a launch was sent: its files stay, because its token is on the chain', async () => {
      for (const mint of ['a', 'b']) {
        await crafted(mint);
        await upload(mint);
        onChain.add(mint);
      }
      // As whoever has landed it did, before the backup took that back.
      await objects.publish((await filesOf('a')).image.upload, imageKey('a'));
      now += URL_MS + 2 * MINUTE;
      await chore();
      assert.deepEqual([await isPublic('a'), await isPublic('b')], [true, true]);
      assert.ok((await launch('a')).finishedAt && (await launch('b')).finishedAt);
    });

    it('keep their files while the node that knows nothing of their mint is behind the one that told the height', async () => {
      await crafted('a');
      await upload('a');
      now += URL_MS + 2 * MINUTE;
      slot = NEWEST - 1n;
      await chore();
      assert.deepEqual([await isUploaded('a'), (await launch('a')).finishedAt], [true, null]);
      slot = NEWEST;
      now += 30_000;
      await chore();
      assert.deepEqual([await isUploaded('a'), await isPublic('a')], [false, false]);
    });

    for (const state of ['crafted', 'failed', 'expired']) {
      it(`keep their files while the node is too far behind to know their mint: ${state}`, async () => {
        await crafted('a');
        await upload('a');
        await set(state);
        now += URL_MS + 2 * MINUTE;
        height = LAST_HEIGHT;
        await chore();
        assert.deepEqual([await isUploaded('a'), (await launch('a')).finishedAt], [true, null]);
        onChain.add('a');
        height += 1n;
        now += 30_000;
        await chore();
        assert.equal(await isPublic('a'), true);
        const { rows } = await store.query('select never_landed from launches');
        assert.deepEqual(rows, [{ never_landed: false }]);
      });
    }

    it('take nothing from who can read it when they end, though their node does not know the mint: it is of another launch of it', async () => {
      await crafted('a');
      await objects.store(imageKey('a'), { contentType: 'image/png', bytes: PNG });
      await upload('a');
      await set('expired');
      now += URL_MS + 2 * MINUTE;
      await chore();
      assert.deepEqual([await isUploaded('a'), await isPublic('a')], [false, true]);
    });

    if (kind === 'postgres') {
      it('attack: an operator by mistake lets the clock of a machine jump an hour ahead: the files of a launch that may still be posted stay', async () => {
        now = Date.now();
        await crafted('a');
        await upload('a');
        now += 60 * MINUTE;
        await assert.rejects(launchFilesChore({ ...deps(), wallNow: clock.now }, URL_MS)(), /seconds ahead of/);
        assert.deepEqual([await isUploaded('a'), (await launch('a')).finishedAt], [true, null]);
      });
    }

    it('go with their request, once their files are removed', async () => {
      await crafted('a');
      now += URL_MS + 2 * MINUTE;
      await chore();
      await store.transaction((tx) => deleteDead(tx, new Date(now + 10 * MINUTE), 10));
      assert.equal(await findLaunch(store, ['a']), undefined);
    });

    it('get each number of the stock once', async () => {
      const number = 2 ** 52 + 1;
      await store.transaction(async (tx) => {
        await addMintNumber(tx, number, 'ab');
        await addMintNumber(tx, 7, 'cd');
        await addMintNumber(tx, 7, 'cd');
      });
      assert.equal(await countMintNumbers(store, 'cd'), 1);
      assert.equal(await findMintNumber(store, 'ab'), number);
      const taken = await Promise.all([1, 2, 3].map(() => store.single((tx) => takeMintNumber(tx, number))));
      assert.deepEqual(taken.sort(), [false, false, true]);
      assert.equal(await findMintNumber(store, 'ab'), undefined);
    });
  });
}

it('keeps mint addresses with an ending in stock', async () => {
  const { store, close } = await openTestStore();
  const dir = await mkdtemp(join(tmpdir(), 'slipway-stock-'));
  const signer = await openSigner({ file: join(dir, 'signer.json'), passphrase: 'x', create: true });
  const stock = startMintPool({ store, finder: signer, suffix: 'a', log: pino({ level: 'silent' }) });
  while ((await countMintNumbers(store, 'a')) < 3) await new Promise((resolve) => setTimeout(resolve, 20));
  await stock.close();
  for (let i = 0; i < 3; i++) {
    const number = (await findMintNumber(store, 'a'))!;
    assert.equal(await store.single((tx) => takeMintNumber(tx, number)), true);
    const mint = await signer.publicKey(`mint:${number}`);
    assert.match(mint, /a$/);
    assert.notEqual(await signer.publicKey(`launch:${number}`), mint);
  }
  await close();
  await rm(dir, { recursive: true, force: true });
});
