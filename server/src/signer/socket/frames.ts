import type { Duplex } from 'node:stream';

/** The most bytes that a frame has after its length. */
export const MOST_FRAME_BYTES = 256 * 1024;
const LENGTH_BYTES = 4;

/** What arrived is no sequence of frames, or a frame was too long to be sent. */
export class BadFrame extends Error {
  override readonly name = 'BadFrame';
}

/** A frame: the length of the rest as four bytes, the highest first, then one value of JSON in UTF-8. @throws BadFrame */
export function encodeFrame(value: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(value));
  if (json.length > MOST_FRAME_BYTES) throw new BadFrame(`a frame has at most ${MOST_FRAME_BYTES} bytes`);
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + json.length);
  frame.writeUInt32BE(json.length);
  json.copy(frame, LENGTH_BYTES);
  return frame;
}

/**
 * Passes the value of each frame that arrives to `take`. When something else arrives, it passes a BadFrame to `refuse`
 * and reads no more.
 */
export function readFrames(stream: Duplex, take: (value: unknown) => void, refuse: (error: BadFrame) => void): void {
  let parts: Buffer[] = [];
  let length = 0;
  let needed = LENGTH_BYTES;
  const collect = (): Buffer => {
    const whole = parts.length === 1 ? parts[0]! : Buffer.concat(parts, length);
    const rest = whole.subarray(needed);
    parts = rest.length > 0 ? [rest] : [];
    length = rest.length;
    return whole.subarray(0, needed);
  };
  let isLength = true;
  const onData = (chunk: Buffer): void => {
    parts.push(chunk);
    length += chunk.length;
    while (length >= needed) {
      const found = collect();
      if (isLength) {
        needed = found.readUInt32BE();
        if (needed === 0 || needed > MOST_FRAME_BYTES) throw new BadFrame('the length of a frame is out of bounds');
      } else {
        take(parsed(found));
        needed = LENGTH_BYTES;
      }
      isLength = !isLength;
    }
  };
  stream.on('data', (chunk: Buffer) => {
    if (stream.destroyed) return;
    try {
      onData(chunk);
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error;
      stream.removeAllListeners('data');
      refuse(error);
    }
  });
}

function parsed(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('utf8'));
  } catch {
    throw new BadFrame('a frame holds no JSON');
  }
}
