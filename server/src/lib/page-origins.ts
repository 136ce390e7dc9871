import { createCallers } from '@slipway/localnet';

/** Tells whether pages of an origin may call: of those that are listed, or of all on this machine. */
export function pagesThatMayCall(origins: 'localhost' | readonly string[]): (origin: string) => boolean {
  if (origins === 'localhost') {
    const local = createCallers();
    return (origin) => local.mayCall(origin);
  }
  const listed = new Set(origins);
  return (origin) => listed.has(origin);
}
