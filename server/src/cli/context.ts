/** What a command may use of the process that runs it. */
export interface CliContext {
  env: Record<string, string | undefined>;
  cwd: string;
  stdout(text: string): void;
  stderr(text: string): void;
  /** Whether standard output is a terminal that shows colors. */
  colors: boolean;
  /** Whether the command line asks for JSON: for a command that speaks before it has ended. */
  json?: boolean;
}

/** What a command has to say: `json` for programs, `text` for people. `failed` makes the exit code 1. */
export interface Result {
  json: unknown;
  text: string;
  failed?: boolean;
}

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command was understood but could not be done: exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
