import { crc32 } from 'node:zlib';

export interface ImageShape {
  /** Pixels. Of an animation, the largest frame. */
  readonly width: number;
  readonly height: number;
  /** What the file holds besides the picture: comments, profiles, notes of the camera. */
  readonly notes: readonly Buffer[];
}

/** The bytes are not one whole image of the format. The message says what is wrong with them. */
export class NotThatImage extends Error {
  override readonly name = 'NotThatImage';
}

/**
 * The pieces that an image may be in: so many, and one more for each so many bytes. Programs write pieces of 255 bytes and
 * more; millions of tiny ones would keep the process for seconds.
 */
const PIECES = { least: 8_192, bytesEach: 128 };

/** Reads through the bytes step by step, and refuses to read past their end. */
class Steps {
  #at = 0;
  readonly #pieces: { most: number; read: number };
  constructor(
    readonly bytes: Buffer,
    readonly format: string,
    pieces = { most: PIECES.least + Math.floor(bytes.length / PIECES.bytesEach), read: 0 },
  ) {
    this.#pieces = pieces;
  }

  /** Reads through a part of the same file: its pieces are the file's. */
  part(bytes: Buffer): Steps {
    return new Steps(bytes, this.format, this.#pieces);
  }

  get left(): number {
    return this.bytes.length - this.#at;
  }

  take(length: number): Buffer {
    if (length > this.left) throw new NotThatImage(`the ${this.format} ends too early`);
    this.piece();
    this.#at += length;
    return this.bytes.subarray(this.#at - length, this.#at);
  }

  /** Counts a piece: each `take` is one, and so is whatever else is kept or looked at by itself, even if it is empty. */
  piece(): void {
    const { most } = this.#pieces;
    if (++this.#pieces.read > most) this.fail(`is in too many small pieces: expected at most ${most} for its size`);
  }

  byte(): number {
    const byte = this.bytes[this.#at];
    if (byte === undefined) return this.fail('ends too early');
    this.#at += 1;
    return byte;
  }

  /** Skips to where the test holds for the byte there and the next one. */
  skipUntil(test: (first: number, second: number) => boolean): void {
    const { bytes } = this;
    let at = this.#at;
    while (at + 1 < bytes.length && !test(bytes[at]!, bytes[at + 1]!)) at += 1;
    this.#at = at;
  }

  fail(what: string): never {
    throw new NotThatImage(`the ${this.format} ${what}`);
  }

  /** Nothing may follow an image: that is how one file can be two. */
  end(): void {
    if (this.left > 0) this.fail(`is followed by ${this.left} bytes that do not belong to it`);
  }
}

const PNG_PIXELS: ReadonlySet<string> = new Set(['PLTE', 'IDAT', 'fdAT', 'acTL', 'fcTL']);

/** Portable Network Graphics, third edition: chunks with checksums, from IHDR to IEND. */
export function readPng(bytes: Buffer): ImageShape {
  const steps: Steps = new Steps(bytes, 'PNG');
  steps.take(8);
  let size: { width: number; height: number } | undefined;
  let hasPixels = false;
  const notes: Buffer[] = [];
  for (;;) {
    const length = steps.take(4).readUInt32BE();
    if (length > steps.left) steps.fail('ends too early');
    const chunk = steps.take(4 + length);
    const name = chunk.toString('latin1', 0, 4);
    if (steps.take(4).readUInt32BE() !== crc32(chunk))
      steps.fail(`has a chunk (${JSON.stringify(name)}) that is damaged`);
    const data = chunk.subarray(4);
    if ((name === 'IHDR') !== (size === undefined)) steps.fail('does not begin with exactly one IHDR');
    if (name === 'IHDR') {
      if (length !== 13) steps.fail('has an IHDR of the wrong length');
      size = { width: data.readUInt32BE(0), height: data.readUInt32BE(4) };
    } else if (name === 'IEND') break;
    else if (PNG_PIXELS.has(name)) hasPixels ||= name === 'IDAT';
    else notes.push(data);
  }
  if (!hasPixels) steps.fail('has no pixels (IDAT)');
  steps.end();
  return { ...size!, notes };
}

/** JPEG (ITU-T T.81, annex B): segments from SOI to EOI, with the scans between them. */
export function readJpeg(bytes: Buffer): ImageShape {
  const steps: Steps = new Steps(bytes, 'JPEG');
  steps.take(2);
  let size: { width: number; height: number } | undefined;
  let hasScan = false;
  const notes: Buffer[] = [];
  for (;;) {
    if (steps.byte() !== 0xff) steps.fail('has bytes that belong to no segment');
    let marker = steps.byte();
    while (marker === 0xff) marker = steps.byte();
    if (marker === 0xd9) break;
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xd8)) steps.fail('has a marker where none may be');
    const length = steps.take(2).readUInt16BE();
    if (length < 2) steps.fail('has a segment of an impossible length');
    const data = steps.take(length - 2);
    if (isFrame(marker)) {
      if (size || data.length < 6) steps.fail('does not have exactly one frame header');
      size = { height: data.readUInt16BE(1), width: data.readUInt16BE(3) };
    } else if (marker === 0xda) {
      if (!size) steps.fail('has a scan before its frame header');
      hasScan = true;
      // In a scan, FF is followed by 00, or by the mark of a restart.
      steps.skipUntil((first, second) => first === 0xff && second !== 0 && !(second >= 0xd0 && second <= 0xd7));
    } else if (marker >= 0xe0) notes.push(data);
  }
  if (!size || !hasScan) steps.fail('has no picture');
  steps.end();
  return { ...size, notes };
}

/** SOF0 to SOF15: C4, C8 and CC are tables and reserved. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** GIF89a: screen, then pictures and extensions in blocks of at most 255 bytes, to the trailer. */
export function readGif(bytes: Buffer): ImageShape {
  const steps: Steps = new Steps(bytes, 'GIF');
  steps.take(6);
  const colors = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  const blocks = (): Buffer => {
    steps.piece();
    const parts: Buffer[] = [];
    for (let length = steps.byte(); length > 0; length = steps.byte()) parts.push(steps.take(length));
    return Buffer.concat(parts);
  };
  const screen = steps.take(7);
  let width = screen.readUInt16LE(0);
  let height = screen.readUInt16LE(2);
  steps.take(colors(screen[4]!));
  let hasPicture = false;
  const notes: Buffer[] = [];
  for (let kind = steps.byte(); kind !== 0x3b; kind = steps.byte()) {
    if (kind === 0x21) {
      const label = steps.byte();
      const data = blocks();
      if (label !== 0xf9) notes.push(data);
    } else if (kind === 0x2c) {
      const frame = steps.take(9);
      width = Math.max(width, frame.readUInt16LE(0) + frame.readUInt16LE(4));
      height = Math.max(height, frame.readUInt16LE(2) + frame.readUInt16LE(6));
      steps.take(colors(frame[8]!) + 1);
      hasPicture = blocks().length > 0 || hasPicture;
    } else steps.fail('has a block of no known kind');
  }
  if (!hasPicture) steps.fail('has no picture');
  steps.end();
  return { width, height, notes };
}

/** WebP (RFC 9649): a RIFF container, simple (VP8, VP8L) or extended (VP8X), and in it what VP8X announces. */
export function readWebp(bytes: Buffer): ImageShape {
  const steps: Steps = new Steps(bytes, 'WebP');
  const announced = steps.take(12).readUInt32LE(4) + 8;
  if (announced > bytes.length) steps.fail('ends too early');
  if (announced < bytes.length) steps.fail(`is followed by ${bytes.length - announced} bytes that do not belong to it`);
  const notes: Buffer[] = [];
  let canvas: { width: number; height: number } | undefined;
  let hasPicture = false;
  for (let first = true; steps.left > 0; first = false) {
    const [name, data] = webpChunk(steps);
    if (first && name !== 'VP8X' && name !== 'VP8 ' && name !== 'VP8L') steps.fail('does not begin with a picture');
    if (name === 'VP8X') {
      if (!first || data.length !== 10) steps.fail('has a header (VP8X) at the wrong place or of the wrong length');
      canvas = { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 };
    } else if (name === 'VP8 ' || name === 'VP8L') {
      const size = webpPicture(steps, name, data);
      canvas ??= size;
      if (size.width !== canvas.width || size.height !== canvas.height) steps.fail('has a picture of another size');
      hasPicture = true;
    } else if (name === 'ANMF') hasPicture = webpFrame(steps.part(data), canvas, notes) || hasPicture;
    else if (name !== 'ALPH' && name !== 'ANIM') notes.push(data);
  }
  if (!canvas || !hasPicture) steps.fail('has no picture');
  return { ...canvas, notes };
}

function webpChunk(steps: Steps): [name: string, data: Buffer] {
  const head = steps.take(8);
  const length = head.readUInt32LE(4);
  // Where the length is odd, a byte follows that fills it up.
  return [head.toString('latin1', 0, 4), steps.take(length + (length % 2)).subarray(0, length)];
}

function webpPicture(steps: Steps, name: 'VP8 ' | 'VP8L', data: Buffer): { width: number; height: number } {
  if (name === 'VP8L') {
    if (data.length < 6 || data[0] !== 0x2f) steps.fail('has lossless data that is none');
    const bits = data.readUInt32LE(1);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  // A key frame: its lowest bit is 0, and its start code follows the 3 bytes of its tag.
  if (data.length < 11 || data[0]! & 1 || data.readUIntBE(3, 3) !== 0x9d012a) steps.fail('has lossy data that is none');
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff };
}

/** A frame of an animation: 16 bytes of place, size and time, then its own chunks. */
function webpFrame(steps: Steps, canvas: { width: number; height: number } | undefined, notes: Buffer[]): boolean {
  const head = steps.take(16);
  const size = { width: head.readUIntLE(6, 3) + 1, height: head.readUIntLE(9, 3) + 1 };
  const right = 2 * head.readUIntLE(0, 3) + size.width;
  const bottom = 2 * head.readUIntLE(3, 3) + size.height;
  if (!canvas || right > canvas.width || bottom > canvas.height) steps.fail('has a frame outside of its canvas');
  let hasPicture = false;
  while (steps.left > 0) {
    const [name, data] = webpChunk(steps);
    if (name === 'VP8 ' || name === 'VP8L') {
      const own = webpPicture(steps, name, data);
      if (own.width !== size.width || own.height !== size.height) steps.fail('has a frame of another size');
      hasPicture = true;
    } else if (name !== 'ALPH') notes.push(data);
  }
  return hasPicture;
}
