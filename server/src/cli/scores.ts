import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { steadyNow } from '../lib/clock.js';
import type { EventScore } from '../store/scores.js';
import { type CliContext, type CommandContext, CommandError, UsageError } from './context.js';
import { plain } from './plain.js';
import { example, URL_OPTION } from './program.js';
import { type Answer, apiKeyOf, bodyOf, requestJson, serviceUrl, Unreachable, WrongKey } from './service.js';

const POLL_MS = 2_000;
/** The most ids that the API accepts at a time. */
const MAX_IDS = 100;

/** `slipway scores …` */
export function scoresCommand(program: Command, context: CommandContext): void {
  program
    .command('scores')
    .description('Follow the games behind prediction events')
    .command('watch')
    .description('Print the scores of events, and each change, until Ctrl-C')
    .argument('[EVENT...]', "Event ids (default: the sandbox's simulated games)")
    .option('--for <SECONDS>', 'End after so many seconds; 0 prints once')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway scores watch SIM-1 SIM-2', 'slipway scores watch --for 0'))
    .action((events: string[], options: { for?: string; url?: string }) => watchUntilStopped(context, events, options));
}

async function watchUntilStopped(
  context: CommandContext,
  events: readonly string[],
  options: { for?: string; url?: string },
): Promise<void> {
  const seconds = options.for === undefined ? Number.POSITIVE_INFINITY : secondsOf(options.for);
  const end = steadyNow() + seconds * 1_000;
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  try {
    const api = await createApi(context, serviceUrl(context, options.url), stop.signal);
    const named = [...new Set(events.flatMap((word) => word.split(',')))];
    const eventIds = named.length > 0 ? named : await api.simulatedEvents();
    await watch(context, { ...api, eventIds, end, signal: stop.signal });
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    process.removeListener('SIGINT', interrupt);
  }
}

function secondsOf(text: string): number {
  if (!/^\d{1,8}$/.test(text)) throw new UsageError('--for must be a whole number of seconds');
  return Number(text);
}

interface Watching {
  scoresOf: (eventIds: readonly string[]) => Promise<EventScore[]>;
  eventIds: readonly string[];
  /** Steady time in milliseconds. */
  end: number;
  signal: AbortSignal;
}

/** Keeps printing new scores. If a service that has answered before stops answering, waits for it. */
async function watch(context: CommandContext, { scoresOf, eventIds, end, signal }: Watching): Promise<void> {
  const shown = new Map<string, string>();
  let failing = false;
  for (;;) {
    try {
      const scores = new Map((await scoresOf(eventIds)).map((score) => [score.eventId, score]));
      for (const eventId of eventIds) show(context, eventId, scores.get(eventId), shown);
      failing = false;
    } catch (error) {
      if (shown.size === 0 || signal.aborted || !(error instanceof Passing || error instanceof Unreachable))
        throw error;
      if (!failing) say(context, `${error.message}; trying again`);
      failing = true;
    }
    const left = end - steadyNow();
    if (left <= 0) return;
    await sleep(Math.min(POLL_MS, left), undefined, { signal });
  }
}

function show(
  context: CommandContext,
  eventId: string,
  score: EventScore | undefined,
  shown: Map<string, string>,
): void {
  const now = JSON.stringify(score ?? null);
  if (shown.get(eventId) === now) return;
  shown.set(eventId, now);
  if (context.json) {
    if (score) context.stdout(now);
  } else context.stdout(plain(score ? lineOf(score) : `${eventId}  no score yet`));
}

function lineOf({ eventId, homeTeam, awayTeam, updatedAt, ...score }: EventScore): string {
  const state = score.ended ? 'ended' : score.live ? 'live' : 'not live';
  const game = [homeTeam ?? '?', score.score ?? '-', awayTeam ?? '?'].join(' ');
  const parts = [updatedAt, eventId, state, game, score.period, score.elapsed, score.status];
  return parts.filter((part) => part !== null).join('  ');
}

function say({ json, stderr }: CommandContext, message: string): void {
  stderr(json ? JSON.stringify({ error: message }) : `slipway: ${message}`);
}

/** A temporary refusal by the service. */
class Passing extends CommandError {}

async function createApi(context: CliContext, base: string, signal: AbortSignal) {
  const headers = { 'x-api-key': await apiKeyOf(context) };
  const get = async (path: string): Promise<Answer> => {
    const answer = await requestJson(`${base}${path}`, { headers, signal });
    if (answer.status === 401) throw new WrongKey();
    if (answer.status === 429 || answer.status >= 500) throw new Passing(`the service answers ${answer.status}`);
    return answer;
  };
  return {
    async simulatedEvents(): Promise<string[]> {
      const answer = await get('/sandbox/info');
      if (answer.status === 404) throw new UsageError('name the events: only a sandbox has games of its own');
      return bodyOf<{ gameEventIds: string[] }>(answer).gameEventIds;
    },
    async scoresOf(eventIds: readonly string[]): Promise<EventScore[]> {
      const scores: EventScore[] = [];
      for (let start = 0; start < eventIds.length; start += MAX_IDS) {
        const ids = eventIds.slice(start, start + MAX_IDS).map(encodeURIComponent);
        const answer = await get(`/prediction/v1/events/scores?eventIds=${ids.join(',')}`);
        scores.push(...bodyOf<{ data: EventScore[] }>(answer).data);
      }
      return scores;
    },
  };
}
