import type { Command } from 'commander';
import { example } from './program.js';

/** `slipway serve` */
export function serveCommand(program: Command): void {
  program
    .command('serve')
    .description('Run the service')
    .option('--reset', 'Delete the state of the sandbox first')
    .option('--quiet', 'Print no line for each request of a sandbox')
    .addHelpText('after', example('slipway serve', 'slipway serve --reset'))
    .action(async ({ reset, quiet }: { reset?: true; quiet?: true }) => {
      // Loaded lazily: the other commands start without the service's dependencies.
      const { runService } = await import('../main.js');
      await runService([...(reset ? ['--reset'] : []), ...(quiet ? ['--quiet'] : [])], 'slipway');
    });
}
