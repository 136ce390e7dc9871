import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { followParent, lockFolder } from '@slipway/localnet';
import type { Logger } from 'pino';
import type { App } from './app/app.js';
import { begin } from './app/begin.js';
import { type Config, ConfigError, dataFolder, describeConfig, loadConfig } from './config/index.js';
import { steadyNow } from './lib/clock.js';
import { RecentLines } from './lib/recent-lines.js';

const USAGE = `Usage: npm start -- [--reset] [--quiet]   or   slipway serve [--reset] [--quiet]

  --reset   delete the sandbox's state (chain, database, keys) first
  --quiet   print no line for each request of a sandbox
  --help    show this

Everything else is set by environment variables and slipway.config.json: see docs/configuration.md`;

/** How long everything may take to end after a signal: requests under way 20 s of it, and supervisors wait for half a minute. */
const CLOSE_TIMEOUT_MS = 27_000;
/** npm forwards a Ctrl-C that the terminal has sent to the service as well: two signals this close together are one. */
const ECHO_MS = 500;
const DEFAULT_URL = 'http://127.0.0.1:8080';

/** In a clone by `npm start`, where the examples are, or by the command line. */
export type StartedBy = 'npm' | 'slipway';

/**
 * Runs the service until a signal ends it. A fault that the operator must fix prints one line to standard error and
 * exits with code 1; wrong usage exits with code 2.
 */
export async function runService(argv: readonly string[], startedBy: StartedBy): Promise<void> {
  const options = readOptions(argv);
  if (!options) return;
  let log: Logger | undefined;
  let config: Config | undefined;
  try {
    config = loadConfig(process.env, { cwd: process.cwd() });
    if (options.reset) reset(config);
    const begun = begin(config);
    const [{ createApp }, { openLog, requestPrinter }] = await Promise.all([
      import('./app/app.js'),
      import('./app/log.js'),
    ]);
    const recent = new RecentLines();
    log = openLog(config.logLevel, recent);
    const print = config.sandbox && !options.quiet ? requestPrinter(recent) : undefined;
    const app = await createApp({ config, begun, log, recent, print });
    const ended = runUntilEnd(app, log);
    log.info({ config: describeConfig(config) }, 'started');
    process.stdout.write(`${welcome(app, config, startedBy)}\n`);
    // On a machine with much memory, V8 would let each heap grow to four times what is alive before it collects. Only now: a
    // start is over sooner with fewer collections.
    setFlagsFromString('--heap-growing-percent=100');
    await ended;
  } catch (error) {
    log?.debug({ err: error }, 'cannot start');
    process.stderr.write(`slipway: ${explainStart(error, config)}\n`);
    process.exitCode = 1;
  }
}

function readOptions(argv: readonly string[]): { reset: boolean; quiet: boolean } | undefined {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        reset: { type: 'boolean', default: false },
        quiet: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (!values.help) return values;
    process.stdout.write(`${USAGE}\n`);
  } catch (error) {
    process.stderr.write(`slipway: ${(error as Error).message.split('. ')[0]}\n\n${USAGE}\n`);
    process.exitCode = 2;
  }
  return undefined;
}

/** Deletes only what the service itself has created there. */
function reset(config: Config): void {
  if (!config.sandbox) throw new Error('--reset works in a sandbox only');
  if (config.store.kind === 'postgres') {
    throw new Error(
      '--reset does not touch the database that DATABASE_URL names; empty it yourself, then start without --reset',
    );
  }
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const unlock = lockFolder(config.dataDir);
  try {
    const { production, signer, signerPassphrase, ...others } = dataFolder(config);
    if (existsSync(production)) {
      throw new Error(
        `--reset deletes nothing in ${config.dataDir}: production has run there, with its keys; set SLIPWAY_DATA_DIR to another folder`,
      );
    }
    const paths = Object.values(others);
    // A signer file elsewhere stays, and could never be opened again without its passphrase.
    if (config.signer.kind === 'file' && config.signer.file === signer) paths.push(signer, signerPassphrase);
    for (const path of paths) rmSync(path, { recursive: true, force: true });
  } finally {
    unlock();
  }
}

