/** Milliseconds to wait for what will come: a busy machine takes its time, and only a fault should end the wait. */
export const PATIENCE_MS = 60_000;
