import { readdir } from 'node:fs/promises';
import type pg from 'pg';
import type { Config } from '../config/index.js';
import { ProvenClient } from '../store/postgres/client.js';
import { connectionConfig } from '../store/postgres/pool.js';
import type { Check } from './doctor-check.js';
import type { Answer } from './service.js';

const MIGRATIONS = new URL('../../src/store/migrations/', import.meta.url);
const UNDEFINED_TABLE = '42P01';

/** Whether the database can be reached and has the schema of this version. Applies nothing. */
export async function checkDatabase({ store, dataDir }: Config, service: Answer | undefined): Promise<Check> {
  const name = 'database';
  if (store.kind === 'embedded') {
    // Only one process may open it, so a running service speaks for it.
    const detail = service === undefined ? 'opened by the service' : 'held by the service';
    return { name, ok: true, detail: `embedded, in ${dataDir}: ${detail}` };
  }
  const { host, pathname } = new URL(store.url);
  const where = `${host}${pathname}`;
  const client = new ProvenClient(connectionConfig(store.url, false));
  // If the connection breaks later, the statement that it breaks reports that.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await checkMigrations(name, where, client);
  } catch (error) {
    const { code, message } = error as { code?: string; message?: string };
    const detail = `${where} cannot be used: ${message || code || 'no reason given'}`;
    return { name, ok: false, detail, next: 'check DATABASE_URL and whether PostgreSQL runs there' };
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function checkMigrations(name: string, where: string, client: pg.Client): Promise<Check> {
  const known = (await readdir(MIGRATIONS)).filter((file) => file.endsWith('.sql'));
  const applied = await appliedMigrations(client);
  const unknown = applied.filter((migration) => !known.includes(migration));
  if (unknown.length > 0) {
    const detail = `${where} has migrations that this version does not know: ${unknown.join(', ')}`;
    return { name, ok: false, detail, next: 'run the version that applied them, or a later one' };
  }
  const missing = known.length - applied.length;
  if (missing === 0) return { name, ok: true, detail: `${where} is reachable and has the current schema` };
  return { name, ok: true, detail: `${where} is reachable; the next start applies ${missing} migrations` };
}

async function appliedMigrations(client: pg.Client): Promise<string[]> {
  try {
    const { rows } = await client.query<{ name: string }>('select name from migrations');
    return rows.map((row) => row.name);
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return [];
    throw error;
  }
}
