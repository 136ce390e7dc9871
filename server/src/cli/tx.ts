import { ROUTER_PROGRAM } from '@slipway/programs';
import { type Address, isAddress } from '@slipway/wire';
import type { Command } from 'commander';
import { type CommandContext, CommandError, UsageError } from './context.js';
import { example, URL_OPTION } from './program.js';
import { askSandbox, type SandboxInfo } from './sandbox.js';
import { configOf, serviceUrl, Unreachable, WrongKey } from './service.js';

interface Options {
  rpcUrl?: string;
  router?: string;
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
    .option(
      '--router <ADDRESS>',
      'The router, as you know it (default: that of the sandbox, or of the configuration; none with --rpc-url)',
    )
    .option(...URL_OPTION)
    .addHelpText(
      'after',
      example('slipway tx 5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'),
    )
    .action(async (transaction: string, { rpcUrl, router, url }: Options) => {
      // Loaded only here, because no other command needs it.
      const { lookAt, namesOf, readAsked } = await import('./tx-look.js');
      const asked = readAsked(transaction);
      if (router !== undefined && !isAddress(router)) throw new UsageError('--router must be the address of a program');
      // Whoever names a node goes by that alone: a service could give its own address the name of a friend.
      const sandbox =
        rpcUrl === undefined
          ? await askSandbox(context, serviceUrl(context, url)).catch((error: unknown) => {
              // The chain alone can answer.
              if (error instanceof Unreachable || error instanceof WrongKey) return undefined;
              throw error;
            })
          : undefined;
      const known = rpcUrl === undefined ? knownHere(context, sandbox) : { rpcUrl, router: undefined };
      context.answer(await lookAt(known.rpcUrl, asked, namesOf(sandbox, router ?? known.router)));
    });
}

/** A node, and the router on its chain where it is known. */
function knownHere(
  context: CommandContext,
  sandbox: SandboxInfo | undefined,
): { rpcUrl: string; router: Address | undefined } {
  if (sandbox) return { rpcUrl: sandbox.rpcUrl, router: ROUTER_PROGRAM };
  const { chain, programs } = configOf(context);
  // Anybody can have the secret key of the sandboxes' router, and put a program there on another chain.
  const router = programs.router === ROUTER_PROGRAM ? undefined : programs.router;
  if (chain.kind === 'outside') return { rpcUrl: chain.rpcUrl, router };
  throw new CommandError('no node to ask: start the service, or say where a node is: --rpc-url');
}
