/** What the signer may use of its process. */
export interface SignerContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  stdout(text: string): void;
  stderr(text: string): void;
  /** Resolves when the process is told to end. */
  ended(): Promise<string>;
}
