import type { SlipwayEvent } from '@slipway/client';
import { plain } from './plain.js';

/** An event on a line of a terminal. */
export function lineOf({ number, kind, at, wallet, data }: SlipwayEvent): string {
  const facts = Object.entries({ wallet, ...data }).filter(([, value]) => value !== undefined);
  return plain([at, `#${number}`, kind, ...facts.map(([name, value]) => `${name}=${value}`)].join('  '));
}
