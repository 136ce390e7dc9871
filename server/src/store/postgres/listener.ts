import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Store } from '../sql.js';
import { ProvenClient } from './client.js';

/** A connection that receives notifications. */
export interface Session {
  run(text: string): Promise<unknown>;
  /** Resolves when the connection has ended, by itself or by `close`. */
  readonly lost: Promise<void>;
  close(): Promise<void>;
}

export type Dispatch = (channel: string, payload: string) => void;

interface Listener {
  /** Resolves once the channel is being listened to, with a function that stops listening. */
  listen: Store['listen'];
  close(): Promise<void>;
}

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;
const HEARTBEAT_MS = 15_000;

interface Handler {
  readonly hear: (payload: string) => void;
  readonly missed: (() => void) | undefined;
}

/**
 * Dispatches the notifications of one session to handlers; if the session is lost, opens another with growing delays.
 */
export function createListener(open: (dispatch: Dispatch) => Promise<Session>): Listener {
  return new ReopeningListener(open);
}

class ReopeningListener implements Listener {
  readonly #open: (dispatch: Dispatch) => Promise<Session>;
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #closing = new AbortController();
  #session: Promise<Session> | undefined;

  constructor(open: (dispatch: Dispatch) => Promise<Session>) {
    this.#open = open;
  }

  async listen(channel: string, hear: Handler['hear'], missed?: () => void): Promise<() => Promise<void>> {
    // A new one each time, so that the same function can listen twice.
    const own = { hear, missed };
    const others = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, others.add(own));
    const stop = () => {
      others.delete(own);
      if (others.size === 0 && this.#handlers.get(channel) === others) this.#handlers.delete(channel);
    };
    try {
      await this.#run(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      stop();
      throw error;
    }
    return async () => {
      stop();
      if (this.#handlers.has(channel) || this.#closing.signal.aborted) return;
      await this.#run(`unlisten ${pg.escapeIdentifier(channel)}`);
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const opened = await this.#session?.catch(() => undefined);
    await opened?.close();
  }

  async #run(text: string): Promise<void> {
    const current = await (this.#session ?? this.#start());
    let lost = false;
    void current.lost.then(() => {
      lost = true;
    });
    try {
      await current.run(text);
    } catch (error) {
      await sleep(0);
      if (!lost) throw error;
      // The next session listens to every channel that has a handler before it is handed out.
      await this.#session;
    }
  }

  #start(): Promise<Session> {
    const session = this.#openAtLast();
    this.#session = session;
    session
      .then((opened) => opened.lost)
      .then(() => {
        if (!this.#closing.signal.aborted) return this.#start().then(() => this.#tellMissed());
      })
      .catch(() => {});
    return session;
  }

  #tellMissed(): void {
    for (const handlers of this.#handlers.values()) for (const { missed } of handlers) missed?.();
  }

  async #openAtLast(): Promise<Session> {
    for (let delay = FIRST_DELAY_MS; ; delay = Math.min(delay * 2, LONGEST_DELAY_MS)) {
      try {
        return await this.#openAndListen();
      } catch {
        await sleep(delay, undefined, { signal: this.#closing.signal });
      }
    }
  }

  async #openAndListen(): Promise<Session> {
    const opened = await this.#open((channel, payload) => {
      for (const { hear } of this.#handlers.get(channel) ?? []) hear(payload);
    });
    try {
      for (const channel of this.#handlers.keys()) await opened.run(`listen ${pg.escapeIdentifier(channel)}`);
      this.#closing.signal.throwIfAborted();
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }
}

/** A session on its own connection, with a heartbeat that detects a silently lost peer. */
export async function openSession(config: pg.ClientConfig, dispatch: Dispatch): Promise<Session> {
  const client = new ProvenClient(config);
  const lost = new Promise<void>((resolve) => {
    client.once('error', () => resolve());
    client.once('end', () => resolve());
  });
  // An error of an open connection is always followed by its end.
  client.on('error', () => {});
  client.on('notification', ({ channel, payload }) => dispatch(channel, payload ?? ''));
  await client.connect();

  let turn: Promise<unknown> = Promise.resolve();
  const run = (text: string) => {
    const result = turn.then(() => client.query(text));
    turn = result.catch(() => {});
    return result;
  };
  const heartbeat = setInterval(() => run('select 1').catch(() => client.end()), HEARTBEAT_MS);
  heartbeat.unref();
  void lost.then(() => clearInterval(heartbeat));
  return {
    run,
    lost,
    async close() {
      clearInterval(heartbeat);
      await client.end();
    },
  };
}
