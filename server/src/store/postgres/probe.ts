import type pg from 'pg';
import { waitAtMost } from '../../lib/wait-at-most.js';
import { StoreUnavailable } from '../sql.js';
import { ProvenClient } from './client.js';
import { asStoreError } from './pool.js';

/** Also fails on a replica and, at the latest when its page is full, on a full disk. */
export const PROBE = `
  insert into write_probe (writes) values (1)
  on conflict (id) do update set writes = write_probe.writes + 1`;

/** A database that answers later than this is not ready. */
const ANSWER_MS = 500;

export interface Probe {
  /** @throws StoreUnavailable if the database does not answer in time */
  ask(): Promise<void>;
  close(): Promise<void>;
}

/** Asks the database on a connection of its own, because those of the pool may all be waiting for answers. */
export function createProbe(config: pg.ClientConfig): Probe {
  let current: { client: pg.Client; connected: Promise<unknown> } | undefined;
  let asking: Promise<void> | undefined;

  function open() {
    const client = new ProvenClient(config);
    client.on('error', () => {});
    client.once('end', () => drop(client));
    current = { client, connected: client.connect() };
    return current;
  }

  /** Ends the connection, also one that hangs; the next question opens another. */
  function drop(client: pg.Client): void {
    if (current?.client === client) current = undefined;
    client.end().catch(() => {});
  }

  async function write(): Promise<void> {
    const { client, connected } = current ?? open();
    try {
      await connected;
      const isInTime = await waitAtMost(
        ANSWER_MS,
        client.query(PROBE).then(() => {}),
      );
      if (!isInTime) throw new Error(`no answer within ${ANSWER_MS} ms`);
    } catch (error) {
      drop(client);
      throw asStoreError(error);
    }
  }

  return {
    async ask() {
      asking ??= write().finally(() => {
        asking = undefined;
      });
      // A connection that is being opened is not given up: it may be the next question's.
      if (!(await waitAtMost(ANSWER_MS, asking))) throw new StoreUnavailable(new Error('no connection in time'));
    },
    async close() {
      await current?.client.end();
    },
  };
}
