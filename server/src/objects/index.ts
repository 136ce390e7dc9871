export { type ImageType, imageTypes, MAX_METADATA_BYTES, type TokenMetadata } from './content.js';
export { createLocalStore, type LocalStore, type OpenObject } from './local-store.js';
export { ContentRefused, INCOMING, isPublicKey, PUBLIC_CACHE, type StoredObject } from './object-store.js';
export { type CheckedObject, checkContent, createObjects, type Objects, type UploadType } from './objects.js';
export { createS3Store, type S3Store } from './s3-store.js';
