import { once } from 'node:events';
import type { Address } from '@slipway/wire';
import type { Command } from 'commander';
import { createClock, steadyNow } from '../lib/clock.js';
import { version } from '../lib/version.js';
import { openKeyFile } from '../signer/index.js';
import { toSmallestUnit } from './amount.js';
import { type CommandContext, UsageError } from './context.js';
import type { Limit } from './mcp-purse.js';
import type { Token } from './mcp-tools.js';
import { example, URL_OPTION } from './program.js';
import { apiKeyOf, serviceUrl } from './service.js';

interface Options {
  keyFile?: string;
  limit?: string[];
  sandbox?: true;
  rpcUrl?: string;
  router?: string;
  url?: string;
}

/** `slipway mcp` */
export function mcpCommand(program: Command, context: CommandContext): void {
  program
    .command('mcp')
    .description('Offer swaps and orders to an assistant, by the Model Context Protocol on standard input and output')
    .option('--key-file <FILE>', 'The wallet that it signs for; without one it only reads')
    .option('--limit <TOKEN=AMOUNT...>', 'What it may spend at most until it ends; nothing of any other token')
    .option('--sandbox', 'The service is a sandbox: its router is trusted, and its chain is asked')
    .option(
      '--rpc-url <URL>',
      'A node of the chain that you trust (default: SLIPWAY_RPC_URL, which shows its key to nobody else): says how many decimals tokens have, and what lookup tables hold',
    )
    .option('--router <ADDRESS>', "The service's router, as you know it")
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway mcp --sandbox --key-file alice.json --limit SOL=2 USDC=100'))
    .action((options: Options) => serveTools(context, options));
}

async function serveTools(context: CommandContext, options: Options): Promise<void> {
  const { keyFile, limit: limits = [], sandbox, router } = options;
  // A sandbox has a node of its own.
  const trusted = options.rpcUrl ?? (sandbox ? undefined : context.env.SLIPWAY_RPC_URL || undefined);
  if (keyFile !== undefined && limits.length === 0)
    throw new UsageError('--key-file needs --limit: what may be spent at most, such as --limit SOL=2 USDC=100');
  if (keyFile !== undefined && !sandbox && trusted === undefined)
    throw new UsageError(
      '--key-file needs --rpc-url or SLIPWAY_RPC_URL, a node that you trust: it says what whole tokens are, and not the service',
    );
  // Loaded only here, because no other command needs them.
  const [{ createClient }, { createTools, tokenOf }, { createPurse }, { StdioServerTransport }] = await Promise.all([
    import('@slipway/client'),
    import('./mcp-tools.js'),
    import('./mcp-purse.js'),
    import('@modelcontextprotocol/sdk/server/stdio.js'),
  ]);
  const url = serviceUrl(context, options.url);
  const apiKey = await apiKeyOf(context);
  const signer = keyFile === undefined ? undefined : await openKeyFile(keyFile);
  const bare = createClient({ url, apiKey });
  const info = sandbox ? () => bare.api.get('/sandbox/info') : undefined;
  const rpcUrl = trusted ?? (await info?.())?.rpcUrl;
  const programs = router === undefined ? {} : { router };
  const client = createClient({ url, apiKey, signer, rpcUrl, programs, sandbox });
  const decimalsOf = rpcUrl === undefined ? undefined : await decimalsBy(rpcUrl);
  const named = (name: string) => tokenOf({ client, decimalsOf }, name);
  const purse = createPurse(await Promise.all(limits.map((text) => limitOf(text, named))));
  const server = createTools({
    client,
    decimalsOf,
    wallet: signer?.address,
    purse,
    version: version(),
    steadyNow,
    chainTime: async () => (info === undefined ? createClock().now() : (await info()).unixTimestamp * 1_000),
  });
  const closed = once(process.stdin, 'close');
  await server.connect(new StdioServerTransport());
  await closed;
  await server.close();
}

/** How many decimals tokens have, by a node. */
async function decimalsBy(url: string): Promise<(mint: string) => Promise<number | undefined>> {
  const { createAccountReader, createHttpRpc, mintFacts } = await import('../chain/index.js');
  const read = createAccountReader(createHttpRpc({ url }));
  return async (mint) => mintFacts(await read(mint as Address))?.decimals;
}

async function limitOf(text: string, find: (name: string) => Promise<Token>): Promise<Limit> {
  const [name = '', amount] = text.split('=');
  if (name === '' || amount === undefined)
    throw new UsageError(`--limit: expected TOKEN=AMOUNT, such as SOL=2, not ${text}`);
  const { id: mint, symbol, decimals } = await find(name);
  return { mint, symbol, decimals, most: toSmallestUnit(amount, decimals) };
}
