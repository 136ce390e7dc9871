import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Guest } from '../lib/places.js';
import { KEYLESS_TIER } from '../lib/tiers.js';
import type { ClientOf } from './client-address.js';

/** Bytes of answers that may wait for their clients. */
const MOST_BYTES = 64 * 1024 * 1024;
/** What is smaller takes no more memory than the connection that it is for. */
const SMALL_BYTES = 16 * 1024;
/** What is read ahead of a file, for one client. */
export const FILE_BYTES = 128 * 1024;

interface Client {
  bytes: number;
  /** The oldest first, each with what forgets it. */
  readonly answers: Map<ServerResponse, () => void>;
}

/** A key, or many clients together, who are as many as there are addresses: all without a key, or all of a page's. */
interface Kind {
  bytes: number;
  readonly clients: Map<string, Client>;
}

/**
 * Bounds the memory of answers that clients do not read. Beyond it the connection is closed that has waited longest, of the
 * client that has most of it, of the kind that has most of it. What is sent as bytes is in memory once, however many wait
 * for it, and does not count.
 */
export function boundUnreadAnswers(app: FastifyInstance, clientOf: ClientOf, most = MOST_BYTES): void {
  const kinds = new Map<string, Kind>();
  let all = 0;

  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = bytesOf(reply, payload);
    if (bytes <= SMALL_BYTES || reply.raw.destroyed) return done();
    hold(guestOf(request), reply.raw, bytes);
    // Of a text that waits, Node keeps a copy for which it takes three bytes a character.
    done(null, typeof payload === 'string' ? Buffer.from(payload) : payload);
  });

  function guestOf(request: FastifyRequest): Guest {
    const { payer, adminName } = request;
    if (payer) return payer;
    if (adminName !== undefined) return { id: `admin ${adminName}` };
    return { id: `${KEYLESS_TIER} ${clientOf(request)}`, together: KEYLESS_TIER };
  }

  function hold({ id, together = id }: Guest, answer: ServerResponse, bytes: number): void {
    const kind = kinds.get(together) ?? { bytes: 0, clients: new Map<string, Client>() };
    kinds.set(together, kind);
    const client = kind.clients.get(id) ?? { bytes: 0, answers: new Map<ServerResponse, () => void>() };
    kind.clients.set(id, client);
    const add = (change: number) => {
      all += change;
      kind.bytes += change;
      client.bytes += change;
    };
    const forget = () => {
      if (!client.answers.delete(answer)) return;
      add(-bytes);
      if (client.bytes === 0) kind.clients.delete(id);
      if (kind.bytes === 0) kinds.delete(together);
    };
    add(bytes);
    client.answers.set(answer, forget);
    answer.once('close', forget);
    while (all > most) cutOne();
  }

  function cutOne(): void {
    const { clients } = greatest(kinds.values());
    const [oldest] = greatest(clients.values()).answers;
    const [answer, forget] = oldest!;
    forget();
    answer.destroy();
  }
}

function greatest<T extends { bytes: number }>(some: Iterable<T>): T {
  return [...some].reduce((one, other) => (other.bytes > one.bytes ? other : one));
}

/** Streams of events bound themselves. */
function bytesOf(reply: FastifyReply, payload: unknown): number {
  if (typeof payload === 'string') return payload.length;
  const isFile = typeof payload === 'object' && payload !== null && 'pipe' in payload;
  return isFile && !String(reply.getHeader('content-type')).startsWith('text/event-stream') ? FILE_BYTES : 0;
}
