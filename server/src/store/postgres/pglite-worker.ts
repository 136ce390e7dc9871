// The thread that PGlite runs in: its queries block the event loop, so it must not share a thread with timers or
// sockets.
// It receives and answers with bytes of the PostgreSQL protocol.
import { setFlagsFromString } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { copyTemplate, exists } from './database-template.js';

// As V8 would have it, a third of the processor time of a service's start goes into optimizing what runs at the start
// only. The budget is taken up by bytes of code that loops run through: with the largest that there is, the long functions of
// PostgreSQL, each of which takes a tenth of a second, wait until a service has worked for a while.
setFlagsFromString('--wasm-tiering-budget=2147483647');
// Each function is checked when it is first called, as it is compiled: most of PostgreSQL's never are.
setFlagsFromString('--wasm-lazy-validation');

/** Of the usual 128 MB, a sandbox would keep all: the system's cache holds the files of the database anyway. */
const SHARED_BUFFERS = '16MB';
/** Counting the rows of a table reads 300 times as many of them, and nothing else runs meanwhile. The usual 100 would be slow. */
const STATISTICS = 10;

const port = parentPort!;
const { dir } = workerData as { dir: string };

const opening = open();
let turn: Promise<unknown> = opening;
// From the beginning: a thread that listens to nothing waits, wherever its event loop runs dry, until V8 has done all that
// it compiles beside any thread of the process. That was 0.1 s of each start.
port.on('message', (request: Uint8Array | 'close') => {
  turn = turn.then(async () => answer(await opening, request));
});
await opening;
port.postMessage('ready');

async function open(): Promise<PGlite> {
  await copyTemplate(dir);
  const isNew = !(await exists(dir));
  const settings = [`shared_buffers=${SHARED_BUFFERS}`, `default_statistics_target=${STATISTICS}`];
  const startParams = [...PGlite.defaultStartParams, ...settings.flatMap((setting) => ['-c', setting])];
  const database = await PGlite.create({ dataDir: dir, startParams }).catch((error: unknown) => {
    // What its file system throws has no message.
    const told = error instanceof Error && error.message !== '';
    throw told ? error : new Error(`${dir} cannot be opened as a folder with a database`, { cause: error });
  });
  if (isNew) await dropTemplates(database);
  return database;
}

/** What PostgreSQL makes other databases from. There are none here, and half of the files of this one are theirs. */
async function dropTemplates(database: PGlite): Promise<void> {
  for (const name of ['template1', 'template0']) {
    await database.exec(`update pg_database set datistemplate = false where datname = '${name}'`);
    await database.exec(`drop database if exists ${name}`);
  }
}

async function answer(database: PGlite, request: Uint8Array | 'close'): Promise<void> {
  if (request === 'close') {
    await database.close();
    port.close();
    return;
  }
  const response = await run(database, request);
  port.postMessage(response, [response.buffer]);
}

/** What `execProtocolRaw` answers; but that also reads every message, and keeps all of them for good. */
async function run(database: PGlite, request: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  // What it is given lies in the database's memory, where the next part overwrites it.
  await database.execProtocolRawStream(request, { onRawData: (part) => void parts.push(part.slice()) });
  const response = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let length = 0;
  for (const part of parts) {
    response.set(part, length);
    length += part.length;
  }
  return response;
}
