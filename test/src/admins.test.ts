import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Ended, run, SLIPWAY } from './command.js';
import { type Fleet, startFleet } from './fleet.js';
import { eventually } from './rounds.js';
import { request } from './service.js';

const ROOT = 'admin-token-of-the-copies';

interface Act {
  seq: number;
  entry: { who: string; what: string; requestId: string; digest: string };
}

describe('admins, on two copies and one PostgreSQL', () => {
  let fleet: Fleet;
  before(async () => {
    fleet = await startFleet(['api', 'api']);
  });
  after(() => fleet?.close());

  function slipway(token: string, ...words: string[]): Promise<Ended> {
    const { url, dataDir } = fleet.copies[0]!;
    return run(SLIPWAY, words, { cwd: dataDir, env: { SLIPWAY_URL: url, SLIPWAY_ADMIN_TOKEN: token } });
  }
  const call = <T = { error: string }>(copy: number, token: string, method: string, path: string, body?: unknown) =>
    request<T>(`${fleet.copies[copy]!.url}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body !== undefined && { body }),
    });

  async function newAdmin(name: string, roles: string): Promise<string> {
    const { code, out, error } = await slipway(ROOT, '--json', 'admins', 'create', name, '--roles', roles);
    assert.equal(code, 0, error);
    const { token } = JSON.parse(out) as { token: string };
    assert.match(token, /^slip_adm_[1-9A-HJ-NP-Za-km-z]{30,}$/);
    await bothAnswer(token, 200);
    return token;
  }

  /** Waits until both copies have heard of what has become of an admin. */
  async function bothAnswer(token: string, status: number): Promise<void> {
    await eventually(`both copies answer ${status}`, async () => {
      const answers = await Promise.all([0, 1].map((copy) => call(copy, token, 'GET', '/keys')));
      return answers.every((answer) => answer.status === status) || undefined;
    });
  }

  it('do what their roles permit, in every copy, and nothing else', async () => {
    const tokens = {
      read: await newAdmin('reader', 'read'),
      operate: await newAdmin('operator', 'operate'),
      keys: await newAdmin('key-maker', 'keys'),
      all: await newAdmin('second', 'all'),
    };
    const acts = [
      ['GET', '/keys', ['read', 'operate', 'keys', 'all']],
      ['GET', '/acts', ['read', 'operate', 'keys', 'all']],
      ['GET', '/logs', ['read', 'operate', 'keys', 'all']],
      ['PUT', '/stops/crafts', ['operate', 'all']],
      ['DELETE', '/stops/crafts', ['operate', 'all']],
      ['PUT', '/scores/x', ['operate', 'all']],
      ['POST', '/makers', ['operate', 'all']],
      ['DELETE', '/makers/x', ['operate', 'all']],
      ['POST', '/verifications/x/approve', ['operate', 'all']],
      ['DELETE', '/logins/x', ['operate', 'all']],
      ['POST', '/keys', ['keys', 'all']],
      ['POST', '/keys/x/rotate', ['keys', 'all']],
      ['DELETE', '/keys/x', ['keys', 'all']],
      ['GET', '/admins', ['all']],
      ['POST', '/admins', ['all']],
      ['DELETE', '/admins/x', ['all']],
    ] as const;
    for (const [index, [method, path, allowed]] of acts.entries()) {
      for (const [role, token] of Object.entries(tokens)) {
        // Without a body that could be served, so that nothing is done.
        const { status, body } = await call(index % 2, token, method, path, method === 'GET' ? undefined : {});
        const isAllowed = (allowed as readonly string[]).includes(role);
        assert.equal(status === 403, !isAllowed, `${role}: ${method} ${path} ${status}`);
        if (!isAllowed) assert.match(body.error, /^The admin [a-z-]+ has the roles \w+, and this needs \w+$/);
        assert.notEqual(status, 401);
      }
    }
    for (const [name, roles] of [
      ['root', ['read']],
      ['reader', ['all']],
    ] as const) {
      assert.equal((await call(0, ROOT, 'POST', '/admins', { name, roles })).status, 409);
    }
    assert.equal((await call(0, ROOT, 'POST', '/admins', { name: 'A b', roles: ['read'] })).status, 400);
    assert.equal((await call(0, ROOT, 'POST', '/admins', { name: 'c', roles: ['god'] })).status, 400);
    const { rows } = await fleet.store.query<{ hash: Buffer }>('select hash from admins where name = $1', ['reader']);
    assert.deepEqual(rows[0]!.hash, createHash('sha256').update(tokens.read).digest());
  });

  it('are refused by all copies as soon as they are revoked, with their sessions, and listed all the same', async () => {
    const token = await newAdmin('leaver', 'operate');
    const begun = await call<{ proof: string; name: string }>(1, token, 'POST', '/session');
    assert.deepEqual([begun.status, begun.body.name], [200, 'leaver']);
    const cookie = begun.headers.get('set-cookie')!.split(';')[0]!;
    const bySession = (method: string, path: string, body?: unknown) =>
      request<{ error: string }>(`${fleet.copies[1]!.url}/admin/v1${path}`, {
        method,
        headers: { cookie, 'x-slipway-csrf': begun.body.proof },
        ...(body !== undefined && { body }),
      });
    assert.equal((await bySession('GET', '/keys')).status, 200);
    assert.equal((await bySession('POST', '/keys', { name: 'x' })).status, 403);
    const revoked = await slipway(ROOT, 'admins', 'revoke', 'leaver');
    assert.deepEqual([revoked.code, revoked.out.trim()], [0, 'The admin leaver is revoked.']);
    await bothAnswer(token, 401);
    assert.equal((await bySession('GET', '/keys')).status, 401);
    assert.match((await slipway(ROOT, 'admins', 'list')).out, /^leaver +operate +\S+ +revoked /m);
    const again = await slipway(ROOT, 'admins', 'revoke', 'leaver');
    assert.deepEqual([again.code, /There is no admin leaver/.test(again.error)], [1, true]);
  });

  it('leave a record of what they ask for, with nothing secret in it', async () => {
    const token = await newAdmin('recorded', 'operate');
    const body = { why: 'for the record' };
    const { headers } = await call(1, token, 'PUT', '/stops/crafts', body);
    await call(0, token, 'DELETE', '/stops/crafts');
    await call(0, token, 'DELETE', '/stops/fills');
    await call(0, token, 'POST', '/keys', { name: 'refused' });
    const { out } = await slipway(ROOT, 'audit', 'export');
    const acts = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Act);
    const own = acts.filter(({ entry }) => entry.who === 'recorded').map(({ entry }) => entry);
    assert.deepEqual(
      own.map(({ what }) => what),
      ['PUT /admin/v1/stops/crafts', 'DELETE /admin/v1/stops/crafts', 'DELETE /admin/v1/stops/fills'],
    );
    assert.equal(own[0]!.requestId, headers.get('x-api-gateway-request-id'));
    assert.equal(own[0]!.digest, createHash('sha256').update(JSON.stringify(body)).digest('hex'));
    assert.ok(acts.some(({ entry }) => entry.who === 'root' && entry.what === 'POST /admin/v1/admins'));
    assert.ok(!out.includes(token) && !out.includes(ROOT) && !out.includes(body.why));
    const verified = await slipway(token, 'audit', 'verify');
    assert.match(verified.out, new RegExp(`^The record is whole. It ends with ${acts.length}:[0-9a-f]{64}`));
  });

  it('are recorded one after the other, however many act at once', async () => {
    const before = (await slipway(ROOT, 'audit', 'verify')).out;
    const from = Number(/with (\d+):/.exec(before)![1]);
    await Promise.all(Array.from({ length: 40 }, (_, index) => call(index % 2, ROOT, 'DELETE', `/keys/${index}`)));
    assert.match((await slipway(ROOT, 'audit', 'verify')).out, new RegExp(`whole. It ends with ${from + 40}:`));
  });

  describe('attack: a database writer makes himself an admin, and rewrites what admins have done; he is none, and it is found', () => {
    const write = (text: string, values: unknown[] = []) => fleet.store.single((tx) => tx.query(text, values));
    const verify = async (...words: string[]) => {
      const { code, out } = await slipway(ROOT, 'audit', 'verify', ...words);
      return { code, out };
    };

    it('by a row of his own, or more roles for one that there is', async () => {
      const theirs = 'slip_adm_of-somebody-who-writes-rows';
      const hash = createHash('sha256').update(theirs).digest();
      await write(
        `insert into admins (name, hash, roles, seal, created_at)
         select 'intruder', $1, '{all}', seal, created_at from admins where name = 'second'`,
        [hash],
      );
      const token = await newAdmin('small', 'read');
      await write(`update admins set roles = '{all}' where name = 'small'`);
      await bothAnswer(token, 401);
      for (const copy of [0, 1]) {
        assert.equal((await call(copy, theirs, 'GET', '/keys')).status, 401);
        assert.equal((await call(copy, token, 'POST', '/keys', { name: 'x' })).status, 401);
      }
      await write(`delete from admins where name in ('intruder', 'small')`);
    });

    it('by a change, which the table refuses, and which the chain shows where the table was made to take it', async () => {
      const [, end = ''] = /with (\S+)/.exec((await verify()).out) ?? [];
      await assert.rejects(write(`update admin_acts set who = 'x'`), /only added to/);
      await assert.rejects(write('delete from admin_acts'), /only added to/);
      await assert.rejects(write('truncate admin_acts'), /only added to/);
      await write('alter table admin_acts disable trigger all');
      const { rows } = await fleet.store.query<{ seq: bigint; who: string }>(
        'select seq, who from admin_acts order by seq desc limit 3',
      );
      const [last, middle] = rows;
      await write(`update admin_acts set who = 'nobody' where seq = $1`, [middle!.seq]);
      assert.match((await verify()).out, new RegExp(`broken: number ${middle!.seq} was changed`));
      await write('update admin_acts set who = $2 where seq = $1', [middle!.seq, middle!.who]);
      assert.equal((await verify()).code, 0);
      await write(
        'create table kept as select * from admin_acts where seq in ($1, $2)'
          .replace('$1', `${middle!.seq}`)
          .replace('$2', `${last!.seq}`),
      );
      await write('delete from admin_acts where seq = $1', [middle!.seq]);
      assert.match((await verify()).out, new RegExp(`broken: number ${last!.seq} stands where ${middle!.seq} should`));
      await write('insert into admin_acts select * from kept where seq = $1', [middle!.seq]);
      await write('delete from admin_acts where seq = $1', [last!.seq]);
      assert.match((await verify()).out, new RegExp(`broken: it ended with number ${last!.seq}`));
      // He also rewrites where it ends: what was noted before is not there.
      await write(
        `update settings set value = jsonb_build_object('seq', seq, 'hash', hash)
         from admin_acts where key = 'admin_acts.head' and seq = ${middle!.seq}`,
      );
      assert.equal((await verify()).code, 0);
      const noted = await verify('--end', end);
      assert.deepEqual([noted.code, /does not have number \d+ as it was noted/.test(noted.out)], [1, true]);
    });
  });
});
