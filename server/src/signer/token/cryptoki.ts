import modules from 'node:module';
import { TokenError } from './token-error.js';

export type Handle = Buffer;

interface Attribute {
  type: number;
  value?: Buffer | string | number | boolean;
}
export type Template = readonly Attribute[];

interface Mechanism {
  mechanism: number;
  parameter: unknown;
}

/** What is used of the package pkcs11js, which has a function for each of PKCS#11. */
export interface Cryptoki {
  load(path: string): void;
  C_Initialize(options: { flags: number }): void;
  C_Finalize(): void;
  C_GetSlotList(isPresent: boolean): Handle[];
  C_GetTokenInfo(slot: Handle): { label: string; model: string; serialNumber: string };
  C_OpenSession(slot: Handle, flags: number): Handle;
  C_Login(session: Handle, user: number, pin: string): void;
  C_FindObjectsInit(session: Handle, template: Template): void;
  C_FindObjects(session: Handle, most: number): Handle[];
  C_FindObjectsFinal(session: Handle): void;
  C_GetAttributeValue(session: Handle, object: Handle, template: Template): { value: Buffer }[];
  C_GenerateKey(session: Handle, mechanism: Mechanism, template: Template): Handle;
  C_GenerateKeyPair(session: Handle, mechanism: Mechanism, open: Template, secret: Template): unknown;
  C_CreateObject(session: Handle, template: Template): Handle;
  C_SignInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_SignAsync(session: Handle, data: Buffer, out: Buffer): Promise<Buffer>;
  C_EncryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_Encrypt(session: Handle, data: Buffer, out: Buffer): Buffer;
  C_DecryptInit(session: Handle, mechanism: Mechanism, key: Handle): void;
  C_Decrypt(session: Handle, data: Buffer, out: Buffer): Buffer;
}

/** Numbers of the PKCS#11 specification, version 3.0. */
export const CK = {
  OS_LOCKING: 2,
  RW_SESSION: 2,
  SERIAL_SESSION: 4,
  USER: 1,
  PUBLIC_KEY: 2,
  PRIVATE_KEY: 3,
  SECRET_KEY: 4,
  AES: 0x1f,
  EC_EDWARDS: 0x40,
  CLASS: 0x000,
  TOKEN: 0x001,
  PRIVATE: 0x002,
  LABEL: 0x003,
  VALUE: 0x011,
  KEY_TYPE: 0x100,
  SENSITIVE: 0x103,
  ENCRYPT: 0x104,
  DECRYPT: 0x105,
  SIGN: 0x108,
  VERIFY: 0x10a,
  VALUE_LEN: 0x161,
  EXTRACTABLE: 0x162,
  EC_PARAMS: 0x180,
  EC_POINT: 0x181,
  GENERATE_EDWARDS: 0x1055,
  EDDSA: 0x1057,
  GENERATE_AES: 0x1080,
  AES_GCM: 0x1087,
} as const;

/** The type of the parameters of AES-GCM, in the package. */
const PARAMS_AES_GCM = 'CK_PARAMS_AES_GCM';

/** AES-GCM with a nonce of 12 bytes and a tag of 16. */
export function aesGcm({ gcmParams }: Loaded, nonce: Uint8Array, associated: Uint8Array): Mechanism {
  const parameter = {
    type: gcmParams,
    iv: Buffer.from(nonce),
    aad: Buffer.from(associated),
    ivBits: 96,
    tagBits: 128,
  };
  return { mechanism: CK.AES_GCM, parameter };
}

export interface Loaded {
  cryptoki: Cryptoki;
  gcmParams: number;
}

/** Loads the package, and with it the library of the token's maker. @throws TokenError when one of them is not there */
export function loadCryptoki(library: string): Loaded {
  let found: Record<string, unknown>;
  try {
    // By `require`, so that NODE_PATH can name where the operator has installed it.
    found = modules.createRequire(import.meta.url)('pkcs11js') as Record<string, unknown>;
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND' ? 'is not installed' : 'cannot be loaded';
    throw new TokenError(`the package pkcs11js ${why}: see "Keys in a token" in docs/signer.md`, { cause: error });
  }
  const cryptoki = new (found.PKCS11 as new () => Cryptoki)();
  try {
    cryptoki.load(library);
  } catch (error) {
    throw new TokenError(`${library} cannot be loaded: token.module must be the PKCS#11 library of the token`, {
      cause: error,
    });
  }
  return { cryptoki, gcmParams: found[PARAMS_AES_GCM] as number };
}

/** The name that PKCS#11 has for what went wrong, such as `CKR_PIN_INCORRECT`. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
