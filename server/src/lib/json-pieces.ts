/** How many arrays and objects of JSON that a stranger sends may stand in each other. No body of the API has more than four. */
export const MAX_NESTING = 16;
/** How many arrays, objects and commas: of 256 KiB of tiny objects, parsing takes as long as of many times as much text. */
export const MAX_PIECES = 4_000;

/**
 * What is expected of JSON that would take long to parse; undefined for any other text. Counts brackets and commas outside
 * of strings, which takes a hundredth of the time that parsing such JSON takes.
 */
export function whyTooManyPieces(json: string): string | undefined {
  let depth = 0;
  let pieces = 0;
  let inString = false;
  for (let index = 0; index < json.length; index++) {
    const character = json.charCodeAt(index);
    if (character === 0x22 /* " */) inString = !inString;
    else if (inString) index += character === 0x5c /* \ */ ? 1 : 0;
    else if (character === 0x5b /* [ */ || character === 0x7b /* { */) {
      depth += 1;
      pieces += 1;
      if (depth > MAX_NESTING) return `JSON that is nested at most ${MAX_NESTING} levels deep`;
    } else if (character === 0x2c /* , */) pieces += 1;
    else if (character === 0x5d /* ] */ || character === 0x7d /* } */) depth -= 1;
    if (pieces > MAX_PIECES) return `JSON of at most ${MAX_PIECES} pieces`;
  }
  return undefined;
}
