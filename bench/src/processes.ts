import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Everything that a run has started and made; `close` ends and removes it, the last first. */
export interface Rig {
  add(close: () => unknown): void;
  /** A new folder, removed at the end. */
  folder(): string;
  close(): Promise<void>;
}

export function createRig(): Rig {
  const closing: (() => unknown)[] = [];
  let closed = false;
  const add = (close: () => unknown): void => {
    // What was just being started when a signal came must not outlive the run.
    if (closed) void close();
    else closing.push(close);
  };
  return {
    add,
    folder() {
      const path = mkdtempSync(join(tmpdir(), 'slipway-bench-'));
      add(() => rmSync(path, { recursive: true, force: true }));
      return path;
    },
    async close() {
      closed = true;
      for (let close = closing.pop(); close; close = closing.pop()) await close();
    },
  };
}

export interface Program {
  /** What it has printed until it was ready. */
  output: string;
  /** Asks it to end, and waits until it is gone. */
  stop(): Promise<void>;
}

/**
 * Runs a compiled program of this repository, `file` relative to its root, and waits until what it prints matches
 * `ready`. None of the caller's settings of the service reach it.
 */
export async function startProgram(
  rig: Rig,
  program: { file: string; args?: string[]; env?: Record<string, string>; ready: RegExp },
): Promise<Program> {
  const { file, args = [], env = {}, ready } = program;
  const path = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  rig.add(() => end(child));
  let output = '';
  let complaints = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    complaints = `${complaints}${chunk}`.slice(-2_000);
  });
  while (!ready.test(output)) {
    if (hasEnded(child)) throw new Error(`${file} ended before it was ready: ${complaints}`);
    await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
  }
  return { output, stop: () => end(child) };
}

function cleanEnvironment(): Record<string, string | undefined> {
  const foreign = ([name]: [string, unknown]) =>
    !name.startsWith('SLIPWAY_') && name !== 'DATABASE_URL' && name !== 'NODE_ENV';
  return Object.fromEntries(Object.entries(process.env).filter(foreign));
}

/** How long a program may take to end before it is killed. */
const PATIENCE_MS = 10_000;

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const overdue = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  await gone;
  clearTimeout(overdue);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
