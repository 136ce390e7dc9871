import { chmod, lstat, readFile, unlink } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { PrivateFileError, readPrivateFile } from '../private-file.js';
import type { KeyPort } from '../socket/protocol.js';
import { type Caller, type Note, serveCaller } from '../socket/server.js';
import type { CallerSettings, SignerSettings } from './settings.js';

/** Of one caller: more than its copies need. */
const MOST_CONNECTIONS = 64;
/** Until a connection has shown its certificate; whoever can reach the port may hold that many open. */
const HANDSHAKE_MS = 5_000;

export interface Listening {
  /** Where callers with a certificate connect. */
  readonly tlsPort: number | undefined;
  /** Takes no more connections, and ends those that there are. */
  close(): Promise<void>;
}

/** The keys, as the caller of this name has them. */
type PortOf = (caller: string) => KeyPort;

interface Door {
  server: Server;
  /** Those included that have not shown yet whose they are. */
  sockets: Set<Socket>;
}

/** Lets each caller in by its own door. @throws Error when a socket or port is taken */
export async function listenForCallers(
  { callers, tls }: Pick<SignerSettings, 'callers' | 'tls'>,
  portOf: PortOf,
  note: Note,
): Promise<Listening> {
  const doors: Door[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(doors.map(closeDoor));
  };
  try {
    for (const caller of callers) {
      if (caller.socket === undefined) continue;
      const served = openDoor(createServer(), 'connection', () => caller, { portOf, note });
      doors.push(served);
      await listenOnPath(served.server, caller.socket.path, caller.socket.mode);
    }
    if (tls === undefined) return { tlsPort: undefined, close };
    const byName = callers.filter(({ socket }) => socket === undefined);
    const served = await tlsDoor(tls, byName, portOf, note);
    doors.push(served);
    await listen(served.server, { host: tls.host, port: tls.port });
    return { tlsPort: (served.server.address() as { port: number }).port, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function openDoor(
  server: Server,
  event: 'connection' | 'secureConnection',
  callerOf: (socket: Socket) => Caller | undefined,
  { portOf, note }: { portOf: PortOf; note: Note },
): Door {
  const sockets = new Set<Socket>();
  const counts = new Map<string, number>();
  const refuse = (socket: Socket, why: string, facts: object) => {
    note(why, { ...facts });
    socket.on('error', () => {});
    socket.destroy();
  };
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on(event, (socket: Socket) => {
    const caller = callerOf(socket);
    if (caller === undefined) return refuse(socket, 'a certificate names no caller', {});
    const { name } = caller;
    const count = counts.get(name) ?? 0;
    if (count >= MOST_CONNECTIONS) return refuse(socket, 'too many connections of a caller', { caller: name });
    counts.set(name, count + 1);
    socket.once('close', () => counts.set(name, counts.get(name)! - 1));
    socket.setNoDelay(true);
    serveCaller(socket, caller, portOf(name), note);
  });
  return { server, sockets };
}

async function tlsDoor(
  { certificate, key, ca }: NonNullable<SignerSettings['tls']>,
  callers: readonly CallerSettings[],
  portOf: PortOf,
  note: Note,
): Promise<Door> {
  const secret = await readPrivateFile(key);
  if (secret === undefined) throw new PrivateFileError(`${key} does not exist`);
  const server = createTlsServer({
    cert: await readFile(certificate),
    key: secret,
    ca: await readFile(ca),
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.3',
    handshakeTimeout: HANDSHAKE_MS,
  });
  server.on('tlsClientError', (error) => note('a connection without a valid certificate', { reason: error.message }));
  const callerOf = (socket: Socket) => callers.find(({ name }) => name === commonName(socket as TLSSocket));
  return openDoor(server, 'secureConnection', callerOf, { portOf, note });
}

function commonName(socket: TLSSocket): string | undefined {
  const name: unknown = socket.authorized ? socket.getPeerCertificate().subject?.CN : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Listens on a Unix socket that nobody could open before it had its mode. */
async function listenOnPath(server: Server, path: string, mode: number): Promise<void> {
  await removeLeftover(path);
  const before = process.umask(0o177);
  try {
    await listen(server, { path });
  } finally {
    process.umask(before);
  }
  await chmod(path, mode);
}

/** A signer that was killed leaves its socket behind. */
async function removeLeftover(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`${path} exists and is no socket: name another path, or remove it`);
  if (await answers(path)) throw new Error(`${path} is in use: another signer listens there`);
  await unlink(path);
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function listen(server: Server, where: { path: string } | { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closeDoor({ server, sockets }: Door): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}
