import type { EventEmitter } from 'node:events';
import pg from 'pg';

/** What pg has, and has no types for. */
interface Inner {
  connection: EventEmitter & { stream: { destroy(): void } };
  host: string;
  ssl: unknown;
  password: unknown;
  _handleAuthCleartextPassword(message: unknown): void;
}

const MUST = 'without TLS it must use scram-sha-256';

/**
 * A connection on which the server shows that it knows the password, too. Without TLS, whoever listens in its place, as another
 * user of the machine can while it starts again, would be told the password, or be taken for the database.
 */
export class ProvenClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this.#inner;
    let isProven = false;
    connection.on('authenticationSASLFinal', () => {
      isProven = true;
    });
    connection.on('authenticationOk', () => {
      const { password } = this.#inner;
      const hasNone = password === null || password === undefined || password === '';
      if (!isProven && !hasNone && this.#isOpen) this.#refuse('has not shown that it knows the password');
    });
  }

  /** pg calls it by this name, and sends the password then. */
  _handleAuthCleartextPassword(message: unknown): void {
    if (this.#isOpen) this.#refuse('asks for the password itself');
    else (pg.Client.prototype as unknown as Inner)._handleAuthCleartextPassword.call(this, message);
  }

  get #inner(): Inner {
    return this as unknown as Inner;
  }

  /** Whether others could have taken the server's place: there is neither TLS nor a socket in a folder. */
  get #isOpen(): boolean {
    const { ssl, host } = this.#inner;
    return !ssl && !host.startsWith('/');
  }

  #refuse(what: string): void {
    const { connection, host } = this.#inner;
    // It may say in the same breath that it is ready.
    connection.removeAllListeners('readyForQuery');
    connection.emit('error', new Error(`PostgreSQL at ${host} ${what}: ${MUST}`));
    connection.stream.destroy();
  }
}
