import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** A connection that notifications come in on. */
export interface Session {
  run(text: string): Promise<unknown>;
  /** Fulfills when the connection has ended, by itself or by `close`. */
  readonly lost: Promise<void>;
  close(): Promise<void>;
}

export type Dispatch = (channel: string, payload: string) => void;

export interface Listener {
  /** Fulfills once the channel is being listened to; the answer ends it. */
  listen(channel: string, handler: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;
const HEARTBEAT_MS = 15_000;

/** Spreads the notifications of one session among handlers; opens another, with growing delays, when it is lost. */
export function createListener(open: (dispatch: Dispatch) => Promise<Session>): Listener {
  const handlers = new Map<string, Set<(payload: string) => void>>();
  const closing = new AbortController();
  let session: Promise<Session> | undefined;

  async function openAndListen(): Promise<Session> {
    const opened = await open((channel, payload) => {
      for (const handler of handlers.get(channel) ?? []) handler(payload);
    });
    try {
      for (const channel of handlers.keys()) await opened.run(`listen ${pg.escapeIdentifier(channel)}`);
      closing.signal.throwIfAborted();
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  async function openAtLast(): Promise<Session> {
    for (let delay = FIRST_DELAY_MS; ; delay = Math.min(delay * 2, LONGEST_DELAY_MS)) {
      try {
        return await openAndListen();
      } catch {
        await sleep(delay, undefined, { signal: closing.signal });
      }
    }
  }

  function start(): Promise<Session> {
    session = openAtLast();
    session
      .then((opened) => opened.lost)
      .then(
        () => {
          if (!closing.signal.aborted) start();
        },
        () => {},
      );
    return session;
  }

  async function run(text: string): Promise<void> {
    const current = await (session ?? start());
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
      await session;
    }
  }

  return {
    async listen(channel, handler) {
      // Its own function, so that the same handler may listen twice.
      const own = (payload: string) => handler(payload);
      const others = handlers.get(channel) ?? new Set();
      handlers.set(channel, others.add(own));
      const stop = () => {
        others.delete(own);
        if (others.size === 0 && handlers.get(channel) === others) handlers.delete(channel);
      };
      try {
        await run(`listen ${pg.escapeIdentifier(channel)}`);
      } catch (error) {
        stop();
        throw error;
      }
      return async () => {
        stop();
        if (!handlers.has(channel) && !closing.signal.aborted) await run(`unlisten ${pg.escapeIdentifier(channel)}`);
      };
    },
    async close() {
      closing.abort();
      const opened = await session?.catch(() => undefined);
      await opened?.close();
    },
  };
}

/** A session on a connection of its own, with a heartbeat that notices when the other side is silently gone. */
export async function openSession(config: pg.ClientConfig, dispatch: Dispatch): Promise<Session> {
  const client = new pg.Client(config);
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
