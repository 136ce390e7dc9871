import type { components } from './api-types.js';
import { pauseAfter, sleep } from './call.js';
import type { Connection } from './context.js';
import { SlipwayError } from './errors.js';
import type { Login } from './price-orders.js';

/** Something that has happened; `kind` says what `data` holds. */
export type SlipwayEvent = components['schemas']['Event'];
export type EventKind = SlipwayEvent['kind'];
/** `order.*` and the like. */
type Family = EventKind extends infer Kind ? (Kind extends `${infer Name}.${string}` ? `${Name}.*` : never) : never;
export interface EventsOptions {
  /** Only these kinds; `order.*` stands for all that begin with `order.`. */
  kinds?: readonly (EventKind | Family)[] | undefined;
  /** Only events about this wallet. */
  wallet?: string | undefined;
  /** A login: everything about its wallet, and not only what this API key has begun. */
  login?: Pick<Login, 'token'> | undefined;
  /** Begin after the event with this number; 0: with the oldest that is kept. By default with what happens from now on. */
  after?: number | undefined;
  /** Ends the stream, without an error. */
  signal?: AbortSignal | undefined;
  /** Called whenever the stream is open: what happens from then on arrives. `after` is the number that it goes on from. */
  onOpen?: ((after: number) => void) | undefined;
}

/** The service says something every 15 s. */
const SILENCE_MS = 45_000;
const LONGEST_BLOCK = 4 * 1024 * 1024;

/**
 * What happens, as it happens: each event once, and in the order of its number. The stream goes on by itself after a broken
 * connection or a restart of the service. Where it cannot begin at all, it ends after some attempts.
 * @throws SlipwayError gone where events after that number are no longer kept; unauthorized once a login has expired
 */
export async function* events(
  connection: Connection,
  options: EventsOptions = {},
): AsyncGenerator<SlipwayEvent, void, undefined> {
  const { signal, onOpen } = options;
  let last = options.after;
  let hasBegun = false;
  for (let failures = 0; !signal?.aborted; ) {
    const cut = new AbortController();
    const stop = () => cut.abort();
    signal?.addEventListener('abort', stop, { once: true });
    let pauseMs: number | undefined;
    try {
      let isOpen = false;
      for await (const { id, data, retryMs } of blocksOf(await open(connection, options, last, cut.signal), cut)) {
        failures = 0;
        hasBegun = true;
        pauseMs = retryMs ?? pauseMs;
        // Numbers only grow, whatever is sent again.
        if (id === undefined || (data !== undefined && last !== undefined && id <= last)) continue;
        last = id;
        if (data !== undefined) yield data as SlipwayEvent;
        else if (!isOpen) onOpen?.(id);
        isOpen = true;
        if (signal?.aborted) return;
      }
      failures += 1;
      pauseMs = Math.max((pauseMs ?? 0) * (0.5 + Math.random()), pauseAfter(failures));
    } catch (error) {
      if (signal?.aborted) return;
      failures += 1;
      const mayGoOn = error instanceof SlipwayError && error.retryable;
      if (!mayGoOn || (!hasBegun && failures >= connection.attempts)) throw error;
      pauseMs = error.retryAfterMs ?? pauseAfter(failures);
    } finally {
      signal?.removeEventListener('abort', stop);
      cut.abort();
    }
    await sleep(pauseMs, signal).catch(() => {});
  }
}

function open(
  { openStream }: Connection,
  { kinds, wallet, login }: EventsOptions,
  last: number | undefined,
  signal: AbortSignal,
) {
  return openStream('/events/v1/stream', {
    query: { kinds: kinds?.join(','), wallet },
    headers: last === undefined ? {} : { 'last-event-id': String(last) },
    token: login?.token,
    signal,
  });
}

interface Block {
  id: number | undefined;
  data: unknown;
  retryMs: number | undefined;
}

/** The blocks of a stream of server-sent events. @throws SlipwayError network where it breaks, or nothing comes */
async function* blocksOf(stream: ReadableStream<Uint8Array>, cut: AbortController): AsyncGenerator<Block> {
  const reader = stream.getReader();
  // Once an answer has begun, Node may forget that its call can be aborted.
  const cancel = () => void reader.cancel().catch(() => {});
  if (cut.signal.aborted) cancel();
  cut.signal.addEventListener('abort', cancel, { once: true });
  const decoder = new TextDecoder();
  /** What has arrived of the block that has not ended, and its length. */
  let held: string[] = [];
  let length = 0;
  let before = '';
  for (;;) {
    const timer = setTimeout(() => cut.abort(), SILENCE_MS);
    const { done, value } = await reader
      .read()
      .catch((cause: unknown) => {
        throw new SlipwayError('network', 'the stream of events broke', { retryable: true, cause });
      })
      .finally(() => clearTimeout(timer));
    if (done) return;
    const piece = decoder.decode(value, { stream: true });
    held.push(piece);
    length += piece.length;
    // Only what is new is searched: a block in many small pieces would be read from its beginning with each.
    const isEnded = `${before}${piece}`.includes('\n\n');
    before = piece.slice(-1) || before;
    if (isEnded) {
      const blocks = held.join('').split('\n\n');
      held = blocks.splice(-1);
      length = held[0]!.length;
      for (const block of blocks) yield blockOf(block);
    }
    if (length > LONGEST_BLOCK) throw new SlipwayError('not_slipway', 'the stream has an event without end');
  }
}

function blockOf(text: string): Block {
  const lines = text.split('\n');
  const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const numeric = (name: string) => {
    const value = Number(field(name) ?? Number.NaN);
    return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  };
  const data = field('data');
  try {
    return { id: numeric('id'), data: data === undefined ? undefined : JSON.parse(data), retryMs: numeric('retry') };
  } catch (cause) {
    throw new SlipwayError('not_slipway', 'the stream has an event that is not JSON', { cause });
  }
}
