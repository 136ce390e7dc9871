import { type Clock, createClock, steadyNow } from '../../lib/clock.js';
import type { KeyManagement } from '../key-management.js';
import { openSigner } from '../signer.js';
import type { Note } from '../socket/server.js';
import { watchWallets } from '../watch-wallets.js';
import type { SignerContext } from './context.js';
import { changesOf, openKeyManagement } from './key-management.js';
import { listenForCallers } from './listen.js';
import { createSignerLog } from './log.js';
import { Refusals, recorded, recordRefusals } from './recorded.js';
import { readSignerSettings, type SignerSettings } from './settings.js';
import { openState, type SignerState } from './state.js';

/** Serves the callers of the settings until the process is told to end. @throws whatever keeps it from starting */
export async function serve(path: string, context: SignerContext): Promise<void> {
  const settings = await readSignerSettings(path);
  const note = createSignerLog(context.stderr);
  const clock = createClock();
  const keys = await openKeyManagement(settings, context, clock);
  const state = await openState(settings, clock, note);
  try {
    await serveFrom(settings, state, { clock, keys, note }, context);
  } finally {
    state.close();
  }
}

async function serveFrom(
  settings: SignerSettings,
  { limits, stops, callerStops, record }: SignerState,
  { clock, keys, note }: { clock: Clock; keys: KeyManagement | undefined; note: Note },
  { env, stdout, ended }: SignerContext,
): Promise<void> {
  const startedAt = steadyNow();
  const port = await openSigner({
    file: settings.file,
    passphrase: env.SLIPWAY_SIGNER_PASSPHRASE,
    keys,
    onKeysChange: changesOf(settings, note),
    create: false,
    service: settings.service,
    clock,
    age: () => steadyNow() - startedAt,
    limits,
    stops,
    programs: settings.programs,
  });
  const recording = { record, refusals: new Refusals(), clock, note, callerStops };
  const ports = new Map(settings.callers.map(({ name }) => [name, recorded(port, name, recording)]));
  record.append({ at: new Date(clock.now()).toISOString(), caller: 'signer', act: 'start' });
  const listening = await listenForCallers(settings, (caller) => ports.get(caller)!, recordRefusals(recording));
  const names = settings.callers.map(
    ({ name, socket }) => `${name} (${socket?.path ?? `TLS, port ${listening.tlsPort}`})`,
  );
  const stopped = await stops();
  for (const { what, why, by } of stopped)
    note('it is stopped, until "slipway signer resume"', {
      what,
      reason: why,
      ...(by !== undefined && { caller: by }),
    });
  const still = stopped.map(({ what, why }) => ` Stopped: ${what} (${why}).`).join('');
  stdout(`The signer is ready.${still} Its callers: ${names.join(', ')}\n`);
  let failure = '';
  const unwatch = watchWallets(port, ({ message }) => {
    if (message !== failure) note('the keys of the wallets cannot be read again', { reason: message });
    failure = message;
  });
  const reason = await ended();
  unwatch();
  note('closing', { reason });
  await listening.close();
}
