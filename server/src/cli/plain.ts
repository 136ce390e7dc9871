import { removeHidden } from '../lib/hidden-characters.js';

/**
 * Removes from what others have named what would not be seen: control characters, which steer the terminal, and those
 * that make one text look like another.
 */
export const plain = removeHidden;

/** The same for text of several lines. */
export const plainLines = (text: string): string => text.split('\n').map(plain).join('\n');

/** What a service says within a line of ours: it must not begin one that looks like ours. */
export const onOneLine = (text: string): string => text.replaceAll('\n', ' ');
