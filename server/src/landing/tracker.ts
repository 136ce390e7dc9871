import type { Logger } from 'pino';
import type { Chain, Rpc, SignatureStatus } from '../chain/index.js';
import { broadcast } from './broadcast.js';
import { deadAt, type Lifetime } from './lifetime.js';

/** What truly happened to a transaction. */
export type Verdict =
  | { event: 'landed'; slot: bigint; error: null }
  | { event: 'failed'; slot: bigint | null; error: unknown }
  | { event: 'expired'; slot: null; error: unknown };

export interface Flight {
  signature: string;
  wire: Uint8Array;
  lifetime: Lifetime;
  /** Steady milliseconds after which it counts as dead whatever its lifetime says (durable nonces never expire). */
  giveUpAt?: number;
  /** Taken over from a stopped copy, which may not have come to send it: that is done at once. */
  takenOver?: boolean;
}

export interface Tracker {
  /** Resolves when the chain has told, at commitment confirmed. Rejects only when the tracker closes. */
  track(flight: Flight): Promise<Verdict>;
  /** Asks the chain at once instead of with the next poll: something has just been accepted. */
  pollNow(): void;
  close(): void;
}

export interface TrackerDeps {
  chain: Chain;
  sendRpcs: readonly Rpc[];
  log: Logger;
  steadyNow: () => number;
}

const POLL_MS = 400;
const REBROADCAST_MS = 2_000;
/** The most signatures that getSignatureStatuses takes. */
const MAX_STATUSES = 256;

interface Tracked extends Flight {
  verdict: Promise<Verdict>;
  resolve: (verdict: Verdict) => void;
  reject: (error: Error) => void;
  sendAgainAt: number;
}

/** Follows every transaction under way with one poll for all of them, and sends each again until it lands or is dead. */
export function createTracker({ chain, sendRpcs, log, steadyNow }: TrackerDeps): Tracker {
  const flights = new Map<string, Tracked>();
  let timer: NodeJS.Timeout | undefined;
  let polling = false;
  let pollAgain = false;
  let closed = false;

  function wake(delay: number): void {
    if (closed) return;
    clearTimeout(timer);
    timer = setTimeout(poll, delay);
  }

  function pollNow(): void {
    if (polling) pollAgain = true;
    else wake(0);
  }

  async function poll(): Promise<void> {
    if (polling) {
      pollAgain = true;
      return;
    }
    polling = true;
    const all = [...flights.values()];
    for (let from = 0; from < all.length; from += MAX_STATUSES) {
      const group = all.slice(from, from + MAX_STATUSES);
      await pollGroup(group).catch((error: Error) =>
        log.warn({ reason: error.message, underWay: group.length }, 'cannot read statuses; will ask again'),
      );
    }
    polling = false;
    if (flights.size > 0) wake(pollAgain ? 0 : POLL_MS);
    pollAgain = false;
  }

  async function pollGroup(group: Tracked[]): Promise<void> {
    const { found } = await chain.statuses(signaturesOf(group), { history: false });
    const unknown = group.filter((flight, index) => !conclude(flight, found[index]));
    const due = unknown.filter((flight) => flight.sendAgainAt <= steadyNow());
    if (due.length === 0) return;
    try {
      await concludeDead(due);
    } finally {
      for (const flight of due) if (flights.has(flight.signature)) sendAgain(flight);
    }
  }

  function sendAgain(flight: Tracked): void {
    flight.sendAgainAt = steadyNow() + REBROADCAST_MS;
    broadcast(sendRpcs, flight.wire, log).catch((error: Error) =>
      log.debug({ signature: flight.signature, reason: error.message }, 'rebroadcast failed'),
    );
  }

  /** First whether it is dead, then whether it is known: the other way round it could land between the two questions. */
  async function concludeDead(due: Tracked[]): Promise<void> {
    const deaths = await Promise.all(due.map(deathOf));
    const given = due.map((flight) => steadyNow() >= (flight.giveUpAt ?? Number.POSITIVE_INFINITY));
    const ended = due.filter((_, index) => deaths[index] !== undefined || given[index]);
    if (ended.length === 0) return;
    const { slot, found } = await chain.statuses(signaturesOf(ended), { history: true });
    for (const [index, flight] of ended.entries()) {
      if (conclude(flight, found[index]) || found[index]) continue;
      const death = deaths[due.indexOf(flight)];
      // A node that lags behind the one that told of the death may just not have seen it land.
      if (death === undefined || slot >= death) finish(flight, { event: 'expired', slot: null, error: null });
    }
  }

  /** Of one that nothing is learned about, the next time will tell: the others do not wait for it. */
  function deathOf({ lifetime, signature }: Tracked): Promise<bigint | undefined> {
    return deadAt(lifetime, chain).catch((error: Error) => {
      log.debug({ signature, reason: error.message }, 'cannot tell whether a transaction can still land');
      return undefined;
    });
  }

  /** True when the status settles the flight. */
  function conclude(flight: Tracked, status: SignatureStatus | undefined): boolean {
    if (!status?.confirmed) return false;
    const { slot, err } = status;
    finish(flight, err === null ? { event: 'landed', slot, error: null } : { event: 'failed', slot, error: err });
    return true;
  }

  function finish(flight: Tracked, verdict: Verdict): void {
    flights.delete(flight.signature);
    flight.resolve(verdict);
  }

  return {
    track(flight) {
      const known = flights.get(flight.signature);
      if (known) return known.verdict;
      const { promise, resolve, reject } = withResolvers<Verdict>();
      if (closed) reject(new Error('the service is shutting down'));
      else {
        const sendAgainAt = steadyNow() + (flight.takenOver ? 0 : REBROADCAST_MS);
        flights.set(flight.signature, { ...flight, verdict: promise, resolve, reject, sendAgainAt });
        if (flight.takenOver) pollNow();
        else if (flights.size === 1 && !polling) wake(POLL_MS);
      }
      return promise;
    },
    pollNow,
    close() {
      closed = true;
      clearTimeout(timer);
      for (const flight of flights.values()) flight.reject(new Error('the service is shutting down'));
      flights.clear();
    },
  };
}

function signaturesOf(flights: Tracked[]): string[] {
  return flights.map((flight) => flight.signature);
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: Error) => void } {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
