import type { WalletKeySource } from './wallet-keys.js';

/** Key management, or a key in it, cannot be used. The message holds no secret. */
export class KeyManagementError extends Error {
  override readonly name: string = 'KeyManagementError';
}

/** Told when a key cannot be used any more, and when all can again. */
export type OnChange = (change: { away: string } | { back: true }) => void;

/** The content of a whole signer file, and its path for messages. */
export interface SeedText {
  text: string;
  path: string;
}

/**
 * Where keys come from that are in no file: a token, or a service. The keys of the wallets are made there, and never leave it.
 * Everything throws KeyManagementError while it cannot be
 * used, finds it again by itself, and ends within the time that a caller of the signer waits for an answer.
 */
export interface KeyManagement extends WalletKeySource {
  /** What it is, and which one, for messages. */
  readonly name: string;
  /** Of the signer files that it opens; no other kind has it. */
  readonly fileVersion: number;
  /** For how many milliseconds keys that have been tried need not be tried again. */
  readonly trialMs: number;
  /** Has whatever `init` needs: makes it where it can, and otherwise throws. What is there is used. */
  prepare(): Promise<void>;
  /** The content of a signer file of this version, encrypted with this key, or with the first one. */
  sealSeed(seed: Uint8Array, key?: string): Promise<string>;
  /**
   * The seed in a signer file of this version; `key` is one that was not yet named when this was opened.
   *
   * @throws PrivateFileError when the file is damaged, or of another key.
   */
  openSeed(file: SeedText, key?: string): Promise<Uint8Array>;
  /** The key that a signer file of this version is encrypted with. */
  seedKeyOf(text: string): string;
  /** The key for `rekey`, made where it can be: the one that the operator wants, or the one after that of the file. */
  keyAfter(old: string, wanted: string | undefined): Promise<string>;
}
