import type { Launch } from '../store/launches.js';

/** What a file of a launch is uploaded as, and the key under which everybody reads it once it is published. */
interface LaunchFile {
  readonly upload: string;
  readonly key: string;
}

export const imageKey = (mint: string): string => `images/${mint}`;
export const metadataKey = (mint: string): string => `metadata/${mint}.json`;
export const newHeaderKey = (mint: string, id: string): string => `headers/${mint}-${id}`;

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Whether a launch of this mint may have it: whoever can write to the database names any key. */
export function isHeaderKey(key: string, mint: string): boolean {
  const start = newHeaderKey(mint, '');
  return key.startsWith(start) && ID.test(key.slice(start.length));
}

/**
 * Uploads have names that no other launch of the same mint address has: one that began while its URL was good may end hours
 * later, when the address is another launch's.
 */
export function launchFiles(launch: Pick<Launch, 'mint' | 'requestId' | 'uploadsByRequest'>): {
  image: LaunchFile;
  metadata: LaunchFile;
} {
  const { mint, requestId, uploadsByRequest } = launch;
  const name = uploadsByRequest ? `${mint}-${requestId}` : mint;
  return {
    image: { upload: imageKey(name), key: imageKey(mint) },
    metadata: { upload: metadataKey(name), key: metadataKey(mint) },
  };
}
