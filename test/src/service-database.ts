import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestPostgres } from './postgres.js';

/** URLs of the databases that services of this process have on the run's server, by their data folders. */
const urls = new Map<string, string>();
let server: Promise<TestPostgres> | undefined;

const postgres = (): Promise<TestPostgres> => {
  // Loading it takes longer than asking it, and most tests that run alone need none.
  server ??= import('./postgres.js').then(({ usePostgres }) => usePostgres());
  return server;
};

/**
 * What the service in this folder, and a command that works in it, are told of their database; nothing where it is the embedded one.
 */
export function databaseSettings(folder: string): Record<string, string> {
  const url = urls.get(folder);
  return url === undefined ? {} : { DATABASE_URL: url };
}

/**
 * Gives the service in this folder a database on the server of a run of many files, unless it has an embedded one already: to start
 * that takes three times as much of the processor as all else of a start.
 */
export async function giveDatabase(folder: string): Promise<void> {
  if (process.env.TEST_POSTGRES_TEMPLATE === undefined) return;
  if (urls.has(folder) || existsSync(join(folder, 'database'))) return;
  const { template, createDatabase } = await postgres();
  urls.set(folder, await createDatabase(template));
}

export async function dropDatabase(folder: string): Promise<void> {
  const url = urls.get(folder);
  if (url === undefined) return;
  urls.delete(folder);
  await (await postgres()).dropDatabase(url);
}
