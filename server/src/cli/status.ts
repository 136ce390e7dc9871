import type { Answer } from '@slipway/client';
import type { Command } from 'commander';
import type { CommandContext, Result } from './context.js';
import { example, URL_OPTION } from './program.js';
import { askSandbox } from './sandbox.js';
import { requestJson, serviceUrl } from './service.js';

/** `slipway status` */
export function statusCommand(program: Command, context: CommandContext): void {
  program
    .command('status')
    .description('Say whether the service is well, and where everything of it is')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway status'))
    .action(async ({ url }: { url?: string }) => {
      context.answer(await status(serviceUrl(context, url)));
    });
}

async function status(base: string): Promise<Result> {
  const [ready, sandbox] = await Promise.all([requestJson(`${base}/readyz`), askSandbox(base)]);
  const isReady = ready.status === 200;
  const { checks = {} } = (ready.body ?? {}) as Partial<Answer<'get', '/readyz'>>;
  const { stopped, ...others } = checks;
  const said = Object.entries(others).map(([name, state]) => (state === 'ok' ? `${name} ok` : `${name}: ${state}`));
  const lines: [name: string, text: string][] = [
    ['Service', `${base} ${isReady ? 'is ready' : 'is NOT ready'}${said.length > 0 ? `: ${said.join(', ')}` : ''}`],
    ['Reference', `${base}/docs`],
  ];
  if (stopped !== undefined) lines.push(['Stopped', stopped]);
  if (sandbox) {
    const { rpcUrl, apiKey, unixTimestamp, wallets } = sandbox;
    lines.push(['Console', `${base}/`], ['Chain', rpcUrl], ['Time', new Date(unixTimestamp * 1_000).toISOString()]);
    lines.push(['API key', apiKey], ...wallets.map(({ name, address }): [string, string] => [name, address]));
  }
  const wallets = sandbox?.wallets.map(({ name, address }) => ({ name, address }));
  const { rpcUrl, apiKey, unixTimestamp } = sandbox ?? {};
  return {
    json: { url: base, ready: isReady, checks, ...(sandbox && { rpcUrl, apiKey, unixTimestamp, wallets }) },
    text: lines.map(([name, text]) => `${name.padEnd(11)}${text}`).join('\n'),
    failed: !isReady,
  };
}
