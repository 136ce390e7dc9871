import type { Answer } from '@slipway/client';
import type { Command } from 'commander';
import type { CommandContext, Result } from './context.js';
import { example, URL_OPTION } from './program.js';
import { askSandbox } from './sandbox.js';
import { requestJson, serviceUrl, WrongKey } from './service.js';

/** `slipway status` */
export function statusCommand(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('Say whether the service is well, and where everything of it is')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway status'))
    .action(async ({ url }: { url?: string }) => {
      context.answer(await status(context, serviceUrl(context, url)));
    });
}

async function status(context: CommandContext, base: string): Promise<Result> {
  const [ready, sandbox] = await Promise.all([
    requestJson(`${base}/readyz`),
    askSandbox(context, base).catch(unlessKey),
  ]);
  const isReady = ready.status === 200;
  const { checks = {} } = (ready.body ?? {}) as Partial<Answer<'get', '/readyz'>>;
  const { stopped, ...others } = checks;
  const said = Object.entries(others).map(([name, state]) => (state === 'ok' ? `${name} ok` : `${name}: ${state}`));
  const lines: [name: string, text: string][] = [
    ['Service', `${base} ${isReady ? 'is ready' : 'is NOT ready'}${said.length > 0 ? `: ${said.join(', ')}` : ''}`],
    ['Reference', `${base}/docs`],
  ];
  if (stopped !== undefined) lines.push(['Stopped', stopped]);
  if (sandbox instanceof WrongKey) lines.push(['API key', `not known here: ${sandbox.message}`]);
  else if (sandbox) {
    const { rpcUrl, apiKey, unixTimestamp, wallets } = sandbox;
    lines.push(['Console', `${base}/`], ['Chain', rpcUrl], ['Time', new Date(unixTimestamp * 1_000).toISOString()]);
    lines.push(['API key', apiKey], ...wallets.map(({ name, address }): [string, string] => [name, address]));
  }
  const info = sandbox instanceof WrongKey ? undefined : sandbox;
  const wallets = info?.wallets.map(({ name, address }) => ({ name, address }));
  const { rpcUrl, apiKey, unixTimestamp } = info ?? {};
  return {
    json: { url: base, ready: isReady, checks, ...(info && { rpcUrl, apiKey, unixTimestamp, wallets }) },
    text: lines.map(([name, text]) => `${name.padEnd(11)}${text}`).join('\n'),
    failed: !isReady,
  };
}

/** Whether a service is well, it says to everybody. */
function unlessKey(error: unknown): WrongKey {
  if (error instanceof WrongKey) return error;
  throw error;
}
