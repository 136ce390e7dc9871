import type { EventKind, SlipwayEvent } from '@slipway/client';
import type { Command } from 'commander';
import { nearest } from '../lib/nearest.js';
import { newWalletSigner } from '../signer/index.js';
import { type CommandContext, CommandError, type Result, UsageError } from './context.js';
import { lineOf } from './event-text.js';
import { example, URL_OPTION } from './program.js';
import { sandboxInfo } from './sandbox.js';
import { apiKeyOf, inWords, serviceUrl } from './service.js';
import { table } from './table.js';
import type { Deeds, Stage } from './trigger-deeds.js';

/** Approving a verification waits until its payment is final. */
const LIMIT_MS = 120_000;
const LAMPORTS = '100000000000';

/** `slipway trigger [EVENT]` */
export function triggerCommand(program: Command, context: CommandContext): void {
  program
    .command('trigger')
    .description('Cause an event in a sandbox by doing what it tells of, and print it')
    .argument('[EVENT]', 'The kind of the event; left out: lists all, and what is done for each')
    .option(...URL_OPTION)
    .addHelpText('after', example('slipway trigger', 'slipway trigger order.filled'))
    .action(async (event: string | undefined, { url }: { url?: string }) => {
      // Loaded only here: it brings the client.
      const { deeds } = await import('./trigger-deeds.js');
      context.answer(event === undefined ? listed(deeds) : shown(await trigger(context, named(deeds, event), url)));
    });
}

function listed(deeds: Deeds): Result {
  const rows = Object.entries(deeds).map(([kind, { about }]) => [kind, about]);
  return { json: Object.fromEntries(rows), text: table(['EVENT', 'WHAT IS DONE FOR IT'], rows) };
}

const shown = (event: SlipwayEvent): Result => ({ json: event, text: lineOf(event) });

interface Wanted {
  kind: EventKind;
  run: (stage: Stage) => Promise<unknown>;
}

function named(deeds: Deeds, name: string): Wanted {
  if (Object.hasOwn(deeds, name)) return { kind: name as keyof Deeds, run: deeds[name as keyof Deeds].run };
  const guess = nearest(name, Object.keys(deeds));
  throw new UsageError(
    `no event is called ${name}: ${guess ? `did you mean ${guess}?` : '"slipway trigger" lists all'}`,
  );
}

async function trigger(context: CommandContext, wanted: Wanted, option: string | undefined): Promise<SlipwayEvent> {
  const url = serviceUrl(context, option);
  try {
    return await caused(await openStage(context, url, option), wanted);
  } catch (error) {
    throw inWords(error, url);
  }
}

/** A new wallet with SOL, in a sandbox. */
async function openStage(context: CommandContext, url: string, option: string | undefined): Promise<Stage> {
  const { createClient } = await import('@slipway/client');
  const signer = newWalletSigner();
  const apiKey = await apiKeyOf(context);
  const info = await sandboxInfo(context, url);
  const client = createClient({ url, apiKey, signer, rpcUrl: info.rpcUrl, sandbox: true });
  await client.api.post('/sandbox/airdrop', { body: { wallet: signer.address, amount: LAMPORTS } });
  return { context, option, client, info, signer, signal: AbortSignal.timeout(LIMIT_MS) };
}

/** Listens, does it, and answers what has come of it. */
async function caused(stage: Stage, { kind, run }: Wanted): Promise<SlipwayEvent> {
  const { client, signer, signal } = stage;
  const failed = new AbortController();
  let done: Promise<unknown> | undefined;
  const onOpen = () => {
    done ??= run(stage).catch((error: unknown) => failed.abort(error));
  };
  const asked = { kinds: [kind], wallet: signer.address, signal: AbortSignal.any([signal, failed.signal]), onOpen };
  for await (const event of client.events(asked)) {
    await done;
    return event;
  }
  failed.signal.throwIfAborted();
  throw new CommandError(`no ${kind} has come within ${LIMIT_MS / 1_000} s`);
}
