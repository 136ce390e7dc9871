/**
 * The same text in memory of its own. What Node cuts out of a text, such as a parameter out of a URL, keeps the whole of it in
 * memory for as long as it lives itself.
 */
export const ownText = (text: string): string => Buffer.from(text).toString();
