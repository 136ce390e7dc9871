import type { Clock } from '../lib/clock.js';
import type { EventScore } from '../store/scores.js';
import type { ScoreFeed } from './feed.js';
import { basketball, counterStrike, type Sport, soccer, type Timeline, tennis } from './simulated-games.js';

const MINUTE = 60_000;

interface Fixture {
  eventId: string;
  league: string;
  home: string;
  away: string;
  sport: Sport;
  /** Minutes after the sandbox was created. */
  startMinute: number;
  /** What the provider calls a game before it has begun. */
  before: string;
}

const ALWAYS_LIVE = { eventId: 'SIM-1', league: 'sim', home: 'Slipway Rovers', away: 'Devnet United' };
/** From one kick-off to the next: a game of soccer without a pause after it. */
const ALWAYS_LIVE_MS = 105 * MINUTE;

const FIXTURES: readonly Fixture[] = [
  {
    eventId: 'SIM-2',
    league: 'fifwc',
    home: 'France',
    away: 'Senegal',
    sport: soccer,
    startMinute: 10,
    before: 'Scheduled',
  },
  {
    eventId: 'SIM-3',
    league: 'nba',
    home: 'LAL',
    away: 'BOS',
    sport: basketball,
    startMinute: 5,
    before: 'Scheduled',
  },
  {
    eventId: 'SIM-4',
    league: 'atp',
    home: 'A. Baseline',
    away: 'B. Volley',
    sport: tennis,
    startMinute: 2,
    before: 'scheduled',
  },
  {
    eventId: 'SIM-5',
    league: 'cs2',
    home: 'Slot Leaders',
    away: 'The Validators',
    sport: counterStrike,
    startMinute: 1,
    before: 'not_started',
  },
];

/** The events whose games the sandbox plays. */
export const simulatedEvents: readonly string[] = [ALWAYS_LIVE, ...FIXTURES].map(({ eventId }) => eventId);

/**
 * The sandbox's games: one that is always live, and some that begin within minutes after `since` (unix milliseconds),
 * run and end. What they show depends only on `since` and the clock, so that every instance says the same.
 */
export function createSimulatedFeed({ since, clock }: { since: number; clock: Clock }): ScoreFeed {
  const fixtures = FIXTURES.map((fixture) => ({ fixture, timeline: fixture.sport(fixture.eventId) }));
  const published = new Map<string, string>();
  let publish: ((score: EventScore) => void) | undefined;
  return {
    name: 'simulated',
    exclusive: false,
    open(to) {
      publish = to;
    },
    due() {
      const now = clock.now();
      const scores = fixtures.map(({ fixture, timeline }) => scoreOf(fixture, timeline, since, now));
      for (const score of [alwaysLive(now), ...scores]) {
        if (publish === undefined || published.get(score.eventId) === score.updatedAt) continue;
        published.set(score.eventId, score.updatedAt);
        publish(score);
      }
    },
    close() {
      publish = undefined;
    },
  };
}

/** When one game ends, the next one begins: under the same event, with a new number. */
function alwaysLive(now: number): EventScore {
  const { eventId, league, home, away } = ALWAYS_LIVE;
  const number = Math.floor(now / ALWAYS_LIVE_MS);
  const start = number * ALWAYS_LIVE_MS;
  const { atMs, ...state } = stateAt(soccer(`${eventId} ${number}`), now - start)!;
  return {
    eventId,
    gameId: `${eventId}-${number}`,
    leagueAbbreviation: league,
    homeTeam: home,
    awayTeam: away,
    ...state,
    live: true,
    ended: false,
    updatedAt: isoTime(start + atMs),
  };
}

function scoreOf(fixture: Fixture, timeline: Timeline, since: number, now: number): EventScore {
  const { eventId, league, home, away } = fixture;
  const start = since + fixture.startMinute * MINUTE;
  const game = { eventId, gameId: `${eventId}-1`, leagueAbbreviation: league, homeTeam: home, awayTeam: away };
  const found = stateAt(timeline, now - start);
  if (found === undefined) {
    const state = { score: timeline[0]!.score, period: null, elapsed: null, status: fixture.before };
    return { ...game, ...state, live: false, ended: false, updatedAt: isoTime(since) };
  }
  const { atMs, ...state } = found;
  const ended = found === timeline.at(-1);
  const updatedAt = isoTime(start + atMs);
  return { ...game, ...state, live: !ended, ended, updatedAt, ...(ended && { finishedTimestamp: updatedAt }) };
}

/** The last state reached; undefined before the first. */
function stateAt(timeline: Timeline, elapsedMs: number): Timeline[number] | undefined {
  return timeline.findLast(({ atMs }) => atMs <= elapsedMs);
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
