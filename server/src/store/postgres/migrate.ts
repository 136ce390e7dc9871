import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Store, Tx } from '../sql.js';

interface Migration {
  name: string;
  text: string;
  sha256: string;
}

// SQL is not compiled: it is read from the sources, which the package contains beside the compiled code.
const DIRECTORY = new URL('../../../src/store/migrations/', import.meta.url);

/** Any number that no other advisory lock in the database uses. */
const LOCK = 6_175_429_301;

/**
 * Migrates the database to the current schema, all or nothing. Instances that start at the same time take turns.
 * @throws if an applied migration has changed since or is unknown here
 */
export async function runMigrations(store: Pick<Store, 'transaction'>, directory: URL = DIRECTORY): Promise<void> {
  const migrations = await readMigrations(directory);
  await store.transaction(async (tx) => {
    await tx.query('set local statement_timeout = 0');
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
    await tx.query('create table if not exists migrations (name text primary key, sha256 text not null)');
    const { rows } = await tx.query<{ name: string; sha256: string }>('select name, sha256 from migrations');
    const applied = new Map(rows.map((row) => [row.name, row.sha256]));
    checkApplied(applied, migrations);
    for (const migration of migrations) if (!applied.has(migration.name)) await apply(tx, migration);
  });
}

/** Identifies this version's migrations and their contents: the first 16 hex digits of a hash. */
export async function migrationsDigest(): Promise<string> {
  const hash = createHash('sha256');
  for (const { name, sha256 } of await readMigrations(DIRECTORY)) hash.update(`${name} ${sha256}\n`);
  return hash.digest('hex').slice(0, 16);
}

async function readMigrations(directory: URL): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = (await readFile(new URL(name, directory), 'utf8')).replaceAll('\r\n', '\n');
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

function checkApplied(applied: ReadonlyMap<string, string>, migrations: readonly Migration[]): void {
  for (const [name, sha256] of applied) {
    const migration = migrations.find((known) => known.name === name);
    if (!migration) throw new Error(`the database has the migration ${name}, which this version does not know`);
    if (migration.sha256 !== sha256) throw new Error(`the migration ${name} has changed since it was applied`);
  }
}

async function apply(tx: Tx, migration: Migration): Promise<void> {
  await tx.query(migration.text);
  await tx.query('insert into migrations (name, sha256) values ($1, $2)', [migration.name, migration.sha256]);
}
