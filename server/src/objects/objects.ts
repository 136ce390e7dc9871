import type { StoredObject } from './object-store.js';

/** A content type that an upload can have. */
export type UploadType = ImageType | 'application/json';
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/**
 * Files that users hand in and that everybody can read afterwards. An upload is not public before it has been checked:
 * the local store checks at the PUT, and S3, where the bytes do not pass here, at `publish`.
 *
 * A key is `<folder>/<name>`, such as `images/<mint>` or `metadata/<mint>.json`: folder of a-z, name of letters,
 * digits, `.`, `_` and `-`, 1 to 128 characters, no `.` at its beginning.
 */
export interface Objects {
  /** Bytes that an image may have. */
  readonly maxImageBytes: number;
  /**
   * URL for the client's PUT of this key, with `contentType` as its header. May be used again until it expires, also
   * by its holder to replace what he has uploaded; what is published stays as it is.
   */
  presignUpload(upload: { key: string; contentType: UploadType }): Promise<string>;
  /** Where everybody can read the key once it is published. */
  publicUrl(key: string): string;
  /** What has been uploaded for the key and not been published, checked. @throws ContentRefused where it is no good. */
  uploaded(key: string): Promise<CheckedObject | undefined>;
  /**
   * Checks what has been uploaded for the key and makes it public. May be called again: without a new upload nothing
   * changes. False where nothing has been uploaded and nothing is public. @throws ContentRefused
   */
  publish(key: string): Promise<boolean>;
  /** Checks bytes that came another way and makes them public at once. @throws ContentRefused */
  store(key: string, object: StoredObject): Promise<void>;
  /** What is public under the key. */
  read(key: string): Promise<StoredObject | undefined>;
  /** Removes what is public under the key, and what has been uploaded for it. */
  remove(key: string): Promise<void>;
}

export interface CheckedObject extends StoredObject {
  /** Of an upload of JSON: the metadata. */
  readonly metadata?: TokenMetadata;
}

/** Metadata of a token, as wallets read it. */
export interface TokenMetadata {
  readonly name: string;
  readonly symbol: string;
  readonly image: string;
  readonly description?: string;
  readonly website?: string;
  readonly twitter?: string;
  readonly telegram?: string;
}
