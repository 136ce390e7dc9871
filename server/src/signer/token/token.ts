import { type Address, base58Encode } from '@slipway/wire';
import { aesGcm, CK, type Handle, type Loaded, loadCryptoki, reasonOf, type Template } from './cryptoki.js';
import { PinRefused, TokenError } from './token-error.js';

export interface TokenOptions {
  /** The PKCS#11 library of the token's maker. */
  module: string;
  /** The name that the token was given when it was initialized. */
  label: string;
  pin: string;
}

const ED25519 = Buffer.from('06032b6570', 'hex');
/** How an Ed25519 public key begins: DER for an octet string of 32 bytes, or for a bit string; or not at all. */
const POINT_PREFIXES = ['0420', '032100', ''];

/** A wrong PIN is never tried twice: a few more would lock the token. */
const PIN_FAULTS = ['CKR_PIN_INCORRECT', 'CKR_PIN_LOCKED', 'CKR_PIN_EXPIRED', 'CKR_PIN_LEN_RANGE', 'CKR_PIN_INVALID'];

/**
 * The keys in a token, by their labels. They are used one after the other. A token that was away is looked for again with
 * each use; one that comes back with other keys is not used.
 */
export class Token {
  readonly #options: TokenOptions;
  readonly #loaded: Loaded;
  #session: Handle | undefined;
  #handles = new Map<string, Handle>();
  /** What was seen at first, by label. */
  readonly #points = new Map<string, string>();
  #last: Promise<unknown> = Promise.resolve();
  #pinFault: TokenError | undefined;
  #model = '';

  /** @throws TokenError */
  static open(options: TokenOptions): Token {
    const token = new Token(options, loadCryptoki(options.module));
    token.#connect();
    return token;
  }

  private constructor(options: TokenOptions, loaded: Loaded) {
    this.#options = options;
    this.#loaded = loaded;
  }

  /** The token by its label, and what it is. */
  get name(): string {
    return `the token ${this.#options.label} (${this.#model})`;
  }

  /** Whether there is a private or secret key with this label. */
  has(label: string): Promise<boolean> {
    return this.#use((session) =>
      [CK.PRIVATE_KEY, CK.SECRET_KEY].some((kind) => this.#find(session, kind, label).length > 0),
    );
  }

  /** The address of an Ed25519 key. @throws TokenError */
  publicKey(label: string): Promise<Address> {
    return this.#use((session) => base58Encode(this.#point(session, label)) as Address);
  }

