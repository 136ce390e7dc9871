import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';

/** A service in a process of its own. */
export interface Service {
  url: string;
  /** Ends it: at once, or in good order by SIGTERM, after which its folder can be copied. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** By the name of a script of npm, the service knows that it ends when whoever has started it is gone. */
const OWN = { SLIPWAY_PORT: '0', SLIPWAY_RPC_PORT: '0', SLIPWAY_SANDBOX: '1', npm_lifecycle_event: 'testing' };

/** The program of the package `slipway`. */
export function slipwayProgram(): string {
  const { resolve } = createRequire(import.meta.url);
  return join(dirname(resolve('slipway/package.json')), 'server', 'bin', 'slipway.mjs');
}

/** Starts a sandbox on a folder, which goes with this process. Resolves when it is ready; rejects with what it has said, where it ends before. */
export async function startService(folder: string, env: Readonly<Record<string, string>>): Promise<Service> {
  const child = spawn(process.execPath, [slipwayProgram(), 'serve', '--quiet'], {
    cwd: folder,
    env: { ...inherited(), ...OWN, ...env, SLIPWAY_DATA_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const abandon = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', abandon);
  child.once('exit', () => process.off('exit', abandon));
  const url = await readyUrl(child);
  // A test that forgets to close it ends all the same.
  child.unref();
  for (const stream of [child.stdout, child.stderr]) {
    // What it says from now on is kept by nobody.
    stream.removeAllListeners('data').resume();
    (stream as Readable & { unref(): void }).unref();
  }
  return {
    url,
    async end(signal = 'SIGKILL') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    },
  };
}

async function readyUrl(child: Child): Promise<string> {
  let said = '';
  let complained = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  child.stderr.on('data', (chunk) => {
    complained += chunk;
  });
  const ended = once(child, 'close');
  for (;;) {
    const url = /is ready after[\s\S]*?\bAPI +(http:\S+)/.exec(said)?.[1];
    if (url !== undefined) return url;
    if (child.exitCode !== null || child.signalCode !== null) {
      await ended;
      throw new Error(`Slipway did not start: ${complained.replace(/^slipway: /, '').trim() || 'it said nothing'}`);
    }
    await Promise.race([once(child.stdout, 'data'), ended]);
  }
}

/** The environment without what configures a service: a test has its own. */
function inherited(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('SLIPWAY_') && name !== 'DATABASE_URL' && name !== 'NODE_ENV',
  );
  return Object.fromEntries(others);
}
