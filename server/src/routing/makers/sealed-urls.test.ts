import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { SYSTEM_PROGRAM } from '@slipway/wire';
import pino from 'pino';
import { createSecretBox, firstWallets } from '../../signer/index.js';
import { insertMaker, listMakers, sealMakers } from '../../store/makers.js';
import type { Store } from '../../store/sql.js';
import { openTestStore } from '../../store/testing.js';
import { OfferDesk } from './offer-desk.js';

const URLS = { a: 'https://:s3cret-a@a.example/rfq', b: 'https://b.example/rfq?key=s3cret-b' };
const AT = new Date(Date.UTC(2026, 10, 20));

for (const kind of ['embedded', 'postgres'] as const) {
  describe(`attack: a database writer reads or changes the table of market makers, on ${kind}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    const box = createSecretBox(Buffer.alloc(32, 1));
    before(async () => {
      ({ store, close } = await openTestStore(kind));
    });
    after(() => close());
    beforeEach(async () => {
      await store.query('truncate makers');
    });

    async function register(): Promise<void> {
      for (const [id, url] of Object.entries(URLS)) {
        await insertMaker(store, box, { id, name: id, url, createdAt: AT });
      }
    }

    /** Everything that the database holds of the makers, as text, bytes too. */
    async function dump(): Promise<string> {
      const { rows } = await store.query<{ row: string }>(
        `select makers::text || coalesce(encode(url_sealed, 'escape'), '') || coalesce(encode(url_mark, 'escape'), '') as row
         from makers`,
      );
      return rows.map(({ row }) => row).join('\n');
    }

    /** The ids of the makers that are asked, and what the log says of the others. */
    async function asked(): Promise<{ ids: string[]; log: string }> {
      let log = '';
      const write = (line: string): void => {
        log += line;
      };
      const desk = new OfferDesk({
        store,
        box,
        signer: { wallets: () => firstWallets(() => SYSTEM_PROGRAM) },
        own: [],
        usd: () => undefined,
        timeoutMs: 1,
        clock: { now: () => AT.getTime() },
        steadyNow: () => 0,
        log: pino({ level: 'error' }, { write }),
      });
      const found = await Promise.all(['a', 'b', 'c'].map((id) => desk.endpointOf(id)));
      return { ids: found.flatMap((endpoint) => (endpoint ? [endpoint.id] : [])), log };
    }

    it('a dump shows no password and no part of a URL', async () => {
      await register();
      assert.doesNotMatch(await dump(), /s3cret|example|https|rfq/);
      assert.deepEqual(await listMakers(store, box).then((all) => all.map(({ url }) => url)), Object.values(URLS));
      const same = { id: 'c', name: 'c', url: URLS.a, createdAt: AT };
      assert.equal(await insertMaker(store, box, same), false, 'a URL is registered once');
    });

    it('URLs that are swapped between two makers are asked by neither name, and the log says so', async () => {
      await register();
      assert.deepEqual((await asked()).ids, ['a', 'b']);
      await store.query('update makers m set url_sealed = other.url_sealed from makers other where other.id <> m.id');
      const { ids, log } = await asked();
      assert.deepEqual(ids, []);
      assert.equal(log.match(/was not written by this service for this maker/g)?.length, 2);
      assert.doesNotMatch(log, /s3cret/);
    });

    it('a row written without the key is not asked', async () => {
      await register();
      const foreign = createSecretBox(Buffer.alloc(32, 2));
      const theirs = { id: 'c', name: 'c', url: 'https://evil.example', createdAt: AT };
      await insertMaker(store, foreign, theirs);
      await store.query(
        `update makers set url_sealed = set_byte(url_sealed, 20, get_byte(url_sealed, 20) # 1) where id = 'a'`,
      );
      assert.deepEqual((await asked()).ids, ['b']);
      await store.query(`update makers set url_sealed = case id when 'c' then null else ''::bytea end`);
      assert.deepEqual((await asked()).ids, []);
    });

    it('clear URLs of before are encrypted at the first start; there is no place for clear ones afterwards', async () => {
      await store.query('alter table makers add column if not exists url text');
      for (const [id, url] of Object.entries(URLS)) {
        await store.query('insert into makers (id, name, url, created_at) values ($1, $1, $2, $3)', [id, url, AT]);
      }
      assert.match(await dump(), /s3cret-a/);
      const sealed = await Promise.all([sealMakers(store, box), sealMakers(store, box)]);
      assert.deepEqual(sealed.sort(), [0, 2]);
      assert.doesNotMatch(await dump(), /s3cret|example/);
      assert.deepEqual((await asked()).ids, ['a', 'b']);
      await assert.rejects(store.query(`update makers set url = 'https://evil.example'`));
      assert.equal(await sealMakers(store, box), 0);
    });
  });
}
