/** Characters that show nothing or change the direction of the text around them: one name can look like another. */
const HIDDEN = '[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]';
const ANY_HIDDEN = new RegExp(HIDDEN, 'u');

let emojiOrHidden: RegExp | undefined;
/** Emoji come first, because some are joined by such characters. Made when it is needed: all emoji take it 40 ms. */
const pattern = () =>
  // A literal with the flag "v" needs a newer language target.
  (emojiOrHidden ??= new RegExp(`(?<emoji>\\p{RGI_Emoji})|${HIDDEN}`, ['g', 'v'].join('')));

/** What is wrong with the first hidden character of a text, such as `U+202E, which changes the direction of text`. */
export function describeHidden(text: string): string | undefined {
  if (!ANY_HIDDEN.test(text)) return undefined;
  for (const [character, emoji] of text.matchAll(pattern())) {
    if (emoji === undefined) return `${codePointOf(character)}, which ${effectOf(character)}`;
  }
  return undefined;
}

export function removeHidden(text: string): string {
  return ANY_HIDDEN.test(text) ? text.replace(pattern(), (_, emoji?: string) => emoji ?? '') : text;
}

function codePointOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

function effectOf(character: string): string {
  if (/\p{Bidi_Control}/u.test(character)) return 'changes the direction of text';
  return /\p{Cc}/u.test(character) ? 'is a control character' : 'is invisible';
}