  /** The Ed25519 signature (64 bytes). @throws TokenError */
  sign(label: string, message: Uint8Array): Promise<Uint8Array> {
    return this.#use(async (session) => {
      this.#point(session, label);
      const key = this.#one(session, CK.PRIVATE_KEY, label);
      this.#loaded.cryptoki.C_SignInit(session, { mechanism: CK.EDDSA, parameter: null }, key);
      const signature = await this.#loaded.cryptoki.C_SignAsync(session, Buffer.from(message), Buffer.alloc(64));
      return new Uint8Array(signature);
    });
  }

  /** Encrypts with AES-GCM; the tag is at the end. @throws TokenError */
  encrypt(label: string, nonce: Uint8Array, associated: Uint8Array, plain: Uint8Array): Promise<Uint8Array> {
    return this.#use((session) => {
      const { cryptoki } = this.#loaded;
      const key = this.#one(session, CK.SECRET_KEY, label);
      cryptoki.C_EncryptInit(session, aesGcm(this.#loaded, nonce, associated), key);
      return new Uint8Array(cryptoki.C_Encrypt(session, Buffer.from(plain), Buffer.alloc(plain.length + 16)));
    });
  }

  /** @throws TokenError, also where the key is another one or the bytes were changed. */
  decrypt(label: string, nonce: Uint8Array, associated: Uint8Array, sealed: Uint8Array): Promise<Uint8Array> {
    return this.#use((session) => {
      const { cryptoki } = this.#loaded;
      const key = this.#one(session, CK.SECRET_KEY, label);
      cryptoki.C_DecryptInit(session, aesGcm(this.#loaded, nonce, associated), key);
      return new Uint8Array(cryptoki.C_Decrypt(session, Buffer.from(sealed), Buffer.alloc(sealed.length)));
    });
  }

  /** Makes an Ed25519 key that never leaves the token. @throws TokenError */
  generateEd25519(label: string): Promise<void> {
    const open: Template = [
      { type: CK.TOKEN, value: true },
      { type: CK.LABEL, value: label },
      { type: CK.EC_PARAMS, value: ED25519 },
      { type: CK.VERIFY, value: true },
    ];
    const secret: Template = [...secretKey(label), { type: CK.SIGN, value: true }];
    return this.#use((session) => {
      const mechanism = { mechanism: CK.GENERATE_EDWARDS, parameter: null };
      this.#loaded.cryptoki.C_GenerateKeyPair(session, mechanism, open, secret);
    });
  }

  /** Makes an AES key that never leaves the token. @throws TokenError */
  generateAes(label: string): Promise<void> {
    const template: Template = [
      { type: CK.CLASS, value: CK.SECRET_KEY },
      { type: CK.KEY_TYPE, value: CK.AES },
      { type: CK.VALUE_LEN, value: 32 },
      ...secretKey(label),
      { type: CK.ENCRYPT, value: true },
      { type: CK.DECRYPT, value: true },
    ];
    return this.#use((session) => {
      this.#loaded.cryptoki.C_GenerateKey(session, { mechanism: CK.GENERATE_AES, parameter: null }, template);
    });
  }

  /** Whatever uses the session waits for its turn: a session has one operation at a time. */
  #use<T>(work: (session: Handle) => T | Promise<T>): Promise<T> {
    const turn = this.#last.then(() => this.#tried(work));
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #tried<T>(work: (session: Handle) => T | Promise<T>): Promise<T> {
    try {
      if (this.#session !== undefined) {
        return await work(this.#session);
      }
    } catch (error) {
      if (error instanceof TokenError) throw error;
      // Whatever went wrong, another session tells whether it was the session.
    }
    try {
      return await work(this.#connect());
    } catch (error) {
      throw error instanceof TokenError ? error : new TokenError(`${this.#where}: ${reasonOf(error)}`);
    }
  }

  get #where(): string {
    return `the token ${this.#options.label}`;
  }

  /** Begins anew: a library that has lost its token finds it only when it is initialized again. */
  #connect(): Handle {
    if (this.#pinFault !== undefined) throw this.#pinFault;
    const { cryptoki } = this.#loaded;
    const { label, module } = this.#options;
    this.#session = undefined;
    this.#handles = new Map();
    try {
      cryptoki.C_Finalize();
    } catch {
      // It was not initialized.
    }
    try {
      cryptoki.C_Initialize({ flags: CK.OS_LOCKING });
      const slots = cryptoki.C_GetSlotList(true).flatMap((slot) => {
        const info = cryptoki.C_GetTokenInfo(slot);
        return info.label.trim() === label ? [{ slot, model: info.model.trim() }] : [];
      });
      const [found] = slots;
      if (found === undefined) throw new TokenError(`${this.#where} is not there: ${module} knows none of this label`);
      if (slots.length > 1) throw new TokenError(`${this.#where} is there ${slots.length} times`);
      this.#model = found.model;
      const session = cryptoki.C_OpenSession(found.slot, CK.SERIAL_SESSION | CK.RW_SESSION);
      this.#logIn(session);
      this.#session = session;
      return session;
    } catch (error) {
      if (error instanceof TokenError) throw error;
      throw new TokenError(`${this.#where} cannot be opened (${reasonOf(error)})`);
    }
  }

  #logIn(session: Handle): void {
    try {
      this.#loaded.cryptoki.C_Login(session, CK.USER, this.#options.pin);
    } catch (error) {
      const reason = reasonOf(error);
      if (!PIN_FAULTS.includes(reason)) throw error;
      this.#pinFault = new PinRefused(
        `${this.#where} does not take the PIN (${reason}): check SLIPWAY_SIGNER_PIN, and start again; it is not tried twice, because a token locks itself`,
      );
      throw this.#pinFault;
    }
  }

  #find(session: Handle, kind: number, label: string): Handle[] {
    const { cryptoki } = this.#loaded;
    cryptoki.C_FindObjectsInit(session, [
      { type: CK.CLASS, value: kind },
      { type: CK.LABEL, value: label },
    ]);
    try {
      return cryptoki.C_FindObjects(session, 2);
    } finally {
      cryptoki.C_FindObjectsFinal(session);
    }
  }

  #one(session: Handle, kind: number, label: string): Handle {
    const known = this.#handles.get(`${kind} ${label}`);
    if (known !== undefined) return known;
    const [found, second] = this.#find(session, kind, label);
    if (found === undefined) throw new TokenError(`${this.#where} has no key ${label}`);
    if (second !== undefined) throw new TokenError(`${this.#where} has two keys ${label}`);
    this.#handles.set(`${kind} ${label}`, found);
    return found;
  }

  /** The 32 bytes of a public key. */
  #point(session: Handle, label: string): Buffer {
    const handle = this.#one(session, CK.PUBLIC_KEY, label);
    const [attribute] = this.#loaded.cryptoki.C_GetAttributeValue(session, handle, [{ type: CK.EC_POINT }]);
    const hex = attribute?.value.toString('hex') ?? '';
    const prefix = POINT_PREFIXES.find((each) => hex.length === each.length + 64 && hex.startsWith(each));
    if (prefix === undefined) throw new TokenError(`the key ${label} in ${this.#where} is no Ed25519 key`);
    const point = hex.slice(prefix.length);
    const first = this.#points.get(label) ?? point;
    if (first !== point) {
      throw new TokenError(`${this.#where} has another key ${label} than before: if that is meant, start again`);
    }
    this.#points.set(label, point);
    return Buffer.from(point, 'hex');
  }
}

function secretKey(label: string): Template {
  return [
    { type: CK.TOKEN, value: true },
    { type: CK.PRIVATE, value: true },
    { type: CK.SENSITIVE, value: true },
    { type: CK.EXTRACTABLE, value: false },
    { type: CK.LABEL, value: label },
  ];
}
