import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EventScore } from '../store/scores.js';
import { createSimulatedFeed, simulatedEvents } from './simulated.js';

const SINCE = Date.UTC(2026, 10, 21, 16);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const ending = simulatedEvents.filter((eventId) => eventId !== 'SIM-1');

/** A feed whose clock is set by hand, and what it has said last of each event. */
function openFeed(since = SINCE) {
  const clock = { time: since, now: () => clock.time };
  const feed = createSimulatedFeed({ since, clock });
  const last = new Map<string, EventScore>();
  let published = 0;
  feed.open((score) => {
    last.set(score.eventId, score);
    published += 1;
  });
  return {
    last,
    published: () => published,
    moveTo(time: number) {
      clock.time = time;
      feed.due();
      return last;
    },
  };
}

const sum = ({ score }: EventScore): number => score!.split(/[^0-9]+/).reduce((total, part) => total + Number(part), 0);

test('SIM-1 is live at any time', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 80 * 365 * DAY }), (later) => {
      const score = openFeed()
        .moveTo(SINCE + later)
        .get('SIM-1')!;
      assert.deepEqual([score.live, score.ended, score.finishedTimestamp], [true, false, undefined]);
      assert.ok(Date.parse(score.updatedAt) <= SINCE + later);
      assert.ok(Date.parse(score.updatedAt) > SINCE + later - 16 * MINUTE, 'the longest pause is a break');
      assert.match(score.score!, /^\d+-\d+$/);
      assert.match(score.period!, /^(?:1H|HT|2H)$/);
    }),
  );
});

test('SIM-1 goes forward within a game, and the next game has another number', () => {
  const feed = openFeed();
  const games = new Set<string>();
  let before: EventScore | undefined;
  for (let time = SINCE; time < SINCE + DAY; time += MINUTE) {
    const now = feed.moveTo(time).get('SIM-1')!;
    if (before?.gameId === now.gameId) {
      assert.ok(sum(now) >= sum(before));
      assert.ok(Number(now.elapsed) >= Number(before.elapsed));
    }
    games.add(now.gameId);
    before = now;
  }
  assert.ok(games.size >= 13, `${games.size} games in a day`);
});

test('the other games wait, run and end, and then stand still', () => {
  const feed = openFeed();
  const phases = new Map<string, string[]>(ending.map((eventId) => [eventId, []]));
  const ends = new Map<string, string>();
  const totals = new Map<string, number>();
  for (let time = SINCE; time < SINCE + 8 * 60 * MINUTE; time += 10_000) {
    feed.moveTo(time);
    for (const eventId of ending) {
      const score = feed.last.get(eventId)!;
      const seen = phases.get(eventId)!;
      const phase = score.ended ? 'ended' : score.live ? 'live' : 'waiting';
      if (seen.at(-1) !== phase) seen.push(phase);
      if (score.ended) {
        assert.equal(score.finishedTimestamp, ends.get(eventId) ?? score.finishedTimestamp);
        ends.set(eventId, score.finishedTimestamp!);
      } else assert.equal(score.finishedTimestamp, undefined);
      assert.ok(Date.parse(score.updatedAt) <= time);
      if (['SIM-2', 'SIM-3'].includes(eventId)) assert.ok(sum(score) >= (totals.get(eventId) ?? 0));
      totals.set(eventId, sum(score));
    }
  }
  for (const eventId of ending) assert.deepEqual(phases.get(eventId), ['waiting', 'live', 'ended'], eventId);
  const settled = feed.published();
  feed.moveTo(SINCE + 365 * DAY);
  assert.equal(feed.published(), settled + 1, 'only SIM-1 has more to say');
});

test('each sport ends as its rules have it', () => {
  const last = openFeed().moveTo(SINCE + DAY);
  const endOf = (eventId: string) => {
    const { score, period, status } = last.get(eventId)!;
    return [score!, period, status] as const;
  };
  const [soccer, ...soccerEnd] = endOf('SIM-2');
  assert.match(soccer, /^\d+-\d+$/);
  assert.deepEqual(soccerEnd, ['FT', 'Final']);
  const [points, ...basketballEnd] = endOf('SIM-3');
  const [home, away] = points.split('-').map(Number);
  assert.notEqual(home, away);
  assert.deepEqual(basketballEnd, ['FT', 'Final']);
  const [sets, ...tennisEnd] = endOf('SIM-4');
  const won = [0, 0];
  for (const set of sets.split(', ')) {
    const [first = 0, second = 0] = set.split('-').map(Number);
    const [high, low] = [Math.max(first, second), Math.min(first, second)];
    assert.ok((high === 6 && low <= 4) || (high === 7 && (low === 5 || low === 6)), sets);
    won[first > second ? 0 : 1]! += 1;
  }
  assert.equal(Math.max(...won), 2);
  assert.ok(Math.min(...won) < 2);
  assert.deepEqual(tennisEnd, ['FT', 'finished']);
  const [maps, , status] = endOf('SIM-5');
  assert.match(maps, /^000-000\|(?:2-[01]|[01]-2)\|Bo3$/);
  assert.equal(status, 'finished');
});

test('a copy that looked all the time and one that jumped say the same', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 60 * MINUTE }), { minLength: 1, maxLength: 30 }), (steps) => {
      const often = openFeed();
      let time = SINCE;
      for (const step of steps) {
        time += step;
        often.moveTo(time);
      }
      assert.deepEqual(often.last, openFeed().moveTo(time));
    }),
  );
});

test('nothing is said again that was said before, and nothing after the close', () => {
  const feed = openFeed();
  feed.moveTo(SINCE);
  const once = feed.published();
  assert.equal(once, simulatedEvents.length);
  feed.moveTo(SINCE);
  assert.equal(feed.published(), once);
});
