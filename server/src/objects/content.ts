import { describeHidden } from '../lib/hidden-characters.js';
import { whyTooManyPieces } from '../lib/json-pieces.js';
import { type ImageShape, NotThatImage, readGif, readJpeg, readPng, readWebp } from './image-formats.js';
import { ContentRefused } from './object-store.js';

export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type ImageType = (typeof imageTypes)[number];

/** Pixels per side: what every browser and phone can show. */
const MAX_SIDE = 4096;
export const MAX_METADATA_BYTES = 64 * 1024;
/** Of a name or a symbol: far more than the chain takes. To look for what is hidden in a longer text takes long. */
const MAX_NAME = 1_000;

const readers: Record<ImageType, (bytes: Buffer) => ImageShape> = {
  'image/png': readPng,
  'image/jpeg': readJpeg,
  'image/gif': readGif,
  'image/webp': readWebp,
};

export function isImageType(contentType: string): contentType is ImageType {
  return (imageTypes as readonly string[]).includes(contentType);
}

/**
 * Checks that the bytes are one whole image of the type, at most 4096 pixels a side, and nothing else beside it (no
 * SVG, no page, script, PDF or archive in the same file). The pixels are not decoded.
 *
 * @throws ContentRefused
 */
export function checkImage(contentType: ImageType, content: Uint8Array): void {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const found = typeOf(bytes);
  if (found !== contentType) {
    const is = found === undefined ? 'the bytes are none of PNG, JPEG, GIF and WebP' : `the bytes are ${found}`;
    throw new ContentRefused(`expected ${contentType}, but ${is}; upload the image in the type that was asked for`);
  }
  const { width, height, notes } = shapeOf(contentType, bytes);
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE) {
    throw new ContentRefused(
      `the image has ${width} x ${height} pixels: expected 1 to ${MAX_SIDE} a side; upload a smaller one`,
    );
  }
  if (notes.some(isPage) || bytes.subarray(0, 1024).includes('%PDF-') || isArchive(bytes)) {
    throw new ContentRefused('the image holds a page, a script or another file; save it again without them');
  }
}

function typeOf(bytes: Buffer): ImageType | undefined {
  const begin = bytes.toString('latin1', 0, 12);
  if (begin.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (begin.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(begin)) return 'image/gif';
  if (begin.startsWith('RIFF') && begin.endsWith('WEBP')) return 'image/webp';
  return undefined;
}

function shapeOf(contentType: ImageType, bytes: Buffer): ImageShape {
  try {
    return readers[contentType](bytes);
  } catch (error) {
    if (!(error instanceof NotThatImage)) throw error;
    throw new ContentRefused(`${error.message}; save the image again and upload that`);
  }
}

/** What a browser might run if it took the file for a page. */
function isPage(note: Buffer): boolean {
  return /<(?:script|svg|html|!doctype|iframe|body|\?php)\b/i.test(note.toString('latin1'));
}

/** A ZIP is found by its last record, which a comment may follow; the list of its files comes before it. */
function isArchive(bytes: Buffer): boolean {
  const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  return end >= 0 && bytes.subarray(0, end).includes('PK\x01\x02', 0, 'latin1');
}

/** Metadata of a token, as wallets read it. Further members are permitted. */
export interface TokenMetadata {
  readonly name: string;
  readonly symbol: string;
  readonly image: string;
  readonly description?: string;
  readonly website?: string;
  readonly twitter?: string;
  readonly telegram?: string;
}

/** @throws ContentRefused that names the wrong member. */
export function checkMetadata(content: Uint8Array): TokenMetadata {
  const value = parse(content);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ContentRefused('metadata: expected a JSON object with name, symbol and image');
  }
  const members = new Map(Object.entries(value));
  for (const name of ['name', 'symbol', 'image']) {
    const member: unknown = members.get(name);
    if (typeof member === 'string' && member.trim() !== '') continue;
    throw new ContentRefused(`metadata.${name}: expected a string that is not empty; it is required`);
  }
  for (const name of ['name', 'symbol']) {
    const text = String(members.get(name));
    if (text.length > MAX_NAME) throw new ContentRefused(`metadata.${name}: expected at most ${MAX_NAME} characters`);
    const hidden = describeHidden(text);
    if (hidden === undefined) continue;
    throw new ContentRefused(`metadata.${name}: expected text without ${hidden}; leave the character out`);
  }
  for (const name of ['description', 'website', 'twitter', 'telegram']) {
    if (!members.has(name) || typeof members.get(name) === 'string') continue;
    throw new ContentRefused(`metadata.${name}: expected a string; leave it out where there is none`);
  }
  return value as TokenMetadata;
}

function parse(content: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    const expected = whyTooManyPieces(text);
    if (expected !== undefined) throw new ContentRefused(`metadata: expected ${expected}`);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof ContentRefused) throw error;
    throw new ContentRefused('metadata: expected JSON in UTF-8 without a byte order mark');
  }
}
