/** Where objects are kept: an S3-compatible bucket, or the data folder. Keys as `requireKey` permits them. */
export interface ObjectStore {
  readonly kind: 's3' | 'local';
  /**
   * A URL that lets its holder PUT this one key until it expires: with exactly this content type and length, and with
   * no other method. Signed here, without a network call.
   */
  presignPut(upload: PresignedPut): Promise<string>;
  /** Where everybody can read the key. Always the same URL for a key. */
  publicUrl(key: string): string;
  /** Stores all of the bytes or nothing, in place of what was there. @throws Outage STORAGE_UNAVAILABLE, as every call. */
  put(key: string, object: StoredObject): Promise<void>;
  /** Undefined where the key holds nothing. */
  head(key: string): Promise<ObjectHead | undefined>;
  /** Undefined where the key holds nothing. @throws ContentRefused when it holds more than `maxBytes`. */
  get(key: string, maxBytes: number): Promise<StoredObject | undefined>;
  /** No error if there was nothing. */
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}

interface PresignedPut {
  readonly key: string;
  readonly contentType: string;
  /**
   * Bytes. S3 can bind only an exact length: with `max` it accepts longer objects (5 GB at most), and the length is
   * checked when the object is read.
   */
  readonly length: PutLength;
  readonly expiresInSeconds: number;
  /** Whose the upload is: a key, or what all without one have together. The local store, which takes it in, bounds that of each. */
  readonly uploader?: string | undefined;
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

/** The content is not what it should be. The message is for the client: what was expected, and what to do next. */
export class ContentRefused extends Error {
  override readonly name = 'ContentRefused';
}

/** Uploads are kept under this prefix; once published, they are under their own key. */
export const INCOMING = 'incoming/';

/** How long browsers and CDNs may cache what is public; published objects never change. */
export const PUBLIC_CACHE = 'public, max-age=3600';

const PUBLIC_KEY = /^(?!incoming\/)[a-z]{1,32}\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

/** `<folder>/<name>`: nothing that a file system or a URL could interpret in another way. */
export function isPublicKey(key: string): boolean {
  return PUBLIC_KEY.test(key);
}

/** @throws RangeError unless it is a key, or a key below `incoming/`. */
export function requireKey(key: string): string {
  if (isPublicKey(key.startsWith(INCOMING) ? key.slice(INCOMING.length) : key)) return key;
  throw new RangeError(`${JSON.stringify(key.slice(0, 200))} is not a key: expected <folder>/<name>`);
}

/** @throws ContentRefused */
export function requireSize(size: number, maxBytes: number): void {
  if (size <= maxBytes) return;
  throw new ContentRefused(`${size} bytes are too many: expected at most ${maxBytes}; upload a smaller file`);
}
