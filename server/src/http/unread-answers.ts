import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ClientOf } from './client-address.js';

/** Bytes of answers that may wait for their clients. */
const MOST_BYTES = 64 * 1024 * 1024;
/** What is smaller takes no more memory than the connection that it is for. */
const SMALL_BYTES = 16 * 1024;
/** What is read ahead of a file, for one client. */
export const FILE_BYTES = 128 * 1024;

interface Client {
  bytes: number;
  /** The oldest first. */
  readonly answers: Map<ServerResponse, number>;
}

/**
 * Bounds the memory of answers that clients do not read. Beyond it the connection is closed that has waited longest, of the
 * client that has most of it. What is sent as bytes is in memory once, however many wait for it, and does not count.
 */
export function boundUnreadAnswers(app: FastifyInstance, clientOf: ClientOf, most = MOST_BYTES): void {
  const clients = new Map<string, Client>();
  let all = 0;

  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = bytesOf(reply, payload);
    if (bytes <= SMALL_BYTES || reply.raw.destroyed) return done();
    hold(request.payer?.id ?? clientOf(request), reply.raw, bytes);
    // Of a text that waits, Node keeps a copy for which it takes three bytes a character.
    done(null, typeof payload === 'string' ? Buffer.from(payload) : payload);
  });

  function hold(name: string, answer: ServerResponse, bytes: number): void {
    const client = clients.get(name) ?? { bytes: 0, answers: new Map() };
    clients.set(name, client);
    client.answers.set(answer, bytes);
    add(name, client, bytes);
    answer.once('close', () => forget(name, client, answer));
    while (all > most) cutOne();
  }

  function cutOne(): void {
    const [name, client] = [...clients].reduce((one, other) => (other[1].bytes > one[1].bytes ? other : one));
    const [oldest] = client.answers.keys();
    forget(name, client, oldest!);
    oldest!.destroy();
  }

  function forget(name: string, client: Client, answer: ServerResponse): void {
    const bytes = client.answers.get(answer);
    if (bytes === undefined) return;
    client.answers.delete(answer);
    add(name, client, -bytes);
  }

  function add(name: string, client: Client, bytes: number): void {
    all += bytes;
    client.bytes += bytes;
    if (client.bytes === 0) clients.delete(name);
  }
}

/** Streams of events bound themselves. */
function bytesOf(reply: FastifyReply, payload: unknown): number {
  if (typeof payload === 'string') return payload.length;
  const isFile = typeof payload === 'object' && payload !== null && 'pipe' in payload;
  return isFile && !String(reply.getHeader('content-type')).startsWith('text/event-stream') ? FILE_BYTES : 0;
}
