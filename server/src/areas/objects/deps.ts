import type { LocalStore } from '../../objects/index.js';

export interface ObjectsDeps {
  readonly store: LocalStore;
  readonly maxImageBytes: number;
}

/** The key as its parts stand in the path, decoded. */
export type KeyParams = { folder: string; name: string };
