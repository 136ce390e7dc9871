import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from 'commander';
import type { CommandContext } from './context.js';
import { example, URL_OPTION } from './program.js';
import { serviceUrl, unreachable } from './service.js';

const TIMEOUT_MS = 30_000;
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', linux: 'xdg-open' };

/** `slipway open` */
export function openCommand(program: Command, context: CommandContext): void {
  program
    .command('open')
    .description('Open the console in a browser, and show its address')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway open'))
    .action(async ({ url }: { url?: string }) => {
      const base = serviceUrl(context, url);
      await requireAnswer(base);
      const opened = process.stdout.isTTY === true && (await openInBrowser(`${base}/`));
      context.answer({ json: { url: `${base}/`, opened }, text: `${base}/` });
    });
}

/** What answers may be a proxy: that something does is enough. */
async function requireAnswer(base: string): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const answer = await fetch(base, { redirect: 'manual', signal }).catch((error: unknown) => {
    throw unreachable(base, error);
  });
  await answer.body?.cancel();
}

/** Whether the machine has something that opens addresses. */
async function openInBrowser(url: string): Promise<boolean> {
  const opener = OPENERS[process.platform];
  if (opener === undefined) return false;
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  child.unref();
  return once(child, 'spawn').then(
    () => true,
    () => false,
  );
}
