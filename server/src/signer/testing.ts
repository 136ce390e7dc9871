import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** As operators start it: from the bundle, in a third of the processor time. */
const MAIN = fileURLToPath(new URL('../../bin/slipway.mjs', import.meta.url));

/** Tests are about files: with the real derivation, whose cost others test, they would take a minute. */
export const CHEAP = `
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
const { scrypt } = crypto;
crypto.scrypt = (passphrase, salt, length, options, done) => scrypt(passphrase, salt, length, { ...options, N: 2 }, done);
syncBuiltinESMExports();
`;

/**
 * Kills the process right after its KILL_AT-th call to a file of the folder; a write is then half done. What Node itself
 * reads lies elsewhere.
 */
export const KILLER = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { KILL_AT, KILL_IN } = process.env;
const fatal = Number(KILL_AT);
let calls = 0;
const kill = () => { process.kill(process.pid, 'SIGKILL'); for (;;); };
const counted = (owner, name, concerns) => {
  const real = owner[name];
  owner[name] = async function (...args) {
    if (!concerns(this, args)) return real.apply(this, args);
    calls += 1;
    const isLast = calls === fatal;
    if (isLast && name === 'writeFile') {
      await real.call(this, String(args[0]).slice(0, 200));
      kill();
    }
    try {
      return await real.apply(this, args);
    } finally {
      if (isLast) kill();
    }
  };
};
const handle = await fs.promises.open(process.execPath);
const handles = Object.getPrototypeOf(handle);
await handle.close();
const inFolder = (_, [path]) => String(path).startsWith(KILL_IN);
const ours = new WeakSet();
const { open } = fs.promises;
fs.promises.open = async (path, ...rest) => {
  const found = await open(path, ...rest);
  if (String(path).startsWith(KILL_IN)) ours.add(found);
  return found;
};
for (const name of ['open', 'readFile', 'readdir', 'realpath', 'rename', 'stat', 'unlink', 'link']) counted(fs.promises, name, inFolder);
for (const name of ['chown', 'close', 'readFile', 'stat', 'sync', 'writeFile']) counted(handles, name, (self) => ours.has(self));
syncBuiltinESMExports();
`;

/** Gives what is asked in a test's process the time that a busy machine takes: what waits for some seconds waits twenty times as long. */
export const PATIENT = `
const real = globalThis.setTimeout;
const patient = (run, ms, ...more) => real(run, ms >= 1_000 && ms <= 5_000 ? 20 * ms : ms, ...more);
globalThis.setTimeout = Object.defineProperties(patient, Object.getOwnPropertyDescriptors(real));
`;

interface Place {
  folder: string;
  env: Record<string, string>;
  /** What is loaded before. */
  preload?: readonly string[];
}

/** A `slipway signer` that runs. */
export interface Running {
  child: ChildProcess;
  out(): string;
  error(): string;
  /** Its exit code, or null where it was killed. */
  ended: Promise<number | null>;
}

export function startSigner(words: readonly string[], { folder, env, preload = [] }: Place): Running {
  const imports = preload.flatMap((text) => {
    const path = join(folder, `${createHash('sha256').update(text).digest('hex')}.mjs`);
    // Another one may be reading it.
    if (!existsSync(path)) writeFileSync(path, text);
    return ['--import', pathToFileURL(path).href];
  });
  const child = spawn(process.execPath, [...imports, MAIN, 'signer', ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, error] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    error += chunk;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, out: () => out, error: () => error, ended };
}

export async function runSigner(
  words: readonly string[],
  place: Place,
): Promise<{ code: number | null; out: string; error: string }> {
  const { ended, out, error } = startSigner(words, place);
  const code = await ended;
  return { code, out: out(), error: error() };
}

/** Has this process derive as cheaply as those that are started with `CHEAP`. */
export async function deriveCheaply(): Promise<void> {
  await import(`data:text/javascript,${encodeURIComponent(CHEAP)}`);
}
