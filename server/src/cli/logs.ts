import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { LogsPage } from '../areas/admin/index.js';
import { LEVELS } from '../lib/log-line.js';
import { adminAt, NoAdminApi } from './admin-client.js';
import { type CommandContext, CommandError, UsageError } from './context.js';
import { logText } from './log-text.js';
import { example, URL_OPTION } from './program.js';
import { adminUrl, Failing, NoAdminToken, requestJson, Unreachable } from './service.js';
import { say, untilStopped } from './until-stopped.js';

const PAGE = 1_000;
/** What tells that a service is about to come back, not that something is wrong. */
const AWAY = [Unreachable, Failing, NoAdminToken];
/** The service keeps no more. */
const MOST_LINES = 2_000;
const EVERY_MS = 1_000;
const NONE = 'there are no such lines yet';
const WHERE_ELSE =
  'The log of a service that has ended, or that has no admin API, is where it runs: in its terminal, in "journalctl --unit slipway", or in "docker logs"';

interface Options {
  follow?: true;
  level?: string;
  request?: string;
  lines: string;
  url?: string;
}

/** `slipway logs` */
export function logsCommand(program: Command, context: CommandContext): void {
  program
    .command('logs')
    .description('Print the last lines that the service has logged; with --follow, also those to come, until Ctrl-C')
    .option('-f, --follow', 'Go on with each new line, also after a restart of the service')
    .option('--level <LEVEL>', `Only lines of this level or a graver one: ${Object.keys(LEVELS).join(', ')}`)
    .option('--request <ID>', 'Only lines about this request: the id in x-api-gateway-request-id of its answer')
    .option('--lines <COUNT>', `How many of the last lines, up to ${MOST_LINES}, which are kept`, '100')
    .option(...URL_OPTION)
    .addHelpText(
      'after',
      example('slipway logs --level warn', 'slipway logs --follow', 'slipway logs --request 3k9f2ab71x-4d --json'),
    )
    .action(async (options: Options) => {
      const path = pathOf(options);
      const base = adminUrl(context, options.url);
      await untilStopped((signal) => printLog(context, base, { ...options, path, signal }));
    });
}

/** The path of the pages, without the number after which one begins. */
function pathOf({ level, request, lines }: Options): string {
  if (level !== undefined && !Object.hasOwn(LEVELS, level))
    throw new UsageError(`--level must be one of ${Object.keys(LEVELS).join(', ')}`);
  if (!/^\d{1,4}$/.test(lines) || Number(lines) > MOST_LINES)
    throw new UsageError(`--lines must be a number, and at most ${MOST_LINES}`);
  if (request !== undefined && !/^[!-~]{1,100}$/.test(request))
    throw new UsageError('--request must be the id of a request');
  const filter = { ...(level && { level }), ...(request && { requestId: request }) };
  return `/logs?${new URLSearchParams({ limit: String(PAGE), ...filter })}`;
}

interface Printing extends Options {
  path: string;
  signal: AbortSignal;
}

async function printLog(context: CommandContext, base: string, printing: Printing): Promise<void> {
  const { lines, follow, signal } = printing;
  try {
    const log = await openOwnLog(context, base, printing);
    const last: Line[] = [];
    for await (const line of log.toEnd()) last.push(line);
    for (const line of last.slice(Math.max(0, last.length - Number(lines)))) print(context, line);
    if (last.length === 0) say(context, { message: NONE }, `slipway: ${NONE}`);
    while (follow && !signal.aborted) {
      await sleep(EVERY_MS, undefined, { signal });
      for await (const line of log.more()) print(context, line);
    }
  } catch (error) {
    // What was under way when Ctrl-C came.
    if (!signal.aborted)
      throw error instanceof NoAdminApi ? new CommandError(`${error.message}. ${WHERE_ELSE}`) : error;
  }
}

type Line = LogsPage['lines'][number];

function print(context: CommandContext, line: Line): void {
  context.stdout(context.json ? JSON.stringify(line) : logText(line));
}

/** The log of the copy that answers at `base`, and of those that take its place. */
async function openOwnLog(context: CommandContext, base: string, { path, signal }: Printing) {
  // First, because without a service there may be no token either.
  await requestJson(`${base}/livez`, { signal }).catch((error) => {
    throw error instanceof Unreachable ? new CommandError(`${error.message}. ${WHERE_ELSE}`) : error;
  });
  return new OwnLog(context, base, async (after) => {
    // A sandbox that has begun anew has another token.
    const admin = await adminAt(context, base);
    return admin.request<LogsPage>('GET', `${path}&after=${after}`, undefined, signal);
  });
}

/** Reads page by page. It knows when another process answers than before, and whether that is a new one or one of several. */
class OwnLog {
  readonly #context: CommandContext;
  readonly #base: string;
  readonly #ask: (after: number) => Promise<LogsPage>;
  readonly #ended = new Set<string>();
  #before: LogsPage | undefined;
  #isAway = false;

  constructor(context: CommandContext, base: string, ask: (after: number) => Promise<LogsPage>) {
    this.#context = context;
    this.#base = base;
    this.#ask = ask;
  }

  /** All lines from where it was read to, up to the last. */
  async *toEnd(): AsyncGenerator<Line> {
    for (;;) {
      const page = await this.#ask(this.#before?.last ?? 0);
      if (!this.#isOf(page)) {
        this.#turnTo(page);
        continue;
      }
      this.#missed(page);
      this.#before = page;
      yield* page.lines;
      if (page.last >= page.newest) return;
    }
  }

  /** The same, and no lines while the service is away. */
  async *more(): AsyncGenerator<Line> {
    try {
      yield* this.toEnd();
      this.#isAway = false;
    } catch (error) {
      if (!AWAY.some((kind) => error instanceof kind)) throw error;
      if (!this.#isAway) this.#say('the service does not answer: waiting until it does; Ctrl-C ends this');
      this.#isAway = true;
    }
  }

  #isOf(page: LogsPage): boolean {
    if (this.#before !== undefined) return runOf(page) === runOf(this.#before);
    this.#sayWhose(page, 'the log of');
    return true;
  }

  /** Another process: one that began after the last answer has taken the place; of others, there are several. */
  #turnTo(page: LogsPage): void {
    const before = this.#before!;
    if (this.#ended.has(runOf(page)) || page.startedAt < before.at)
      throw new CommandError(
        `several copies of the service answer at ${this.#base}, and each has its own log: ${before.copy} and ${page.copy} do. Say by --url where one of them listens`,
      );
    this.#ended.add(runOf(before));
    this.#sayWhose(page, 'the service has started again, and its lines begin with 1; the log of');
    this.#before = { ...page, last: 0 };
  }

  #missed({ oldest }: LogsPage): void {
    const from = (this.#before?.last ?? oldest - 1) + 1;
    if (from > 1 && oldest > from) this.#say(`${oldest - from} lines came faster than they were read, and are gone`);
  }

  #sayWhose({ copy, startedAt, oldest, newest }: LogsPage, what: string): void {
    const text = `${what} ${copy}, which runs since ${startedAt}`;
    say(this.#context, { log: { copy, startedAt, oldest, newest }, message: text }, text);
  }

  #say(message: string): void {
    say(this.#context, { message }, `slipway: ${message}`);
  }
}

const runOf = ({ copy, startedAt }: LogsPage): string => `${copy} ${startedAt}`;
