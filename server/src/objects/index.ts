export { ContentRefused, type StoredObject } from './object-store.js';
export type { CheckedObject, ImageType, Objects, TokenMetadata, UploadType } from './objects.js';
