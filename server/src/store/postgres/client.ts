import type { EventEmitter } from 'node:events';
import pg from 'pg';
import { isForAll } from '../../lib/open-folder.js';

interface Wire extends EventEmitter {
  /** Of TLS, `authorized`: whether its certificate was checked, and is the server's. */
  stream: { destroy(): void; authorized?: boolean };
  /** Has what arrives on a stream read. */
  attachListeners(stream: EventEmitter): void;
}

/** What pg has, and has no types for. */
interface Inner {
  connection: Wire;
  host: string;
  password: unknown;
  /** Null once the server's signature was right. */
  saslSession: unknown;
  _handleAuthCleartextPassword(message: unknown): void;
  _handleAuthMD5Password(message: unknown): void;
  _handleAuthSASLContinue(message: unknown): Promise<void>;
  _handleAuthSASLFinal(message: unknown): void;
  _handleReadyForQuery(message: unknown): void;
  _handleNotification(message: unknown): void;
}

const inherited = pg.Client.prototype as unknown as Inner;
/** What RFC 7677 asks for at least, and PostgreSQL takes by default. */
const LEAST_ROUNDS = 4_096;
const MUST = `without verified TLS it must use scram-sha-256, of ${LEAST_ROUNDS} iterations or more`;

/** What is no message of PostgreSQL's fails the connection: pg throws where nobody hears it but the process, which would end. */
function readSafely(connection: Wire): void {
  const attach = connection.attachListeners;
  connection.attachListeners = (stream) => {
    attach.call(connection, stream);
    for (const read of stream.rawListeners('data') as ((bytes: Buffer) => void)[]) {
      stream.off('data', read);
      stream.on('data', (bytes: Buffer) => {
        try {
          read(bytes);
        } catch (error) {
          connection.emit('error', error);
        }
      });
    }
  };
}

/**
 * A connection on which the server shows that it knows the password, too. Without TLS, whoever listens in its place, as another
 * user of the machine can while it starts again, would be told the password, or be taken for the database. pg calls each of
 * these methods by its name when a message of that kind has arrived, in whatever order they come.
 */
export class ProvenClient extends pg.Client {
  #isBelieved = false;

  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this.#inner;
    // After an error nothing more is said there, and whoever has sent it may leave the connection open.
    connection.on('error', () => connection.stream.destroy());
    readSafely(connection);
  }

  _handleAuthCleartextPassword(message: unknown): void {
    if (this.#isOpen) this.#refuse('asks for the password itself');
    else inherited._handleAuthCleartextPassword.call(this, message);
  }

  /** What pg answers lets others guess the password, and pretend to know it. */
  _handleAuthMD5Password(message: unknown): void {
    if (this.#isOpen) this.#refuse('asks for an MD5 hash of the password');
    else inherited._handleAuthMD5Password.call(this, message);
  }

  /** The fewer the rounds, the faster the password is guessed from the answer. */
  async _handleAuthSASLContinue(message: { data: string }): Promise<void> {
    // Of several, pg takes the last.
    const said = Array.from(message.data.matchAll(/(?:^|,)i=([^,]*)/g), ([, text]) => Number(text));
    const rounds = said.length === 0 ? 0 : said.reduce((least, each) => Math.min(least, each));
    if (this.#isOpen && !(rounds >= LEAST_ROUNDS)) this.#refuse(`asks for a proof of ${rounds} iterations only`);
    else await inherited._handleAuthSASLContinue.call(this, message);
  }

  _handleAuthSASLFinal(message: unknown): void {
    inherited._handleAuthSASLFinal.call(this, message);
    this.#isBelieved = this.#inner.saslSession === null;
  }

  /** At first, and after each statement. It also comes without a word about the login from whoever has none. */
  _handleReadyForQuery(message: unknown): void {
    this.#isBelieved ||= this.#needsNoProof;
    if (this.#isBelieved) inherited._handleReadyForQuery.call(this, message);
    else this.#refuse('has not shown that it knows the password');
  }

  _handleNotification(message: unknown): void {
    if (this.#isBelieved) inherited._handleNotification.call(this, message);
  }

  get #inner(): Inner {
    return this as unknown as Inner;
  }

  get #needsNoProof(): boolean {
    const { password } = this.#inner;
    return !this.#isOpen || password === null || password === undefined || password === '';
  }

  /** Whether others could have taken the server's place: there is neither TLS that shows whose it is nor a folder with a socket. */
  get #isOpen(): boolean {
    const { connection, host } = this.#inner;
    // What the settings say of certificates is not all: the environment may have Node take any.
    const isShown = connection.stream.authorized === true;
    return !isShown && (!host.startsWith('/') || isForAll(host));
  }

  #refuse(what: string): void {
    const { connection, host } = this.#inner;
    connection.emit('error', new Error(`PostgreSQL at ${host} ${what}: ${MUST}`));
  }
}
