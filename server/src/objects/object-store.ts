/** Where objects are kept: an S3-compatible bucket, or the data folder. Keys as `checkKey` permits them. */
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
}

export interface PresignedPut {
  readonly key: string;
  readonly contentType: string;
  /**
   * Bytes. S3 can bind an exact length only: with `max`, it takes what is longer (5 GB at most), and the length is
   * found out when the object is read.
   */
  readonly length: { readonly exact: number } | { readonly max: number };
  readonly expiresInSeconds: number;
}

export interface ObjectHead {
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
