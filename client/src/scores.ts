import type { CallOptions } from './call.js';
import type { Connection } from './context.js';

/** The score of one event; null where nothing is known of it. */
export function score({ api }: Connection, eventId: string, { signal }: CallOptions = {}) {
  return api.get('/prediction/v1/events/{eventId}/score', { path: { eventId }, signal });
}

/** The scores of these events. */
export function scores({ api }: Connection, eventIds: readonly string[], { signal }: CallOptions = {}) {
  return api.get('/prediction/v1/events/scores', { query: { eventIds: eventIds.join(',') }, signal });
}
