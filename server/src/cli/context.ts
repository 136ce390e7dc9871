/** What the command line may use of the process that runs it. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  stdout(text: string): void;
  stderr(text: string): void;
  /** Whether standard output is a terminal that shows colors. */
  readonly colors: boolean;
}

/** A command's output: `json` for programs, `text` for people. `failed` makes the exit code 1, and `leaves` makes it 4. */
export interface Result {
  readonly json: unknown;
  readonly text: string;
  readonly failed?: boolean;
  /** Whether it is done, but for something that running it again may never mend. */
  readonly leaves?: boolean;
}

/** What a command may use. */
export interface CommandContext extends CliContext {
  /** Whether the command line asks for JSON: for commands that print before they end. */
  readonly json: boolean;
  /** Prints the result of the command. */
  answer(result: Result): void;
}

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command was understood but could not be done: exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
