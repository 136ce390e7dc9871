export interface Picture {
  contentType: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';
  bytes: Uint8Array;
}

const SIDE = 256;
const TYPES: readonly string[] = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];
export const ACCEPTED = TYPES.join(',');
const MOST_BYTES = 5 * 1024 * 1024;

/** The picture that somebody has chosen. @throws Error for what is none, or too large */
export async function pictureOf(file: File): Promise<Picture> {
  if (!TYPES.includes(file.type)) throw new Error('the picture must be a JPEG, PNG, GIF or WebP');
  if (file.size > MOST_BYTES) throw new Error('the picture must have at most 5 MB');
  return { contentType: file.type as Picture['contentType'], bytes: new Uint8Array(await file.arrayBuffer()) };
}

/** A picture for who has none: the symbol on a ground whose colour follows from it. */
export async function drawnPicture(symbol: string): Promise<Picture> {
  const canvas = new OffscreenCanvas(SIDE, SIDE);
  const context = canvas.getContext('2d')!;
  const hue = [...symbol].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 360, 7);
  context.fillStyle = `hsl(${hue} 45% 32%)`;
  context.fillRect(0, 0, SIDE, SIDE);
  context.fillStyle = '#fff';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.font = '600 76px system-ui, sans-serif';
  context.fillText([...symbol].slice(0, 4).join(''), SIDE / 2, SIDE / 2);
  const blob = await canvas.convertToBlob({ type: 'image/png' });
  return { contentType: 'image/png', bytes: new Uint8Array(await blob.arrayBuffer()) };
}
