/**
 * Characters that show nothing or change the direction of the text around them, so that one name can look like another.
 * Emoji are matched first, because some are joined by such characters.
 */
const EMOJI_OR_HIDDEN = new RegExp(
  '(?<emoji>\\p{RGI_Emoji})|[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]',
  // A literal with this flag needs a newer language target.
  ['g', 'v'].join(''),
);

/** What is wrong with the first hidden character of a text, such as `U+202E, which changes the direction of text`. */
export function describeHidden(text: string): string | undefined {
  for (const [character, emoji] of text.matchAll(EMOJI_OR_HIDDEN)) {
    if (emoji === undefined) return `${codePointOf(character)}, which ${effectOf(character)}`;
  }
  return undefined;
}

export function removeHidden(text: string): string {
  return text.replace(EMOJI_OR_HIDDEN, (_, emoji?: string) => emoji ?? '');
}

function codePointOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

function effectOf(character: string): string {
  if (/\p{Bidi_Control}/u.test(character)) return 'changes the direction of text';
  return /\p{Cc}/u.test(character) ? 'is a control character' : 'is invisible';
}