async function runUntilEnd(app: App, log: Logger): Promise<void> {
  const reason = await new Promise<string>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(signal));
    followParent(process.env, () => resolve(PARENT_GONE));
    void app.died.then((error) => resolve(`the embedded chain has died: ${error.message}`));
  });
  const requested = reason.startsWith('SIG') || reason === PARENT_GONE;
  log[requested ? 'info' : 'fatal']({ reason }, 'closing');
  // A second signal ends the process at once.
  const since = steadyNow();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => steadyNow() - since > ECHO_MS && process.exit(1));
  }
  const overdue = setTimeout(() => {
    log.error('did not close in time');
    process.exit(1);
  }, CLOSE_TIMEOUT_MS);
  await app.close();
  // Nothing else holds up the end of the process now, or should.
  overdue.unref();
  if (!requested) process.exitCode = 1;
}

const PARENT_GONE = 'npm has ended';

function explainStart(error: unknown, config: Config | undefined): string {
  if (error instanceof ConfigError) return error.message;
  const { code, message, port } = error as { code?: string; message?: string; port?: number };
  const setting = port === config?.http.operationsPort ? 'SLIPWAY_OPERATIONS_PORT' : 'SLIPWAY_PORT';
  if (code === 'EADDRINUSE') return `port ${port} is taken by another program: stop that, or set ${setting}`;
  if (code === 'EACCES' && port !== undefined)
    return `no permission to listen on port ${port}: set ${setting} to one above 1023`;
  return String(message ?? error).split('\n')[0]!;
}

function welcome(app: App, config: Config, startedBy: StartedBy): string {
  // The time that the start script spent on installing and building does not count.
  const begin = performance.getEntriesByName('prepared')[0]?.startTime ?? 0;
  const seconds = ((performance.now() - begin) / 1_000).toFixed(1);
  if (!app.sandbox) return `Slipway is ready after ${seconds} s: ${app.url} (documentation: ${app.url}/docs)`;
  const { sandboxKey = '' } = app;
  const { wallets, forkHost } = app.sandbox;
  const { kind, url, inPage, inShell, reached } = config.publicSandbox ? publicPlace(app, config) : ownPlace(app);
  const elsewhere = `${url === DEFAULT_URL ? '' : `SLIPWAY_URL=${url} `}${inShell}`;
  const [first] = wallets;
  const craft = `${url}/tokens/v2/verify/express/craft-txn?senderAddress=${first?.address}`;
  return [
    `Slipway is ready after ${seconds} s, as a ${kind}${forkHost ? ` forked from ${forkHost}` : ''}`,
    '',
    ...(app.hasConsole ? [`  Console        ${url}/${inPage}   (open it first)`] : []),
    `  API            ${url}   (x-api-key: ${sandboxKey})`,
    `  Documentation  ${url}/docs`,
    ...reached,
    `  State          ${relative(process.cwd(), config.dataDir) || '.'}   (${startedBy === 'npm' ? 'npm start --' : 'npx slipway serve'} --reset starts over)`,
    '',
    `  Funded wallets: ${wallets.map(({ name }) => name).join(', ')}. Their keys: ${url}/sandbox/info`,
    ...wallets.map(({ name, address }) => `    ${name.padEnd(8)} ${address}`),
    '',
    `  Try:  curl -H 'x-api-key: ${sandboxKey}' '${craft}'`,
    startedBy === 'npm'
      ? `  See a payment go through:  ${elsewhere}npm run example:express`
      : `  What a swap gives:  ${elsewhere}npx slipway quote 1 SOL USDC`,
  ].join('\n');
}

/** How a sandbox is reached, and what has its key. */
interface Reached {
  kind: string;
  url: string;
  /** The end of the console's address. */
  inPage: string;
  /** Before a command. */
  inShell: string;
  reached: string[];
}

function ownPlace({ url, rpcUrl, wsUrl }: App): Reached {
  const chain = `  Chain          ${rpcUrl}${wsUrl ? `   WebSocket ${wsUrl}` : ''}`;
  return { kind: 'sandbox', url, inPage: '', inShell: '', reached: [chain] };
}

function publicPlace({ url, publicUrl, sandboxKey }: App, { http }: Config): Reached {
  const isNamed = !http.publicUrl.startsWith('http://localhost:');
  return {
    kind: 'public sandbox',
    url: publicUrl,
    inPage: `#key=${sandboxKey}`,
    inShell: `SLIPWAY_API_KEY=${sandboxKey} `,
    reached: [
      `  Listens on     ${url}   (everybody who reaches it and has the key may use it; the chain, too, as /sandbox/info says)`,
      ...(isNamed ? [] : ['                 (set SLIPWAY_PUBLIC_URL to the address by which other machines reach it)']),
    ],
  };
}
