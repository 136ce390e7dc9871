import type { Command } from 'commander';
import { type CommandContext, CommandError } from './context.js';
import { example, URL_OPTION } from './program.js';
import { askSandbox } from './sandbox.js';
import { configOf, serviceUrl, Unreachable, WrongKey } from './service.js';

interface Options {
  rpcUrl?: string;
  url?: string;
}

/** `slipway tx TRANSACTION` */
export function txCommand(program: Command, context: CommandContext): void {
  program
    .command('tx')
    .description('Say what a transaction does, or what it has done')
    .argument('<TRANSACTION>', 'The signature of one that was sent, or a whole one in base64')
    .option(
      '--rpc-url <URL>',
      'A node of the chain, which alone is asked (default: that of the sandbox, or of the configuration)',
    )
    .option(...URL_OPTION)
    .addHelpText(
      'after',
      example('slipway tx 5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'),
    )
    .action(async (transaction: string, { rpcUrl, url }: Options) => {
      // Loaded only here, because no other command needs it.
      const { lookAt, namesOf, readAsked } = await import('./tx-look.js');
      const asked = readAsked(transaction);
      // Whoever names a node goes by that alone: a service could give its own address the name of a friend.
      const sandbox =
        rpcUrl === undefined
          ? await askSandbox(context, serviceUrl(context, url)).catch((error: unknown) => {
              // The chain alone can answer.
              if (error instanceof Unreachable || error instanceof WrongKey) return undefined;
              throw error;
            })
          : undefined;
      const node = rpcUrl ?? sandbox?.rpcUrl ?? chainUrl(context);
      context.answer(await lookAt(node, asked, namesOf(sandbox)));
    });
}

function chainUrl(context: CommandContext): string {
  const { chain } = configOf(context);
  if (chain.kind === 'outside') return chain.rpcUrl;
  throw new CommandError('no node to ask: start the service, or say where a node is: --rpc-url');
}
