import type { EventsOptions, SlipwayEvent } from '@slipway/client';
import type { Command } from 'commander';
import { AppError } from '../errors/index.js';
import { readFilter } from '../events/filter.js';
import { messageOf } from '../events/messages.js';
import { createSender, type Outcome, whyNotUrl } from '../events/sender.js';
import { createClock, steadyNow } from '../lib/clock.js';
import { newWebhookSecret } from '../signer/index.js';
import { type CommandContext, UsageError } from './context.js';
import { lineOf } from './event-text.js';
import { example, URL_OPTION } from './program.js';
import { findWallet } from './sandbox.js';
import { apiKeyOf, inWords, serviceUrl } from './service.js';
import { say, untilStopped } from './until-stopped.js';

interface Options {
  forward?: string;
  types?: string;
  wallet?: string;
  url?: string;
}

/** `slipway listen` */
export function listenCommand(program: Command, context: CommandContext): void {
  program
    .command('listen')
    .description('Print what happens, as it happens, until Ctrl-C; with --forward, post it to a webhook that you write')
    .option('--forward <URL>', 'Post each event there, signed as a webhook is')
    .option('--types <KINDS>', 'Only these kinds of events, with commas between: order.*,invite.claimed')
    .option('--wallet <WALLET>', 'Only events about this wallet')
    .option(...URL_OPTION)
    .addHelpText(
      'after',
      example('slipway listen --types order.*', 'slipway listen --forward http://localhost:3000/hook'),
    )
    .action((options: Options) => listenUntilStopped(context, options));
}

async function listenUntilStopped(context: CommandContext, options: Options): Promise<void> {
  checkKinds(options);
  const forward = options.forward === undefined ? undefined : createForward(context, options.forward);
  await untilStopped((signal) => listen(context, options, { forward, signal }));
}

interface Listening {
  forward: ((event: SlipwayEvent) => Promise<Outcome>) | undefined;
  signal: AbortSignal;
}

async function listen(context: CommandContext, options: Options, { forward, signal }: Listening): Promise<void> {
  const { createClient } = await import('@slipway/client');
  const url = serviceUrl(context, options.url);
  const client = createClient({ url, apiKey: await apiKeyOf(context) });
  const asked: EventsOptions = {
    kinds: options.types?.split(',') as EventsOptions['kinds'],
    wallet: options.wallet && (await findWallet(context, url, options.wallet, '--wallet')),
    signal,
    onOpen: (after) =>
      say(context, { listening: { url, after } }, `listening to ${url}, after event ${after}; Ctrl-C ends it`),
  };
  for (let isOver = false; !isOver; ) {
    try {
      for await (const event of client.events(asked)) {
        context.stdout(context.json ? JSON.stringify(event) : lineOf(event));
        const outcome = await forward?.(event);
        if (outcome)
          context.stdout(context.json ? JSON.stringify({ number: event.number, forwarded: outcome }) : toldOf(outcome));
      }
      isOver = true;
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'gone') throw inWords(error, url);
      const why = `${(error as Error).message}; going on with what happens from now on`;
      say(context, { error: why }, `slipway: ${why}`);
    }
  }
}

/** Posts events one after another, each signed with the secret that it prints. */
function createForward(context: CommandContext, forward: string): (event: SlipwayEvent) => Promise<Outcome> {
  const why = URL.canParse(forward) ? whyNotUrl(new URL(forward), true) : 'expected http: or https:';
  if (why !== undefined) throw new UsageError(`--forward: ${why}`);
  const secret = newWebhookSecret();
  say(context, { secret }, `what is posted to ${forward} is signed with ${secret}`);
  const send = createSender({ allowsPrivate: true, steadyNow });
  const clock = createClock();
  return (event) => {
    const [number, now] = [BigInt(event.number), clock.now()];
    const webhook = { id: 'listen', url: forward, secrets: [{ secret }] };
    return send(messageOf(webhook, { number, body: JSON.stringify(event) }, { now, wallNow: now }));
  };
}

function toldOf({ status, error, milliseconds }: Outcome): string {
  return `  -> ${[status, error].filter((part) => part !== undefined).join(' ')} in ${milliseconds} ms`;
}

function checkKinds({ types }: Options): void {
  try {
    if (types !== undefined) readFilter({ kinds: types });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new UsageError(error.message.replace(/^kinds:/, '--types:'));
  }
}
