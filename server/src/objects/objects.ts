import {
  checkImage,
  checkMetadata,
  type ImageType,
  isImageType,
  MAX_METADATA_BYTES,
  type TokenMetadata,
} from './content.js';
import {
  ContentRefused,
  INCOMING,
  isPublicKey,
  type ObjectStore,
  requireSize,
  type StoredObject,
} from './object-store.js';

/** A content type that an upload can have. */
export type UploadType = ImageType | 'application/json';

/**
 * Files that users upload and that everybody can read afterwards. An upload is not public before it has been checked:
 * the local store checks at the PUT, and S3, where the bytes do not pass through us, at `publish`.
 *
 * A key is `<folder>/<name>`, such as `images/<mint>` or `metadata/<mint>.json`: folder of a-z, name of letters,
 * digits, `.`, `_` and `-`, 1 to 128 characters, no `.` at its beginning. What is uploaded has a key, too, which may be
 * another one than that under which it is published.
 */
export interface Objects {
  /** The most bytes that an image may have. */
  readonly maxImageBytes: number;
  /**
   * URL for the client's PUT of this key, with `contentType` as its header. It can be used again until it expires, also
   * to replace the upload; what is published stays as it is. `uploader`: see `PresignedPut`.
   */
  presignUpload(upload: { key: string; contentType: UploadType; uploader?: string }): Promise<string>;
  /** Where everybody can read the key once it is published. */
  publicUrl(key: string): string;
  /** How many bytes have been uploaded for the key and not published yet; 0 for nothing. */
  uploadedBytes(key: string): Promise<number>;
  /**
   * The upload for the key that has not been published yet, checked. @throws ContentRefused if it is not valid, or has
   * more than `mostBytes`: those that were counted before, as it may have been replaced since. Then none of it was read.
   */
  uploaded(key: string, mostBytes?: number): Promise<CheckedObject | undefined>;
  /**
   * Checks an upload and makes it public under the key, for good: what is public already stays as it is. False if
   * nothing has been uploaded and nothing is public. @throws ContentRefused as `uploaded`
   */
  publish(upload: string, key: string, mostBytes?: number): Promise<boolean>;
  /** Checks bytes that came another way and makes them public at once. @throws ContentRefused */
  store(key: string, object: StoredObject): Promise<void>;
  /** What is public under the key. */
  read(key: string): Promise<StoredObject | undefined>;
  /** Removes what has been uploaded for the key and not been published. */
  removeUpload(key: string): Promise<void>;
  /** Removes what is public under the key. */
  remove(key: string): Promise<void>;
}

export interface CheckedObject extends StoredObject {
  /** Of an upload of JSON: the metadata. */
  readonly metadata?: TokenMetadata;
}

interface ObjectLimits {
  readonly maxImageBytes: number;
  /** How long a presigned URL is valid. */
  readonly urlSeconds: number;
}

/** Every call may throw an Outage STORAGE_UNAVAILABLE, and a RangeError for an invalid key. */
export function createObjects(store: ObjectStore, { maxImageBytes, urlSeconds }: ObjectLimits): Objects {
  const maxBytes = Math.max(maxImageBytes, MAX_METADATA_BYTES);
  const publicKey = (key: string): string => {
    if (!isPublicKey(key)) throw new RangeError(`${JSON.stringify(key.slice(0, 200))} is no key that can be public`);
    return key;
  };
  const incoming = (key: string): string => INCOMING + publicKey(key);

  async function uploaded(key: string, mostBytes = maxBytes): Promise<CheckedObject | undefined> {
    const object = await store.get(incoming(key), Math.min(mostBytes, maxBytes));
    return object && checkContent(object, maxImageBytes);
  }

  return {
    maxImageBytes,
    presignUpload: ({ key, contentType, uploader }) =>
      store.presignPut({
        key: incoming(key),
        contentType,
        uploader,
        length: { max: limitOf(contentType, maxImageBytes) },
        expiresInSeconds: urlSeconds,
      }),
    publicUrl: (key) => store.publicUrl(publicKey(key)),
    uploadedBytes: async (key) => (await store.head(incoming(key)))?.size ?? 0,
    uploaded,
    async publish(upload, key, mostBytes) {
      if ((await store.head(publicKey(key))) === undefined) {
        const object = await uploaded(upload, mostBytes);
        if (!object) return false;
        await store.put(key, object);
      }
      await store.delete(incoming(upload));
      return true;
    },
    async store(key, object) {
      await store.put(publicKey(key), checkContent(object, maxImageBytes));
    },
    read: (key) => store.get(publicKey(key), maxBytes),
    removeUpload: (key) => store.delete(incoming(key)),
    remove: (key) => store.delete(publicKey(key)),
  };
}

/** Checks that bytes are what their content type says. @throws ContentRefused */
export function checkContent({ contentType, bytes }: StoredObject, maxImageBytes: number): CheckedObject {
  requireSize(bytes.length, limitOf(contentType, maxImageBytes));
  if (!isImageType(contentType)) return { contentType, bytes, metadata: checkMetadata(bytes) };
  checkImage(contentType, bytes);
  return { contentType, bytes };
}

/** @throws ContentRefused for a type that no upload can have. */
function limitOf(contentType: string, maxImageBytes: number): number {
  if (isImageType(contentType)) return maxImageBytes;
  if (contentType === 'application/json') return MAX_METADATA_BYTES;
  throw new ContentRefused(
    `${contentType || 'no content type'}: expected image/png, image/jpeg, image/gif, image/webp or application/json`,
  );
}
