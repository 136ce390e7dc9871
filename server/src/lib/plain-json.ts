/** JSON with control characters, of which some steer a terminal, as escapes: those below 32 it writes so by itself. */
export const plainJson = (json: string): string =>
  json.replace(/[\x7f-\x9f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
