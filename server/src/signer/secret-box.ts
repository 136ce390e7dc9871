import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Keeps other people's secrets, such as passwords in URLs, unreadable in the database. */
export interface SecretBox {
  /** Encrypts a text for one place, such as a row of a table: elsewhere it does not open. Never the same bytes twice. */
  seal(text: string, place: string): Promise<Uint8Array>;
  /** Undefined if it was not sealed with this key for this place, or was changed. */
  open(sealed: Uint8Array, place: string): Promise<string | undefined>;
  /** The same 32 bytes for the same text, from which nobody without the key can guess it. */
  mark(text: string): Promise<Uint8Array>;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `key`: 32 bytes that are used for nothing else. The caller may overwrite them. */
export function createSecretBox(key: Uint8Array): SecretBox {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', key, '', `slipway secrets: ${purpose}`, 32));
  const sealing = derive('seal');
  const marking = derive('mark');
  return {
    async seal(text, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, sealing, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(place));
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },

    async open(sealed, place) {
      if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv(CIPHER, sealing, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      try {
        const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },

    mark: async (text) => createHmac('sha256', marking).update(text).digest(),
  };
}
