import type { Readable } from 'node:stream';
import { Type } from 'typebox';
import { AppError } from '../../errors/index.js';
import { readFilter } from '../../events/filter.js';
import { type Guest, NoPlace, Places } from '../../lib/places.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { keptNumbers } from '../../store/events.js';
import type { Store } from '../../store/sql.js';
import { type EventsDeps, eventsRoute, tags } from './deps.js';
import { follow } from './follow.js';
import { Reader } from './reader.js';
import { StreamHeaders, StreamQuery } from './schema.js';
import { accountOf } from './webhooks.js';

/** Then the client connects again: so a key that was revoked, or a login that has expired, ends with its stream. */
const LONGEST_MS = 15 * 60_000;
const GRACE_MS = 10_000;

const Stream = {
  description: 'Server-sent events. The `data` of each is one `Event` as JSON, its `id` the number of it.',
  content: { 'text/event-stream': { schema: Type.Unsafe<never>({ $ref: 'Event#' }) } },
};

export function registerStream(app: TypedServer, deps: EventsDeps): void {
  const { streams: all, streamsPerKey: ofKey } = deps.limits;
  const places = new Places({ ofKey, all });
  app.get(
    '/events/v1/stream',
    {
      config: {
        ...eventsRoute,
        errors: {
          410: 'The events after that number are no longer kept, or it is of another list. Read the state of what you follow, and begin anew',
          429: 'Too many streams of this key are open',
        },
      },
      schema: {
        tags,
        summary: 'What happens, as it happens',
        description:
          'Server-sent events: what becomes of the requests of your key or, with the token of a login, of everything about that wallet. Each event comes exactly once and in the order of its number to a client that sends the last number as `Last-Event-ID` when it connects again. The service ends a stream after 15 minutes, when it stops, and when its client reads too slowly.',
        querystring: StreamQuery,
        headers: StreamHeaders,
        response: { 200: Stream },
      },
    },
    async (request, reply) => {
      const { wants, follows } = readFilter(request.query);
      const account = accountOf(request);
      const login = request.wallet && { wallet: request.wallet, begunAt: deps.clock.now() };
      const leave = enter(places, request.payer!);
      let body: Readable;
      try {
        await follow(
          deps.store,
          { account, apiKey: request.apiKey!, caller: request.payer!, until: new Date(deps.clock.now() + deps.keepMs) },
          follows,
        );
        const asked = request.headers['last-event-id'] ?? request.query.after;
        const after = await startOf(deps.store, account, asked);
        const reader = new Reader({
          account,
          caller: request.payer!.id,
          key: request.apiKey!.id,
          after,
          login,
          wants,
          cut: () => reply.raw.destroy(),
          gave: deps.hub.gave,
        });
        reader.body.once('close', leave);
        endInTime(reader);
        deps.hub.add(reader);
        body = reader.body;
      } catch (error) {
        leave();
        throw error;
      }
      reply.headers(HEADERS);
      return reply.send(body as never);
    },
  );
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // A stream that ends lets a server that closes go on.
  connection: 'close',
  // Proxies of the kind of nginx hold an answer back otherwise.
  'x-accel-buffering': 'no',
};

function endInTime(reader: Reader): void {
  const end = setTimeout(() => reader.end(), LONGEST_MS).unref();
  // A client that does not read never sees the end.
  const drop = setTimeout(() => reader.drop(), LONGEST_MS + GRACE_MS).unref();
  reader.body.once('close', () => {
    clearTimeout(end);
    clearTimeout(drop);
  });
}

/** @throws AppError */
function enter(places: Places, guest: Guest): () => void {
  try {
    return places.enter(guest);
  } catch (error) {
    if (!(error instanceof NoPlace)) throw error;
    throw error.whose === 'guest'
      ? new AppError('TOO_MANY_OF_KEY', { message: 'Too many streams of this key are open; close some of them' })
      : new AppError('TOO_MANY_IN_ALL', { message: 'Too many streams are open; try again in a moment' });
  }
}

/** The number after which a stream begins. @throws AppError GONE */
async function startOf(store: Store, account: string, asked: string | undefined): Promise<bigint> {
  const { gone, last } = await keptNumbers(store, account);
  if (asked === undefined) return last;
  const after = BigInt(asked);
  if (after === 0n) return gone;
  if (after < gone) {
    throw new AppError('GONE', { message: `The events after ${after} are no longer kept; the oldest is ${gone + 1n}` });
  }
  if (after > last) {
    // After the database was emptied, for example.
    throw new AppError('GONE', { message: `The last event is ${last}, so ${after} is a number of another list` });
  }
  return after;
}
