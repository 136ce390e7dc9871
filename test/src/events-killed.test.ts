import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type SlipwayEvent } from '@slipway/client';
import { type Fleet, startFleet } from './fleet.js';
import { type OwnPostgres, startPostgres } from './postgres.js';
import { eventually, newSeed, seededRandom } from './rounds.js';

/** Changes that are told while things are killed, each to every reader. Set it to 25000 for a hundred thousand events. */
const CHANGES = Number(process.env.SLIPWAY_KILLED_CHANGES ?? 400);
const QUIET_CHANGES = 100;
const READERS = 4;
const WRITERS = 4;
const PAUSE_MS = 10;
const KILLS = 3;
const ADMIN = { authorization: 'Bearer admin-token-of-the-copies', 'content-type': 'application/json' };
const KINDS = ['score.changed'] as const;
/** For how long an answer of a webhook is waited for; a second less, since times are in whole ones. */
const PATIENCE_SECONDS = 10 - 1;

interface Told {
  number: number;
  /** The game of a score. */
  about: string;
}

const toldOf = (event: SlipwayEvent): Told => ({
  number: event.number,
  about: event.kind === 'score.changed' ? event.data.eventId : '',
});

describe('copies and PostgreSQL are killed under load', () => {
  let postgres: OwnPostgres;
  let fleet: Fleet;
  let receiver: Server;
  const stop = new AbortController();
  const reading: Promise<void>[] = [];
  /** What each reader of a stream has got, and what was posted to the webhook. */
  const seen: Told[][] = Array.from({ length: READERS }, () => []);
  const posted: (Told & { sentAt: number })[] = [];
  const seed = newSeed();
  const random = seededRandom(seed);

  before(async () => {
    postgres = await startPostgres();
    fleet = await startFleet(['api,keeper', 'api,keeper'], undefined, async () => postgres);
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => {
        body += part;
      });
      request.on('end', () => {
        posted.push({ ...toldOf(JSON.parse(body)), sentAt: Number(request.headers['webhook-timestamp']) });
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    for (const list of seen) await read(list, await newKey());
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    await clientOf(await newKey()).api.post('/events/v1/webhooks', { body: { url, kinds: KINDS[0] } });
  });
  after(async () => {
    stop.abort();
    receiver?.closeAllConnections();
    receiver?.close();
    await Promise.all(reading);
    await fleet?.close();
  });

  const anyCopy = () => fleet.copies[Math.floor(random() * fleet.copies.length)]!.url;

  async function newKey(): Promise<string> {
    const answer = await fetch(`${anyCopy()}/admin/v1/keys`, {
      method: 'POST',
      headers: ADMIN,
      body: '{"name":"reader"}',
    });
    return ((await answer.json()) as { key: string }).key;
  }

  /** A client that asks another copy each time, as behind a balancer. */
  function clientOf(apiKey: string) {
    const ask: typeof fetch = (url, init) => fetch(String(url).replace('http://copies', anyCopy()), init);
    return createClient({ url: 'http://copies', apiKey, fetch: ask });
  }

  /** Follows until the end, whatever happens to its stream; resolves once it hears of what happens from then on. */
  async function read(list: Told[], apiKey: string): Promise<void> {
    let isOpen = () => {};
    const opened = new Promise<void>((resolve) => {
      isOpen = resolve;
    });
    const follow = async () => {
      const asked = { kinds: KINDS, after: 0, signal: stop.signal, onOpen: () => isOpen() };
      for await (const event of clientOf(apiKey).events(asked)) list.push(toldOf(event));
    };
    const following = follow();
    reading.push(following);
    await Promise.race([opened, following]);
  }

  /** Changes scores, each once, however often it has to be asked for; how many. */
  async function change(prefix: string, goesOn: (made: number) => boolean): Promise<number> {
    let next = 0;
    const names = { leagueAbbreviation: null, homeTeam: null, awayTeam: null, status: null };
    const game = { gameId: 'g', live: true, ended: false, ...names, score: null, period: null, elapsed: null };
    const body = JSON.stringify({ ...game, updatedAt: new Date().toISOString() });
    const write = async () => {
      while (goesOn(next)) {
        const path = `/admin/v1/scores/${prefix}-${next++}`;
        while (!(await isPut(path, body))) await sleep(50);
        await sleep(PAUSE_MS);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, write));
    return next;
  }

  /** False where nobody knows whether it was done. */
  async function isPut(path: string, body: string): Promise<boolean> {
    const answer = await fetch(anyCopy() + path, { method: 'PUT', headers: ADMIN, body }).catch(() => undefined);
    const text = await answer?.text().catch(() => undefined);
    assert.ok(answer === undefined || answer.ok || answer.status >= 500, `${answer?.status} ${text}`);
    return answer?.ok === true && text !== undefined;
  }

  const aboutOf = (list: readonly Told[], prefix: string) =>
    list.map(({ about }) => about).filter((about) => about.startsWith(`${prefix}-`));

  async function allHave(prefix: string, count: number): Promise<void> {
    const lists = [...seen, posted];
    await eventually(
      'everybody has heard of all',
      async () => {
        if (lists.every((list) => new Set(aboutOf(list, prefix)).size >= count)) return true;
        return undefined;
      },
      600,
      100,
    );
  }

  it('each event is posted to a webhook once where nothing fails, whichever copy does it', async () => {
    const made = await change('QUIET', (so) => so < QUIET_CHANGES);
    await allHave('QUIET', made);
    const sent = new Map<number, number[]>();
    for (const { number, about, sentAt } of posted)
      if (about.startsWith('QUIET-')) sent.set(number, [...(sent.get(number) ?? []), sentAt]);
    assert.equal(sent.size, made);
    // Again only where this process stood still for so long that its answer was given up.
    for (const [number, times] of sent)
      for (const [index, at] of times.slice(1).entries())
        assert.ok(at - times[index]! >= PATIENCE_SECONDS, `${number} was sent at ${times.join(', ')}`);
  });

  it('each reader gets each number once and in order, and a webhook each at least once', async (t) => {
    let isOver = false;
    const killed = { copies: 0, databases: 0 };
    const killing = (async () => {
      for (let turn = 0; !isOver; turn++) {
        if (turn % 3 === 1) {
          await postgres.crash();
          killed.databases += 1;
        } else {
          await fleet.restart(turn % fleet.copies.length);
          killed.copies += 1;
        }
        await sleep(500 + random() * 2_000);
      }
    })();
    const from = performance.now();
    const made = await change('LOUD', (so) => so < CHANGES || killed.copies + killed.databases < KILLS);
    isOver = true;
    await killing;
    await allHave('LOUD', made);
    const seconds = ((performance.now() - from) / 1_000).toFixed(1);
    t.diagnostic(
      `${made} changes to ${READERS} streams and a webhook in ${seconds} s; killed ${JSON.stringify(killed)}`,
    );
    for (const list of seen) {
      assert.deepEqual(
        list.map(({ number }) => number),
        list.map((_, index) => index + 1),
        `TEST_SEED=${seed}`,
      );
      assert.equal(aboutOf(list, 'LOUD').length, made);
    }
    const first = [...new Set(posted.map(({ number }) => number))];
    assert.deepEqual(
      first,
      first.map((_, index) => index + 1),
      `TEST_SEED=${seed}`,
    );
    t.diagnostic(`posted ${posted.length - first.length} of ${first.length} twice`);
  });
});
