// What Buffer does where there is one.

export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** Throws a RangeError for what is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    throw new RangeError('this is not base64');
  }
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}
