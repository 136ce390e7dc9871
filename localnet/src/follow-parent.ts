const CHECK_MS = 250;

/**
 * Calls `gone` when npm, which started this process, has ended: npm signals only the shell between them, and a killed
 * npm signals nobody. Does nothing in a process that npm has not started.
 */
export function followParent(env: NodeJS.ProcessEnv, gone: () => void): void {
  if (env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    gone();
  }, CHECK_MS);
  check.unref();
}
