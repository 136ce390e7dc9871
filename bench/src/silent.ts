// Loaded before the service where events are measured: the same program, but what it does is told to nobody.
import { register } from 'node:module';

const hooks = `
export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (!url.endsWith('/server/dist/store/event-outbox.js')) return loaded;
  const source = String(loaded.source).replace('if (events.length === 0)', 'if (true)');
  if (source === String(loaded.source)) throw new Error('event-outbox.js has changed: bench/src/silent.ts silences nothing');
  return { ...loaded, source };
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
