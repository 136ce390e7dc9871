import { defineCommand } from 'citty';

/** `slipway serve` */
export function serveCommand() {
  return defineCommand({
    meta: { name: 'serve', description: 'Run the service until it is told to stop' },
    args: {
      reset: { type: 'boolean', description: 'Delete the state in the data folder first' },
    },
    run: async ({ rawArgs }): Promise<undefined> => {
      // Loaded here only: the other commands start without the service's dependencies.
      const { runService } = await import('../main.js');
      await runService(rawArgs);
    },
  });
}
