import type { Socket } from 'node:net';
import { Outage } from '../../errors/index.js';
import { SignerHolds, SignerRefused } from '../policies/index.js';
import { type Endpoint, openConnection } from './endpoint.js';
import { encodeFrame, readFrames } from './frames.js';
import {
  Answer,
  Hello,
  type MethodName,
  methods,
  type ParamsOf,
  PROTOCOL,
  Request,
  type ResultOf,
  type SignerFailure,
  Welcome,
} from './protocol.js';
import type { Shape, ShapeOf } from './shapes.js';

/** How long an answer may take, and the greeting of a connection. */
export const ANSWER_MS = 5_000;
const LOOK_MS = 1_000;

/** The signer does not understand what it was asked, or speaks another version. */
export class SignerFault extends Error {
  override readonly name = 'SignerFault';
}

interface Waiting {
  since: number;
  hasDeadline: boolean;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface Asking {
  signal?: AbortSignal;
  /** False for what may take as long as it likes. */
  hasDeadline?: boolean;
}

/** A connection to a signer on which both sides have said who they are. */
export class Connection {
  readonly welcome: ShapeOf<typeof Welcome>;
  /** Resolves with the reason once it has ended; everything that waits for an answer has failed by then. */
  readonly ended: Promise<string>;
  readonly #socket: Socket;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(socket: Socket, welcome: ShapeOf<typeof Welcome>) {
    this.#socket = socket;
    this.welcome = welcome;
    this.ended = new Promise((resolve) => {
      const look = setInterval(() => this.#endIfSilent(), LOOK_MS);
      let failure: Error | undefined;
      socket.on('error', (error) => {
        failure ??= error;
      });
      socket.once('close', () => {
        clearInterval(look);
        const reason = failure === undefined ? 'it has ended the connection' : reasonOf(failure);
        for (const { reject } of this.#waiting.values()) reject(away(reason));
        resolve(reason);
      });
    });
  }

  /** @throws Outage when the connection ends first, SignerRefused */
  async ask<N extends MethodName>(method: N, params: ParamsOf<N>, asking: Asking = {}): Promise<ResultOf<N>> {
    const { signal, hasDeadline = true } = asking;
    signal?.throwIfAborted();
    if (this.#socket.destroyed) throw away('it has ended the connection');
    const row = methods[method] as unknown as { params: Shape<ParamsOf<N>>; result: Shape<ResultOf<N>> };
    this.#lastId += 1;
    const id = this.#lastId;
    const frame = encodeFrame(Request.write({ id, method, params: row.params.write(params) }));
    const giveUp = () => this.#giveUp(id, signal);
    signal?.addEventListener('abort', giveUp);
    try {
      const result = await new Promise<unknown>((resolve, reject) => {
        this.#waiting.set(id, { since: performance.now(), hasDeadline, resolve, reject });
        this.#socket.write(frame);
      });
      return row.result.read(result, 'result');
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  /** @throws SignerFault for an error that ends the connection. */
  take(value: unknown): void {
    const { id, result, error } = Answer.read(value, 'answer');
    if (id === undefined) throw new SignerFault(error?.message ?? 'no reason given');
    const found = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) found?.resolve(result);
    else found?.reject(failureOf(error));
  }

  #giveUp(id: number, signal: AbortSignal | undefined): void {
    const found = this.#waiting.get(id);
    if (!this.#waiting.delete(id)) return;
    this.#socket.write(encodeFrame(Request.write({ id, method: undefined, params: undefined })));
    found?.reject(signal?.reason as Error);
  }

  #endIfSilent(): void {
    const oldest = [...this.#waiting.values()].find(({ hasDeadline }) => hasDeadline);
    if (oldest === undefined || performance.now() - oldest.since < ANSWER_MS) return;
    // An answer that has arrived in the meantime is read first.
    setImmediate(() => {
      if ([...this.#waiting.values()].includes(oldest)) this.#socket.destroy(new Error('no answer in time'));
    });
  }
}

/** Opens a connection. @throws SignerFault, or what the socket says */
export function greet(endpoint: Endpoint, signal?: AbortSignal): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = openConnection(endpoint, () => socket.write(encodeFrame(Hello.write({ slipwaySigner: PROTOCOL }))));
    const stop = (reason: string) => () => socket.destroy(new Error(reason));
    const [late, closed] = [setTimeout(stop('no answer in time'), ANSWER_MS), stop('closed')];
    signal?.addEventListener('abort', closed);
    let failure: Error | undefined;
    socket.on('error', (error) => {
      failure ??= error;
    });
    socket.once('close', () => {
      clearTimeout(late);
      signal?.removeEventListener('abort', closed);
      reject(failure ?? new Error('it has ended the connection'));
    });
    let connection: Connection | undefined;
    const take = (value: unknown): void => {
      if (connection === undefined && !isError(value)) {
        clearTimeout(late);
        signal?.removeEventListener('abort', closed);
        connection = new Connection(socket, Welcome.read(value, 'welcome'));
        resolve(connection);
        return;
      }
      if (connection !== undefined) connection.take(value);
      else throw failureOf(Answer.read(value, 'answer').error!);
    };
    const takeOrEnd = (value: unknown): void => {
      try {
        take(value);
      } catch (error) {
        socket.destroy(error as Error);
      }
    };
    readFrames(socket, takeOrEnd, (error) => socket.destroy(error));
  });
}

function isError(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'error' in value && value.error !== null;
}

function failureOf({ code, message, key, told }: SignerFailure): Error {
  if (code === 'held') return new SignerHolds(key ?? 'any key', message, told);
  if (code === 'refused') return new SignerRefused(key ?? 'any key', message);
  if (code !== 'busy' && code !== 'failed') return new SignerFault(`the signer refuses: ${message}`);
  return new Outage('SIGNER_UNAVAILABLE', `the signer did not do it (${code}): ${message}`);
}

/** What asks for something gets, when there is no signer. */
export function away(reason: string, cause?: unknown): Outage {
  return new Outage('SIGNER_UNAVAILABLE', `the signer is away (${reason})`, { cause });
}

/** The code of an error of Node, otherwise its words. */
export function reasonOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message;
}
