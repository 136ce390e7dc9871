import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';

const HEADER_LENGTH = 8;
const READ_CHUNK = 4 << 20;
/** More than a block, because the last block of a file has room even on a full disk. No record begins like this. */
const TRIAL = Buffer.alloc(64 * 1024, 0xff);

/** Records in the order they were appended, each found again by its offset. */
export interface Frames {
  /** Bytes so far: the offset of the next record. */
  readonly size: number;
  append(payload: Uint8Array): number;
  read(offset: number): Buffer;
}

/** An append-only file of records, each with its length and checksum; what is torn at the end does not count. */
export class FrameFile implements Frames {
  readonly #fd: number;
  #size: number;

  private constructor(fd: number, size: number) {
    this.#fd = fd;
    this.#size = size;
  }

  /**
   * Opens a file, made when it is not there, visits its whole records up to `end` in order and cuts off what follows.
   * `visit` answers false to stop before a record, which is then cut off, too.
   */
  static open(
    path: string,
    visit: (payload: Buffer, offset: number) => boolean,
    end = Number.MAX_SAFE_INTEGER,
  ): FrameFile {
    const fd = openSync(path, 'a+');
    try {
      const length = fstatSync(fd).size;
      const size = visitFrames(fd, Math.min(length, end), visit);
      if (size < length) ftruncateSync(fd, size);
      return new FrameFile(fd, size);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  get size(): number {
    return this.#size;
  }

  /** Writes a record with one call; answers its offset. When it fails nothing of it is left. */
  append(payload: Uint8Array): number {
    const frame = Buffer.allocUnsafe(HEADER_LENGTH + payload.length);
    frame.writeUInt32LE(payload.length, 0);
    frame.writeUInt32LE(crc32(payload), 4);
    frame.set(payload, HEADER_LENGTH);
    const offset = this.#size;
    try {
      writeFully(this.#fd, frame);
    } catch (error) {
      ftruncateSync(this.#fd, offset);
      throw error;
    }
    this.#size += frame.length;
    return offset;
  }

  /** Throws when the disk takes no more. */
  assertWritable(): void {
    try {
      writeFully(this.#fd, TRIAL);
    } finally {
      ftruncateSync(this.#fd, this.#size);
    }
  }

  /** The record at an offset. Throws when it is damaged. */
  read(offset: number): Buffer {
    const header = Buffer.allocUnsafe(HEADER_LENGTH);
    readFully(this.#fd, header, offset);
    const payload = Buffer.allocUnsafe(header.readUInt32LE(0));
    readFully(this.#fd, payload, offset + HEADER_LENGTH);
    if (crc32(payload) !== header.readUInt32LE(4)) throw new Error(`the record at ${offset} is damaged`);
    return payload;
  }

  /** Cuts the file off at the end of a record. */
  truncate(size: number): void {
    ftruncateSync(this.#fd, size);
    this.#size = size;
  }

  sync(): void {
    fsyncSync(this.#fd);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** Records in memory. */
export class FrameMemory implements Frames {
  readonly #frames = new Map<number, Buffer>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  append(payload: Uint8Array): number {
    this.#frames.set(this.#size, Buffer.from(payload));
    return this.#size++;
  }

  read(offset: number): Buffer {
    return this.#frames.get(offset)!;
  }

  drop(offset: number): void {
    this.#frames.delete(offset);
  }
}

function visitFrames(fd: number, end: number, visit: (payload: Buffer, offset: number) => boolean): number {
  let chunk = Buffer.alloc(0);
  let chunkStart = 0;
  const view = (offset: number, length: number): Buffer | undefined => {
    if (offset + length > end) return undefined;
    if (offset + length > chunkStart + chunk.length) {
      chunk = Buffer.allocUnsafe(Math.min(Math.max(length, READ_CHUNK), end - offset));
      chunkStart = offset;
      readFully(fd, chunk, offset);
    }
    return chunk.subarray(offset - chunkStart, offset - chunkStart + length);
  };
  let offset = 0;
  for (;;) {
    const header = view(offset, HEADER_LENGTH);
    if (!header) return offset;
    const length = header.readUInt32LE(0);
    const checksum = header.readUInt32LE(4);
    const payload = view(offset + HEADER_LENGTH, length);
    if (!payload || crc32(payload) !== checksum || !visit(payload, offset)) return offset;
    offset += HEADER_LENGTH + length;
  }
}

function writeFully(fd: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written);
}

function readFully(fd: number, into: Buffer, position: number): void {
  let read = 0;
  while (read < into.length) {
    const count = readSync(fd, into, read, into.length - read, position + read);
    if (count === 0) throw new Error('the file ends within a record');
    read += count;
  }
}
