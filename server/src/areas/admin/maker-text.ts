import type { Maker as StoredMaker } from '../../store/makers.js';
import type { Maker } from './schema.js';

const HIDDEN = '***';
/** It is not asked: somebody else has written its row, or moved the URL of another one there. */
const UNREADABLE = 'https://unreadable.invalid/';

/** A maker as the admin API shows it: without the key that may be in its URL. */
export function showMaker({ id, name, url, createdAt, suspendedAt, suspendedFor }: StoredMaker): Maker {
  return {
    id,
    name,
    url: withoutSecrets(url),
    createdAt: createdAt.toISOString(),
    ...(suspendedAt && suspendedFor && { suspendedAt: suspendedAt.toISOString(), suspendedFor }),
  };
}

/** A URL with *** for what may be a key. */
export function withoutSecrets(url: string | undefined): string {
  if (url === undefined) return UNREADABLE;
  const shown = new URL(url);
  if (shown.username === '' && shown.password === '' && shown.search === '') return url;
  if (shown.password !== '') shown.password = HIDDEN;
  // Some put the key in front of the colon.
  if (shown.username !== '') shown.username = HIDDEN;
  if (shown.search !== '') shown.search = HIDDEN;
  return shown.href;
}
