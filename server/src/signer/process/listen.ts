import { chmod, lstat, unlink } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { Beginnings } from '../../lib/beginnings.js';
import type { KeyPort } from '../socket/protocol.js';
import { type Note, Served, serveCaller } from '../socket/server.js';
import { followCertificates, readCertificates } from './certificates.js';
import type { SignerSettings } from './settings.js';

/** Of one caller: more than its copies need. */
const MOST_CONNECTIONS = 64;
/** Until a connection has shown its certificate, and how many at a time have not. */
export const HANDSHAKE_MS = 5_000;
export const MOST_UNKNOWN = 500;

const KEEP_ALIVE_MS = 30_000;

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
  const beginnings = new Beginnings();
  const close = async (): Promise<void> => {
    await Promise.all(doors.map(closeDoor));
  };
  try {
    for (const caller of callers) {
      if (caller.socket === undefined) continue;
      const served = new Served(caller, portOf(caller.name), beginnings);
      const door = openDoor(createServer(), 'connection', () => served, note);
      doors.push(door);
      await listenOnPath(door.server, caller.socket.path, caller.socket.mode);
    }
    if (tls === undefined) return { tlsPort: undefined, close };
    const byName = callers.filter(({ socket }) => socket === undefined);
    const all = byName.map((caller) => [caller.name, new Served(caller, portOf(caller.name), beginnings)] as const);
    const door = await tlsDoor(tls, new Map(all), note);
    doors.push(door);
    await listen(door.server, { host: tls.host, port: tls.port });
    return { tlsPort: (door.server.address() as { port: number }).port, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function openDoor(
  server: Server,
  event: 'connection' | 'secureConnection',
  servedOf: (socket: Socket) => Served | undefined,
  note: Note,
): Door {
  const sockets = new Set<Socket>();
  const refuse = (socket: Socket, why: string, facts: object) => {
    note(why, { ...facts });
    socket.on('error', () => {});
    socket.destroy();
  };
  // Too many open files, say: where nobody hears of that, the process ends.
  server.on('error', ({ message }) => {
    if (server.listening) note('a connection could not be taken', { reason: message });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on(event, (socket: Socket) => {
    const served = servedOf(socket);
    if (served === undefined) return refuse(socket, 'a certificate that was not shown anew, or names no caller', {});
    if (served.connections >= MOST_CONNECTIONS) {
      return refuse(socket, 'too many connections of a caller', { caller: served.caller.name });
    }
    served.connections += 1;
    socket.once('close', () => {
      served.connections -= 1;
    });
    socket.setNoDelay(true);
    // A machine that is gone keeps no place of its caller.
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    serveCaller(socket, served, note);
  });
  return { server, sockets };
}

async function tlsDoor(
  files: NonNullable<SignerSettings['tls']>,
  callers: ReadonlyMap<string, Served>,
  note: Note,
): Promise<Door> {
  const certificates = await readCertificates(files);
  const server = createTlsServer({
    ...certificates,
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.3',
  });
  followCertificates(server, files, certificates, note);
  endUnknown(server);
  server.on('tlsClientError', (error) => note('a connection without a valid certificate', { reason: error.message }));
  return openDoor(server, 'secureConnection', (socket) => callers.get(commonName(socket as TLSSocket) ?? ''), note);
}

/**
 * Ends connections that do not show their certificate in time, and where there are too many of them, the oldest. Node itself only
 * tells of them, and of none that sends a byte now and then: whoever can reach the port could take all files that this process
 * may open, and then nothing is signed.
 */
function endUnknown(server: Server): void {
  const unknown = new Map<string, { socket: Socket; known: () => void }>();
  // Of a connection there are two sockets, one inside the other.
  const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    const late = setTimeout(() => socket.destroy(), HANDSHAKE_MS);
    const known = () => {
      clearTimeout(late);
      if (unknown.get(peer)?.socket === socket) unknown.delete(peer);
    };
    socket.once('close', known);
    unknown.set(peer, { socket, known });
    const [oldest] = unknown.values();
    if (unknown.size > MOST_UNKNOWN) oldest!.socket.destroy();
  });
  server.on('secureConnection', (socket: Socket) => unknown.get(peerOf(socket))?.known());
}

/** Of a certificate that was looked at now: of a session that is resumed, each time anew, nobody sees that it has expired. */
function commonName(socket: TLSSocket): string | undefined {
  const isShown = socket.authorized && !socket.isSessionReused();
  const name: unknown = isShown ? socket.getPeerCertificate().subject?.CN : undefined;
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
