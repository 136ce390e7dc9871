import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { pino } from 'pino';
import { type EventScore, getScore, putScores } from '../store/scores.js';
import type { Store } from '../store/sql.js';
import { endLeases, openTestStore } from '../store/testing.js';
import type { ScoreFeed } from './feed.js';
import { createScores, type Scores } from './keep.js';

const START = Date.UTC(2026, 10, 21, 16);
const log = pino({ level: 'silent' });

const scoreAt = (second: number, changes: Partial<EventScore> = {}): EventScore => ({
  eventId: 'E-1',
  gameId: 'g',
  live: true,
  ended: false,
  updatedAt: isoTime(second),
  leagueAbbreviation: 'atp',
  homeTeam: 'A',
  awayTeam: 'B',
  score: '0-0',
  period: 'S1',
  elapsed: null,
  status: 'inprogress',
  ...changes,
});

function isoTime(second: number): string {
  return new Date(START + second * 1_000).toISOString();
}

/** Stands for a provider: says what the test says, while it is open. */
function createFeed(exclusive: boolean) {
  let publish: ((score: EventScore) => void) | undefined;
  let due: EventScore[] = [];
  const feed: ScoreFeed = {
    name: 'test',
    exclusive,
    open(to) {
      publish = to;
    },
    due() {
      for (const score of due.splice(0)) publish?.(score);
    },
    close() {
      publish = undefined;
    },
  };
  return {
    feed,
    isOpen: () => publish !== undefined,
    say: (score: EventScore) => publish?.(score),
    sayWhenDue(...scores: EventScore[]) {
      due = scores;
    },
  };
}

