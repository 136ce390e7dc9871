import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../server/dist/main.js', import.meta.url));

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
  /** Kills it if it still runs, and removes its folder. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  env?: Record<string, string>;
  /** Of an earlier run, to go on with its state. */
  dataDir?: string;
  args?: string[];
}

/** The environment of this process without the variables that would configure the service. */
function cleanEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name, value]) => {
    return value !== undefined && !name.startsWith('SLIPWAY_') && name !== 'DATABASE_URL' && name !== 'NODE_ENV';
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

export async function startService({ env = {}, dataDir, args = [] }: ServiceOptions = {}): Promise<Service> {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'slipway-test-'));
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: { ...cleanEnvironment(), SLIPWAY_PORT: '0', SLIPWAY_RPC_PORT: '0', SLIPWAY_DATA_DIR: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let log = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  await ready(
    child,
    () => output,
    () => log,
  );
  const find = (pattern: RegExp) => pattern.exec(output)?.[0] ?? '';
  return {
    url: find(/http:\/\/127\.0\.0\.1:\d+/),
    rpcUrl: /Chain\s+(http\S+)/.exec(output)?.[1] ?? env.SLIPWAY_RPC_URL ?? '',
    wsUrl: find(/ws:\/\/127\.0\.0\.1:\d+/),
    dataDir: folder,
    log: () => log,
    welcome: output,
    kill: (signal = 'SIGKILL') => end(child, signal),
    async close() {
      await end(child, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs the service to its end and answers what it said: for starts that must fail. */
export async function runToEnd(
  env: Record<string, string>,
  args: string[] = [],
): Promise<{ code: number | null; error: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-test-'));
  const defaults = { SLIPWAY_PORT: '0', SLIPWAY_RPC_PORT: '0', SLIPWAY_DATA_DIR: folder };
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: { ...cleanEnvironment(), ...defaults, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let error = '';
  child.stderr.on('data', (chunk) => {
    error += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  rmSync(folder, { recursive: true, force: true });
  return { code, error };
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
  const response = await fetch(url, {
    method: options.method ?? (sent === undefined ? 'GET' : 'POST'),
    headers,
    ...(sent !== undefined && { body: sent }),
  });
  const text = await response.text();
  let parsed: unknown = text;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Not every answer is JSON.
  }
  return { status: response.status, headers: response.headers, body: parsed as T };
}
