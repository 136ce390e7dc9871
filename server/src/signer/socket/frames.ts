import type { Duplex } from 'node:stream';

/** The most bytes that a frame has after its length. */
export const MOST_FRAME_BYTES = 256 * 1024;
/** From its first byte to its last. */
export const FRAME_MS = 5_000;
const LENGTH_BYTES = 4;
/** Held at first of a frame that comes in parts. */
const LEAST_HELD_BYTES = 256;
const NOTHING = Buffer.alloc(0);

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
 * Passes the value of each frame that arrives to `take`. When something else arrives, or a frame is not finished in time, it
 * passes a BadFrame to `refuse` and reads no more.
 */
export function readFrames(stream: Duplex, take: (value: unknown) => void, refuse: (error: BadFrame) => void): void {
  let late: NodeJS.Timeout | undefined;
  const inTime = () => {
    clearTimeout(late);
    late = undefined;
  };
  const end = (error: BadFrame) => {
    inTime();
    stream.removeAllListeners('data');
    refuse(error);
  };
  const wait = () => {
    const waiting = setTimeout(() => {
      // What has arrived in the meantime is read first; nothing arrives where nobody reads.
      setImmediate(() => {
        if (late !== waiting) return;
        if (stream.isPaused()) wait();
        else end(new BadFrame('a frame was not finished in time'));
      });
    }, FRAME_MS);
    late = waiting;
  };
  const frames = new Frames((value) => {
    inTime();
    take(value);
  });
  stream.once('close', inTime);
  stream.on('data', (chunk: Buffer) => {
    if (stream.destroyed) return;
    try {
      frames.push(chunk);
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error;
      end(error);
      return;
    }
    if (frames.isBegun && late === undefined && !stream.destroyed) wait();
  });
}

/** Puts frames together. Holds no more bytes than twice what has arrived of a frame, in however many parts it comes. */
class Frames {
  readonly #take: (value: unknown) => void;
  #held = NOTHING;
  /** Bytes held. */
  #length = 0;
  #needed = LENGTH_BYTES;
  #isLength = true;

  constructor(take: (value: unknown) => void) {
    this.#take = take;
  }

  /** Whether part of a frame is here. */
  get isBegun(): boolean {
    return this.#length > 0 || !this.#isLength;
  }

  /** @throws BadFrame */
  push(chunk: Buffer): void {
    let rest = chunk;
    while (this.#length + rest.length >= this.#needed) {
      const missing = this.#needed - this.#length;
      this.#found(this.#length === 0 ? rest.subarray(0, missing) : this.#with(rest.subarray(0, missing)));
      rest = rest.subarray(missing);
    }
    if (rest.length > 0) this.#hold(rest);
  }

  #found(bytes: Buffer): void {
    if (this.#isLength) {
      const length = bytes.readUInt32BE();
      if (length === 0 || length > MOST_FRAME_BYTES) throw new BadFrame('the length of a frame is out of bounds');
      this.#needed = length;
      this.#isLength = false;
      return;
    }
    this.#needed = LENGTH_BYTES;
    this.#isLength = true;
    this.#take(parsed(bytes));
  }

  #with(last: Buffer): Buffer {
    this.#hold(last);
    const whole = this.#held.subarray(0, this.#length);
    this.#held = NOTHING;
    this.#length = 0;
    return whole;
  }

  #hold(part: Buffer): void {
    const length = this.#length + part.length;
    if (length > this.#held.length) {
      // Never out of the pool of Node, which would stay as long as this part of it.
      const grown = Buffer.allocUnsafeSlow(
        Math.min(this.#needed, Math.max(length, 2 * this.#held.length, LEAST_HELD_BYTES)),
      );
      this.#held.copy(grown, 0, 0, this.#length);
      this.#held = grown;
    }
    part.copy(this.#held, this.#length);
    this.#length = length;
  }
}

function parsed(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('utf8'));
  } catch {
    throw new BadFrame('a frame holds no JSON');
  }
}
