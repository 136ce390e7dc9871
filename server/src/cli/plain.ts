import { removeHidden } from '../lib/hidden-characters.js';

/**
 * Removes from what others have named what would not be seen: control characters, which steer the terminal, and those
 * that make one text look like another.
 */
export const plain = removeHidden;

/** The same for text of several lines. */
export const plainLines = (text: string): string => text.split('\n').map(plain).join('\n');

/** JSON with control characters, of which some steer a terminal, as escapes. */
export const plainJson = (json: string): string =>
  json.replace(/[\x7f-\x9f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