for (const kind of ['embedded', 'postgres'] as const) {
  describe(`scores are kept on ${kind}`, () => {
    let store: Store;
    let close: () => Promise<void>;
    const copies: Scores[] = [];
    const clock = { now: () => START };
    before(async () => {
      ({ store, close } = await openTestStore(kind));
    });
    beforeEach(async () => {
      await Promise.all(copies.splice(0).map((each) => each.close()));
      await store.query('delete from scores');
    });
    after(async () => {
      await Promise.all(copies.map((each) => each.close()));
      await close();
    });

    /** One instance of the service with a feed of its own. */
    const startCopy = (exclusive = true, on = store) => {
      const source = createFeed(exclusive);
      const scores = createScores({ store: on, clock, feeds: [source.feed], log });
      copies.push(scores);
      return { ...source, scores };
    };
    const stored = async () => (await getScore(store, 'E-1'))?.score;
    const untilStored = async (score: string) => {
      while ((await stored()) !== score) await sleep(1);
    };

    test('what a feed says is stored without waiting for the next round, the newest of it', async () => {
      const copy = startCopy();
      await copy.scores.runDue();
      for (let second = 0; second < 50; second++) copy.say(scoreAt(second, { score: `${second}-0` }));
      await untilStored('49-0');
    });

    test('attack: a channel of scores tells ever other ones: each game is stored once a second, and the last', async () => {
      let writes = 0;
      const transaction: Store['transaction'] = (work) => {
        writes += 1;
        return store.transaction(work);
      };
      const copy = startCopy(false, { ...store, query: store.query, transaction });
      await copy.scores.runDue();
      const begun = performance.now();
      for (let second = 0; second < 300; second++) {
        copy.say(scoreAt(second, { score: `${second}-0` }));
        await sleep(1);
      }
      const seconds = (performance.now() - begun) / 1_000;
      assert.ok(writes >= 1 && writes <= 2 + seconds, `${writes} in ${seconds} s`);
      await untilStored('299-0');
    });

    test('of what came together, the newest state is stored, whatever came last', async () => {
      const copy = startCopy();
      await copy.scores.runDue();
      for (const second of [1, 9, 5]) copy.say(scoreAt(second, { score: `${second}-0` }));
      await copy.scores.runDue();
      assert.equal(await stored(), '9-0');
    });

    test('what is due is stored when the round has ended', async () => {
      const copy = startCopy(false);
      copy.sayWhenDue(scoreAt(1, { score: '1-0' }), scoreAt(1, { eventId: 'E-2', score: '2-0' }));
      await copy.scores.runDue();
      assert.equal(await stored(), '1-0');
      assert.equal((await getScore(store, 'E-2'))?.score, '2-0');
    });

    test('one copy reads an exclusive feed, until it stops', async () => {
      const [first, second] = [startCopy(), startCopy()];
      await Promise.all([first.scores.runDue(), second.scores.runDue()]);
      assert.equal(Number(first.isOpen()) + Number(second.isOpen()), 1);
      const [reader, other] = first.isOpen() ? [first, second] : [second, first];
      for (let round = 0; round < 20; round++) {
        await other.scores.runDue();
        await reader.scores.runDue();
      }
      assert.deepEqual([reader.isOpen(), other.isOpen()], [true, false]);
      await reader.scores.close();
      assert.equal(reader.isOpen(), false);
      await other.scores.runDue();
      assert.equal(other.isOpen(), true);
    });

    test('a copy that was away too long is no reader any more, and what it still has is not stored', async () => {
      const [first, second] = [startCopy(), startCopy()];
      await first.scores.runDue();
      await second.scores.runDue();
      assert.equal(second.isOpen(), false);
      await endLeases(store);
      await second.scores.runDue();
      assert.equal(second.isOpen(), true);
      second.say(scoreAt(20, { score: '2-0' }));
      await untilStored('2-0');
      first.say(scoreAt(30, { score: '1-0' }));
      await first.scores.runDue();
      assert.equal(first.isOpen(), false);
      assert.equal(await stored(), '2-0');
    });

    test('nor is it where the database was away, but for the end of a game, of which the feed tells once', async () => {
      let away = false;
      const transaction: Store['transaction'] = (work) =>
        away ? Promise.reject(new Error('away')) : store.transaction(work);
      const [first, second] = [startCopy(true, { ...store, query: store.query, transaction }), startCopy()];
      await first.scores.runDue();
      first.say(scoreAt(1, { score: '1-0' }));
      await untilStored('1-0');
      away = true;
      first.say(scoreAt(2, { score: '2-0', live: false, ended: true }));
      first.say(scoreAt(2, { eventId: 'E-2', score: '7-0' }));
      await assert.rejects(first.scores.runDue());
      await endLeases(store);
      await second.scores.runDue();
      away = false;
      await first.scores.runDue();
      assert.equal(first.isOpen(), false);
      const end = await getScore(store, 'E-1');
      assert.deepEqual([end?.score, end?.ended], ['2-0', true]);
      assert.equal(await getScore(store, 'E-2'), undefined);
    });

    test('what a feed has said last is stored as the copy stops', async () => {
      const copy = startCopy();
      await copy.scores.runDue();
      copy.say(scoreAt(1, { score: '1-0' }));
      await untilStored('1-0');
      copy.say(scoreAt(2, { score: '2-0', live: false, ended: true }));
      await copy.scores.close();
      assert.equal(await stored(), '2-0');
    });

    test('copies that say the same of a feed for all agree', async () => {
      const [first, second] = [startCopy(false), startCopy(false)];
      const events = Array.from({ length: 30 }, (_, index) => `E-${index}`);
      for (let round = 1; round <= 10; round++) {
        const scores = events.map((eventId) => scoreAt(round, { eventId, score: `${round}-0` }));
        first.sayWhenDue(...scores);
        second.sayWhenDue(...scores.reverse());
        await Promise.all([first.scores.runDue(), second.scores.runDue()]);
        assert.equal(await stored(), `${round}-0`);
      }
    });

    test('what could not be stored is stored later, and a game that has ended meanwhile stays so', async () => {
      let away = false;
      const transaction: Store['transaction'] = (work) =>
        away ? Promise.reject(new Error('away')) : store.transaction(work);
      const copy = startCopy(true, { ...store, query: store.query, transaction });
      await copy.scores.runDue();
      away = true;
      const end = { live: false, ended: true, finishedTimestamp: isoTime(2) };
      copy.say(scoreAt(1, { score: '1-0' }));
      copy.say(scoreAt(2, { score: '2-0', ...end }));
      await assert.rejects(copy.scores.runDue());
      copy.say(scoreAt(3, { score: '3-0' }));
      copy.say(scoreAt(3, { eventId: 'E-2', score: '7-0' }));
      await assert.rejects(copy.scores.runDue());
      assert.equal(await stored(), undefined);
      away = false;
      await copy.scores.runDue();
      assert.deepEqual(await getScore(store, 'E-1'), scoreAt(2, { score: '2-0', ...end }));
      assert.equal((await getScore(store, 'E-2'))?.score, '7-0');
    });

    test('whatever arrives in whatever order, time goes forward only, and the end is told whenever it is said', async () => {
      const updates = fc.array(fc.record({ second: fc.integer({ min: 0, max: 20 }), ended: fc.boolean() }), {
        minLength: 1,
        maxLength: 12,
      });
      await fc.assert(
        fc.asyncProperty(updates, async (story) => {
          await store.query('delete from scores');
          let expected: EventScore | undefined;
          let newest = '';
          for (const [index, { second, ended }] of story.entries()) {
            const end = { live: false, ended: true, finishedTimestamp: isoTime(100 + index) };
            const score = scoreAt(second, { score: `${index}-0`, ...(ended && end) });
            const isNews = score.updatedAt > newest || (ended && !expected?.ended);
            const changed = await store.transaction((tx) => putScores(tx, [score], Date.parse(isoTime(200))));
            assert.equal(changed, isNews ? 1 : 0);
            if (!isNews) continue;
            if (score.updatedAt > newest) newest = score.updatedAt;
            const { finishedTimestamp } = expected ?? {};
            expected = expected?.ended
              ? { ...score, live: false, ended: true, finishedTimestamp: finishedTimestamp! }
              : score;
          }
          assert.deepEqual(await getScore(store, 'E-1'), expected);
        }),
        { numRuns: kind === 'embedded' ? 60 : 20 },
      );
    });
  });
}
