import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inheritedEnvironment, SERVICE } from './command.js';
import { databaseSettings, dropDatabase, giveDatabase } from './service-database.js';

/** The product, run as a user runs it: its own process, its own folder, any free ports. */
export interface Service {
  url: string;
  rpcUrl: string;
  wsUrl: string;
  dataDir: string;
  /** Everything that it has written to standard error: its log. */
  log(): string;
  /** What it printed when it was ready. */
  welcome: string;
  /** Ends it like the kernel does, and waits until it is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Ends it if it still runs, and removes its folder. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  env?: Record<string, string>;
  /** Of an earlier run, to go on with its state. */
  dataDir?: string;
  args?: string[];
  /** Number of the Unix user, and of the group, that it runs as. */
  user?: number | undefined;
  /** What to run, if not what `npm start` does. */
  program?: string;
  /** Where it is about the database that a laptop has: else one with no `DATABASE_URL` has one on the server of the run. */
  database?: 'embedded';
}

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const { env = {}, dataDir, args = [], user, program = SERVICE, database } = options;
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'slipway-test-'));
  if (database === undefined && env.DATABASE_URL === undefined) await giveDatabase(folder);
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: {
      ...inheritedEnvironment(),
      SLIPWAY_PORT: '0',
      SLIPWAY_RPC_PORT: '0',
      SLIPWAY_DATA_DIR: folder,
      ...databaseSettings(folder),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(user !== undefined && { uid: user, gid: user }),
  });
  let output = '';
  let log = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  try {
    await ready(
      child,
      () => output,
      () => log,
    );
  } catch (error) {
    if (dataDir === undefined) {
      rmSync(folder, { recursive: true, force: true });
      await dropDatabase(folder);
    }
    throw error;
  }
  child.once('exit', (code, signal) => {
    if (child.killed) return;
    const said = log.split('\n').filter((line) => !line.startsWith('{'));
    console.error(`The service ended by itself: ${code ?? signal}\n${said.slice(-40).join('\n')}`);
  });
  const find = (pattern: RegExp) => pattern.exec(output)?.[0] ?? '';
  return {
    url: find(/http:\/\/(?:127\.0\.0\.1|localhost):\d+/).replace('localhost', '127.0.0.1'),
    rpcUrl: /Chain\s+(http\S+)/.exec(output)?.[1] ?? env.SLIPWAY_RPC_URL ?? '',
    wsUrl: find(/ws:\/\/127\.0\.0\.1:\d+/),
    dataDir: folder,
    log: () => log,
    welcome: output,
    kill: (signal = 'SIGKILL') => end(child, signal),
    async close() {
      // What is killed does not write down what it has executed, where a test run wants to know that.
      await end(child, process.env.NODE_V8_COVERAGE === undefined ? 'SIGKILL' : 'SIGTERM');
      rmSync(folder, { recursive: true, force: true });
      await dropDatabase(folder);
    },
  };
}

async function ready(child: ChildProcess, output: () => string, log: () => string): Promise<void> {
  while (!/is ready after[\s\S]*\n/.test(output())) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the service ended at its start: ${log()}`);
    await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')]);
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** A stream has no end: that it has begun is its answer. */
async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  await response.body?.cancel();
  return '';
}

/** One request with the sandbox's key; `headers` may replace it, an undefined one is left out. */
export async function request<T = Record<string, unknown>>(
  url: string,
  options: {
    method?: string;
    body?: unknown;
    raw?: string | Uint8Array;
    headers?: Record<string, string | undefined>;
  } = {},
): Promise<Answer<T>> {
  const { body, raw } = options;
  const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const wanted = {
    'x-api-key': 'sandbox',
    ...(sent !== undefined && { 'content-type': 'application/json' }),
    ...options.headers,
  };
  const headers = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  const asked = {
    method: options.method ?? (sent === undefined ? 'GET' : 'POST'),
    headers,
    ...(sent !== undefined && { body: sent }),
  };
  const response = await fetch(url, asked).catch((error: Error) => {
    // A connection that was idle for as long as the service keeps one: this process has stood still, and was not told in time.
    const { cause } = error as { cause?: { message: string; socket?: { bytesRead: number } } };
    if (cause?.message === 'other side closed' && (cause.socket?.bytesRead ?? 0) > 0) return fetch(url, asked);
    throw error;
  });
  const text = await textOf(response);
  let parsed: unknown = text;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Not every answer is JSON.
  }
  return { status: response.status, headers: response.headers, body: parsed as T };
}

/** Starts what wants to be told its port, again where somebody has taken the port, or the one after, in the meantime. */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (tries === PORT_TRIES || !/already in use|is taken by/.test(String(error))) throw error;
    }
  }
}
const PORT_TRIES = 10;

/** Starts it where it can start again: nobody else comes to listen there while it is away. */
export function startOnOwnPort(options: ServiceOptions = {}): Promise<Service> {
  return onFreePort((port) => startService({ ...options, env: { ...options.env, SLIPWAY_PORT: String(port) } }));
}

/** Below those that systems give to whoever asks for any, and to connections: one of these would not stay free. */
const PORTS = { first: 20_000, count: 12_000 };

async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
