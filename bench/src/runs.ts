import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RESULTS = fileURLToPath(new URL('../results/', import.meta.url));

/** What the figures of a run depend on. */
export interface Machine {
  node: string;
  cpu: string;
  /** The load of the last minute, before anything was measured. */
  loadBefore: number;
  /** Of the sources; with a + if they were changed since. */
  commit: string;
  at: string;
}

/** A run as it was kept: its machine, and by the name of each measurement its summary. */
export type Run = { machine: Machine } & Record<string, unknown>;

export function thisMachine(): Machine {
  const [cpu] = cpus();
  return {
    node: process.version,
    cpu: `${cpus().length} x ${cpu?.model ?? 'unknown'}`,
    loadBefore: loadavg()[0]!,
    commit: commit(),
    at: new Date().toISOString(),
  };
}

export function keepRun(name: string, run: Run): void {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, `${name}.json`), `${JSON.stringify(run, undefined, 2)}\n`);
}

/** Beside the runs. */
export function keepChart(name: string, svg: string): void {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, `${name}.svg`), svg);
}

/** A run by its name or by the path of its file. Throws an Error with one line if there is none. */
export function readRun(name: string): Run {
  const path = existsSync(name) ? name : join(RESULTS, `${name}.json`);
  if (!existsSync(path)) throw new Error(`no run is called ${name}: "--keep ${name}" keeps one`);
  return JSON.parse(readFileSync(path, 'utf8'));
}

function commit(): string {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: new URL('..', import.meta.url), encoding: 'utf8' });
  const head = git('rev-parse', '--short', 'HEAD');
  if (head.status !== 0) return 'unknown';
  return `${head.stdout.trim()}${git('status', '--porcelain').stdout === '' ? '' : '+'}`;
}
