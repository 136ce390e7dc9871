import type { Maker as StoredMaker } from '../../store/makers.js';
import type { Maker } from './schema.js';

const HIDDEN = '***';

/** What is shown of a maker: its URL without the key that may be in it. */
export function showMaker({ id, name, url, createdAt }: StoredMaker): Maker {
  return { id, name, url: withoutSecrets(url), createdAt: createdAt.toISOString() };
}

function withoutSecrets(url: string): string {
  const shown = new URL(url);
  if (shown.username === '' && shown.password === '' && shown.search === '') return url;
  if (shown.password !== '') shown.password = HIDDEN;
  // Who writes the key in front of the colon has it there.
  if (shown.username !== '') shown.username = HIDDEN;
  if (shown.search !== '') shown.search = HIDDEN;
  return shown.href;
}
