/** Where objects are kept: an S3-compatible bucket, or the data folder. Keys as `requireKey` permits them. */
export interface ObjectStore {
  readonly kind: 's3' | 'local';
  /**
   * A URL to which whoever has it can PUT this one key until it expires: with exactly this content type and length,
   * and with no other method. Signed here, without a call to anybody.
   */
  presignPut(upload: PresignedPut): Promise<string>;
  /** Where everybody can read the key. Always the same for a key. */
  publicUrl(key: string): string;
  /** Stores all of the bytes or nothing, in place of what was there. @throws Outage STORAGE_UNAVAILABLE, as every call. */
  put(key: string, object: StoredObject): Promise<void>;
  /** Undefined where the key holds nothing. */
  head(key: string): Promise<ObjectHead | undefined>;
  /** Undefined where the key holds nothing. @throws ContentRefused when it holds more than `maxBytes`. */
  get(key: string, maxBytes: number): Promise<StoredObject | undefined>;
  /** Without an error where there was nothing. */
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}

interface PresignedPut {
  readonly key: string;
  readonly contentType: string;
  /**
   * Bytes. S3 can bind an exact length only: with `max` it takes what is longer (5 GB at most), and the length is
   * found out when the object is read.
   */
  readonly length: PutLength;
  readonly expiresInSeconds: number;
}

export type PutLength = { readonly exact: number } | { readonly max: number };

interface ObjectHead {
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
}

export interface StoredObject {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** What was given is not what it should be. The message is for the client: what was expected, and what to do next. */
export class ContentRefused extends Error {
  override readonly name = 'ContentRefused';
}

/** An upload is kept here, and under its own key when it has been published. */
export const INCOMING = 'incoming/';

/** How long browsers and CDNs may keep what is public; what is published never changes. */
export const PUBLIC_CACHE = 'public, max-age=3600';

const PUBLIC_KEY = /^(?!incoming\/)[a-z]{1,32}\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

/** `<folder>/<name>`: nothing that a file system or a URL could read in another way. */
export function isPublicKey(key: string): boolean {
  return PUBLIC_KEY.test(key);
}

/** @throws RangeError for what is no key, or no key below `incoming/`. */
export function requireKey(key: string): string {
  if (isPublicKey(key.startsWith(INCOMING) ? key.slice(INCOMING.length) : key)) return key;
  throw new RangeError(`${JSON.stringify(key.slice(0, 200))} is not a key: expected <folder>/<name>`);
}

/** @throws ContentRefused */
export function requireSize(size: number, maxBytes: number): void {
  if (size <= maxBytes) return;
  throw new ContentRefused(`${size} bytes are too many: expected at most ${maxBytes}; upload a smaller file`);
}
