import { readFileSync } from 'node:fs';

/** The version of this package. The bundle lies as deep in it as this file. */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
