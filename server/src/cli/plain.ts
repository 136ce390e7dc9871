/** Removes control characters, which could move the terminal's cursor, from what others have named. */
export function plain(text: string): string {
  return text.replace(/\p{Cc}/gu, '');
}
