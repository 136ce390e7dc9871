import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { databaseSettings } from './service-database.js';

/** What users start; a run that counts the lines that are executed starts what was not bundled, whose lines are known. */
const dist = new URL(
  process.env.NODE_V8_COVERAGE ? '../../server/dist/' : '../../server/dist/bundle/',
  import.meta.url,
);
export const SERVICE = fileURLToPath(new URL('start.js', dist));
export const SLIPWAY = fileURLToPath(new URL('../../server/bin/slipway.mjs', import.meta.url));

/** How long a program of a test may live: what never ends is a fault, what is slow is a busy machine. */
const LIMIT_MS = 900_000;

export interface Ended {
  /** Null when it was killed, also because it did not end by itself in time. */
  code: number | null;
  out: string;
  error: string;
}

export interface Program {
  child: ChildProcess;
  /** Resolves when standard output has a match; rejects when the program ends without one. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** What it has written to standard error so far. */
  log(): string;
  ended: Promise<Ended>;
}

export interface Place {
  env?: Record<string, string>;
  cwd: string;
  /** Number of the Unix user, and of the group, that it runs as. */
  user?: number | undefined;
}

/** The environment of this process without the variables that would configure the service. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('SLIPWAY_') && name !== 'DATABASE_URL' && name !== 'NODE_ENV',
  );
  return Object.fromEntries(entries);
}

/** Starts a program of ours, with nothing of the caller's own configuration in its environment. */
export function launch(file: string, args: readonly string[], { env = {}, cwd, user }: Place): Program {
  const child = spawn(process.execPath, [file, ...args], {
    cwd,
    env: { ...inheritedEnvironment(), ...databaseSettings(env.SLIPWAY_DATA_DIR ?? ''), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
    ...(user !== undefined && { uid: user, gid: user }),
  });
  let out = '';
  let error = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    error += chunk;
  });
  let isEnded = false;
  // Not its exit: what it has said last may come after that.
  const ended = once(child, 'close').then(([code]: (number | null)[]) => {
    isEnded = true;
    return { code: code ?? null, out, error };
  });
  const says = async (pattern: RegExp) => {
    for (;;) {
      const match = pattern.exec(out);
      if (match) return match;
      if (isEnded) throw new Error(`it ended: ${error}`);
      await Promise.race([once(child.stdout, 'data'), ended]);
    }
  };
  return { child, says, log: () => error, ended };
}

/** Runs a program of ours to its end. */
export function run(file: string, args: readonly string[], place: Place): Promise<Ended> {
  return launch(file, args, place).ended;
}
