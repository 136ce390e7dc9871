import type { LocalStore } from '../../objects/index.js';

export interface ObjectsDeps {
  readonly store: LocalStore;
  readonly maxImageBytes: number;
}

/** The parts of the key in the path, decoded. */
export type KeyParams = { folder: string; name: string };
