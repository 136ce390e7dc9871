import type { Socket } from 'node:net';
import type { Beginnings } from '../../lib/beginnings.js';
import { KeyManagementError } from '../key-management.js';
import { SignerHolds, SignerRefused } from '../policies/index.js';
import { encodeFrame, readFrames } from './frames.js';
import {
  Answer,
  type CallerRole,
  Hello,
  type KeyPort,
  type MethodName,
  methods,
  PROTOCOL,
  Request,
  roleNames,
  type SignerErrorCode,
  type SignerFailure,
  Welcome,
} from './protocol.js';
import { Misshapen, type Shape, type ShapeOf } from './shapes.js';

/** Who asks, as its socket or its certificate says. */
export interface Caller {
  readonly name: string;
  readonly roles: readonly CallerRole[];
}

/** Something that is worth a line in the log; it holds no secret. */
export type Note = (event: string, facts: Readonly<Record<string, unknown>>) => void;

/** A caller, and what all of its connections have together. */
export class Served {
  readonly caller: Caller;
  /** The keys, as this caller has them. */
  readonly port: KeyPort;
  /** Of the requests of all callers: one takes a few milliseconds of the only thread. */
  readonly beginnings: Beginnings;
  connections = 0;
  /** Requests. */
  underWay = 0;
  /** Of these, searches for the address of a mint. */
  searches = 0;

  constructor(caller: Caller, port: KeyPort, beginnings: Beginnings) {
    this.caller = caller;
    this.port = port;
    this.beginnings = beginnings;
  }
}

/** At the same time, of one connection. */
const MOST_UNDER_WAY = 1_000;
/** At the same time, of all connections of a caller: each holds what it asks for in memory. */
const MOST_OF_CALLER = 4_000;
/** Of a caller: each keeps one core busy. */
const MOST_SEARCHES = 1;
/** Until the first frame. */
const HELLO_MS = 5_000;
/** A caller reads its answers within this time; of the last one, that says why its connection ends, sooner. */
const UNREAD_MS = 10_000;
const FAREWELL_MS = 1_000;

/** Whether whoever has asked has given it up. A signal costs more than most answers, so it is made for what takes long. */
class GivingUp {
  #reason: Error | undefined;
  #controller: AbortController | undefined;

  get isGivenUp(): boolean {
    return this.#reason !== undefined;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  giveUp(reason: Error): void {
    this.#reason ??= reason;
    this.#controller?.abort(reason);
  }
}

interface Outcome {
  result?: unknown;
  error?: SignerFailure;
}

/** Serves one connection, whose caller is known, until it ends. Whatever cannot be understood ends it. */
export function serveCaller(socket: Socket, served: Served, note: Note): void {
  new Connection(socket, served, note).serve();
}

class Connection {
  readonly #socket: Socket;
  readonly #served: Served;
  readonly #caller: Caller;
  readonly #note: Note;
  readonly #underWay = new Map<number, GivingUp>();
  #ending: NodeJS.Timeout | undefined;
  #isGreeted = false;

  constructor(socket: Socket, served: Served, note: Note) {
    this.#socket = socket;
    this.#served = served;
    this.#caller = served.caller;
    this.#note = note;
  }

