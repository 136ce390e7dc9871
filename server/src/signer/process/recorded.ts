import { base58Encode } from '@slipway/wire';
import type { Clock } from '../../lib/clock.js';
import { RecentNames } from '../../lib/recent-names.js';
import type { CallerStops } from '../caller-stops.js';
import { bytesOfOrder } from '../order-seal.js';
import { digestOf, type SignerAct, type SignerRecord } from '../record.js';
import type { KeyPort } from '../socket/protocol.js';
import type { Note } from '../socket/server.js';

/** The same bytes have the same signature: a caller that asks again is told it, and adds nothing to the record. */
const LEAST_KNOWN = 25_000;

interface Recording {
  record: Pick<SignerRecord, 'ready' | 'append' | 'refuse' | 'tryAgain' | 'fault'>;
  refusals: Refusals;
  clock: Clock;
  note: Note;
}

/** For how long every caller is told of what was refused. */
const TOLD_MS = 3_600_000;
/** Characters. */
const MOST_WHOM = 1_000;

/**
 * What no policy allows was asked for: a copy that was broken into says nothing of that, but the others do, by what the signer
 * tells them.
 */
export class Refusals {
  readonly #last = new Map<string, { at: number; count: number }>();

  add(caller: string): void {
    const now = performance.now();
    const before = this.#last.get(caller);
    this.#last.set(caller, { at: now, count: before && now - before.at < TOLD_MS ? before.count + 1 : 1 });
  }

  get warning(): string | undefined {
    const now = performance.now();
    const told = [...this.#last].flatMap(([caller, { at, count }]) =>
      now - at < TOLD_MS ? [`${caller} (${count})`] : [],
    );
    if (told.length === 0) return undefined;
    const whom = told.join(', ').slice(0, MOST_WHOM);
    return `it was asked for what no policy allows, within the last hour, by ${whom}: "slipway signer audit export" says for what`;
  }
}

/** The keys, as one caller has them: what they sign for it is in the record before the caller has it. */
export function recorded(
  port: KeyPort,
  caller: string,
  { record, refusals, clock, note, callerStops }: Recording & { callerStops: Pick<CallerStops, 'hear'> },
): KeyPort {
  const known = new RecentNames(LEAST_KNOWN);
  const noted = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      note('the record cannot be written: nothing is signed', { caller, reason: (error as Error).message });
      throw error;
    }
  };
  /** Asked first: what has no entry must neither count as signed for, nor use a challenge up. */
  const ready = () => noted(() => record.ready(now(clock)));
  const put = (act: Omit<SignerAct, 'at' | 'caller'>) => noted(() => record.append({ at: now(clock), caller, ...act }));
  return {
    ...port,
    async cosign(request) {
      const { keys, message } = request;
      const digest = digestOf(message);
      const name = [digest, ...keys].join();
      if (known.has(name)) return port.cosign(request);
      ready();
      const cosigned = await port.cosign(request);
      // One that no name asks for is an earlier key of a wallet.
      const signatures = cosigned.map(({ address, signature }, i) => [keys[i] ?? address, base58Encode(signature)]);
      put({
        act: 'cosign',
        ...(request.request !== undefined && { request: request.request }),
        digest,
        signatures: Object.fromEntries(signatures),
      });
      known.add(name);
      return cosigned;
    },
    async sign(key, message) {
      ready();
      const signature = await port.sign(key, message);
      put({ act: 'sign', digest: digestOf(message), signatures: { [key]: base58Encode(signature) } });
      return signature;
    },
    async rotate(role, step) {
      ready();
      const wallets = await port.rotate(role, step);
      put({ act: 'rotate', key: `${role}: ${step}` });
      return wallets;
    },
    async issueLogin(request) {
      ready();
      return port.issueLogin(request, () => put({ act: 'login', wallet: request.wallet }));
    },
    async sealOrder(request) {
      ready();
      const seal = await port.sealOrder(request);
      const { wallet, id } = request.order;
      put({ act: 'seal', request: id, wallet, digest: digestOf(bytesOfOrder(request.order)) });
      return seal;
    },
    async state() {
      const health = await port.state();
      const { warning } = refusals;
      record.tryAgain(now(clock));
      const warnings = warning === undefined ? health.warnings : [...health.warnings, warning];
      return { ...health, warnings, fault: record.fault ?? health.fault };
    },
    async hearStops(stopped) {
      const { holds, isNew } = await callerStops.hear(caller, stopped);
      if (!isNew) return holds;
      note('a caller has said what is stopped', { caller, stopped: holds });
      put({ act: 'hear stops', stopped: holds });
      return holds;
    },
  };
}

/** Writes what is refused into the record, too. */
export function recordRefusals({ record, refusals, clock, note }: Recording): Note {
  return (event, facts) => {
    note(event, facts);
    if (event !== 'not done' || !['refused', 'held'].includes(`${facts.code}`)) return;
    const { caller, method, key, message } = facts as Record<string, string>;
    // What is held is allowed at another time.
    if (facts.code === 'refused') refusals.add(caller!);
    const act = { at: now(clock), caller: caller!, act: method!, ...(key && { key }), refused: message! };
    try {
      record.refuse(act);
    } catch (error) {
      note('a refusal is not in the record', { caller, reason: (error as Error).message });
    }
  };
}

const now = (clock: Clock): string => new Date(clock.now()).toISOString();
