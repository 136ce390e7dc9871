import type { CommandContext } from './context.js';

/** Runs what goes on until Ctrl-C, with a signal of it. */
export async function untilStopped(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    await work(stop.signal);
  } finally {
    process.removeListener('SIGINT', interrupt).removeListener('SIGTERM', interrupt);
  }
}

/** Says something about the output, which itself has what was asked for and nothing else. */
export function say({ json, stderr }: CommandContext, told: object, text: string): void {
  stderr(json ? JSON.stringify(told) : text);
}
