/** A body that is longer than whoever asked for it is ready to hold. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong';
}

/**
 * The whole body as text. One of more than `most` bytes is cut off: the connection is closed and no more of it is held.
 * @throws BodyTooLong
 */
export async function readBody(response: { body: AsyncIterable<Uint8Array> | null }, most: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > most) throw new BodyTooLong(`the answer has more than ${most} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