  serve(): void {
    const late = setTimeout(() => this.#end('malformed', 'nothing was said in time'), HELLO_MS);
    this.#socket.on('error', () => {});
    this.#socket.once('close', () => {
      clearTimeout(late);
      clearTimeout(this.#ending);
      for (const each of this.#underWay.values()) each.giveUp(new Error('the connection has ended'));
      if (this.#isGreeted) this.#note('disconnected', { caller: this.#caller.name });
    });
    const take = (value: unknown): void => {
      clearTimeout(late);
      if (this.#socket.writableEnded) return;
      try {
        if (this.#isGreeted) this.#answer(Request.read(value, 'request'));
        else this.#greet(Hello.read(value, 'hello'));
      } catch (error) {
        if (!(error instanceof Misshapen)) throw error;
        this.#end('malformed', error.message);
      }
    };
    readFrames(this.#socket, take, (error) => this.#end('malformed', error.message));
  }

  #greet({ slipwaySigner }: ShapeOf<typeof Hello>): void {
    if (slipwaySigner !== PROTOCOL) {
      this.#end('version', `this signer speaks version ${PROTOCOL} of its protocol`);
      return;
    }
    this.#isGreeted = true;
    const { name } = this.#caller;
    this.#note('connected', { caller: name });
    const addresses = Object.fromEntries(roleNames.map((role) => [role, this.#served.port.address(role)]));
    this.#send(Welcome, { slipwaySigner: PROTOCOL, caller: name, addresses } as ShapeOf<typeof Welcome>);
  }

  #answer({ id, method, params }: ShapeOf<typeof Request>): void {
    if (method === undefined) {
      this.#underWay.get(id)?.giveUp(new Error('given up'));
      return;
    }
    if (this.#underWay.has(id)) {
      this.#end('malformed', 'an id is used twice');
      return;
    }
    const served = this.#served;
    if (this.#underWay.size >= MOST_UNDER_WAY || served.underWay >= MOST_OF_CALLER) {
      const { error } = failure(
        'busy',
        `${this.#underWay.size} requests are under way, ${served.underWay} of the caller`,
      );
      this.#send(Answer, { id, result: undefined, error });
      return;
    }
    const giveUp = new GivingUp();
    this.#underWay.set(id, giveUp);
    served.underWay += 1;
    void this.#outcomeOf(method, params, giveUp).then(({ result, error }) => {
      this.#underWay.delete(id);
      served.underWay -= 1;
      // Who gives a request up hears of no failure; what is refused is told of all the same.
      const isGivenUp = giveUp.isGivenUp && error?.code === 'failed';
      const known = Object.hasOwn(methods, method) ? method : 'another';
      if (error && !isGivenUp) this.#note('not done', { caller: this.#caller.name, method: known, ...error });
      this.#send(Answer, { id, result, error });
    });
  }

  async #outcomeOf(method: string, params: unknown, giveUp: GivingUp): Promise<Outcome> {
    if (!Object.hasOwn(methods, method)) return failure('unknown', 'this release has no such method');
    const name = method as MethodName;
    const isSearch = name === 'findMint';
    const served = this.#served;
    await served.beginnings.turn({ id: this.#caller.name });
    if (isSearch && served.searches >= MOST_SEARCHES) return failure('busy', 'another search is under way');
    if (isSearch) served.searches += 1;
    try {
      return await run(this.#caller, served.port, { name, params, giveUp });
    } finally {
      if (isSearch) served.searches -= 1;
    }
  }

  #send<T>(shape: Shape<T>, value: T): void {
    if (!this.#socket.writable) return;
    // Whoever does not read its answers is not read either.
    if (this.#socket.write(encodeFrame(shape.write(value))) || this.#socket.isPaused()) return;
    this.#socket.pause();
    this.#destroyIn(UNREAD_MS);
    this.#socket.once('drain', () => {
      clearTimeout(this.#ending);
      this.#socket.resume();
    });
  }

  #end(code: SignerErrorCode, message: string): void {
    this.#note('a connection was ended', { caller: this.#caller.name, code, reason: message });
    this.#send(Answer, { id: undefined, result: undefined, ...failure(code, message) } as ShapeOf<typeof Answer>);
    this.#socket.destroySoon();
    this.#destroyIn(FAREWELL_MS);
  }

  #destroyIn(ms: number): void {
    clearTimeout(this.#ending);
    this.#ending = setTimeout(() => this.#socket.destroy(), ms);
  }
}

async function run(
  { roles, name: caller }: Caller,
  port: KeyPort,
  { name, params, giveUp }: { name: MethodName; params: unknown; giveUp: GivingUp },
): Promise<Outcome> {
  const row = methods[name] as unknown as Row;
  try {
    const read = row.params.read(params, 'params');
    if (!row.may(roles, read)) return failure('refused', `${caller} may not ask for this`, name);
    return { result: row.result.write(await row.run(port, read, giveUp)) };
  } catch (error) {
    if (error instanceof SignerHolds) {
      return { error: { code: 'held', message: error.reason, key: error.key.slice(0, 200), told: error.told } };
    }
    if (error instanceof SignerRefused) return failure('refused', error.reason, error.key);
    // A RangeError names a key that does not exist.
    if (error instanceof Misshapen || error instanceof RangeError) return failure('malformed', error.message);
    if (error instanceof KeyManagementError) return failure('failed', error.message);
    return failure('failed', giveUp.isGivenUp ? 'given up' : 'the signer could not do that');
  }
}

/** A row of the table, whatever its types. */
interface Row {
  params: Shape<unknown>;
  result: Shape<unknown>;
  may(roles: readonly CallerRole[], params: unknown): boolean;
  run(port: KeyPort, params: unknown, giveUp: GivingUp): Promise<unknown>;
}

function failure(code: SignerErrorCode, message: string, key?: string): Pick<Outcome, 'error'> {
  return { error: { code, message: message.slice(0, 1_000), key: key?.slice(0, 200), told: undefined } };
}
