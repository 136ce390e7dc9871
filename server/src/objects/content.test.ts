import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ContentRefused } from './object-store.js';
import { checkContent } from './objects.js';
import { noisePng, png, samples } from './testing.js';

const MAX = 5 * 1024 * 1024;

function refusal(contentType: string, bytes: Uint8Array, max = MAX): string {
  try {
    checkContent({ contentType, bytes }, max);
  } catch (error) {
    assert.ok(error instanceof ContentRefused, String((error as Error).stack));
    return error.message;
  }
  assert.fail(`accepted as ${contentType}`);
}

const header = (width: number, height: number): [string, Buffer] => {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  return ['IHDR', data];
};
const PIXELS: [string, Buffer] = ['IDAT', Buffer.from('00', 'hex')];
const END: [string, Buffer] = ['IEND', Buffer.alloc(0)];

function webpChunk(name: string, ...data: Buffer[]): Buffer {
  const body = Buffer.concat(data);
  const head = Buffer.from(`${name}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

/** An animation of 1 x 1 pixels, so many times the same frame of this picture and these chunks. */
function animatedWebp(frames: number, picture: Buffer, ...chunks: Buffer[]): Buffer {
  const frame = webpChunk(
    'ANMF',
    Buffer.alloc(16),
    webpChunk('VP8L', Buffer.from([0x2f, 0, 0, 0, 0]), picture),
    ...chunks,
  );
  return webpChunk('RIFF', Buffer.from('WEBP'), webpChunk('VP8X', Buffer.alloc(10)), ...Array(frames).fill(frame));
}

describe('an image', () => {
  it('is accepted as what it is, still, interlaced, progressive and animated, and as nothing else', () => {
    const types = new Set(Object.values(samples).map(({ contentType }) => contentType));
    for (const [name, { contentType, bytes }] of Object.entries(samples)) {
      assert.equal(checkContent({ contentType, bytes }, MAX).bytes, bytes, name);
      for (const other of types) {
        if (other !== contentType) assert.match(refusal(other, bytes), new RegExp(`the bytes are ${contentType}`));
      }
    }
  });

  it('that ends too early is refused, wherever it is cut', () => {
    for (const [name, { contentType, bytes }] of Object.entries(samples)) {
      for (let length = 0; length < bytes.length; length++) {
        assert.ok(refusal(contentType, bytes.subarray(0, length)), `${name} at ${length}`);
      }
    }
  });

  it('attack: an uploader cuts it into a million tiny pieces, each to be read by itself: refused', () => {
    const gif = Buffer.from('GIF89a\x01\0\x01\0\0\0\0', 'latin1');
    const picture = Buffer.from('2c0000000001000100000202440100' + '3b', 'hex');
    const comment = (piece: string, times: number) =>
      Buffer.concat([
        gif,
        Buffer.from('21fe', 'hex'),
        Buffer.from(piece.repeat(times), 'hex'),
        Buffer.from([0]),
        picture,
      ]);
    assert.match(refusal('image/gif', comment('0161', 1_000_000)), /the GIF is in too many small pieces/);
    const comments = Buffer.from('21fe016100'.repeat(1_000_000), 'hex');
    assert.match(refusal('image/gif', Buffer.concat([gif, comments, picture])), /in too many small pieces/);
    for (const empty of ['21fe00', '21f900']) {
      const nothing = Buffer.from(empty.repeat(1_000_000), 'hex');
      assert.match(refusal('image/gif', Buffer.concat([gif, nothing, picture])), /in too many small pieces/);
    }
    const text = png(['tEXt', Buffer.alloc(0)])
      .subarray(8)
      .toString('latin1');
    const texts = Buffer.from(text.repeat(400_000), 'latin1');
    assert.match(refusal('image/png', Buffer.concat([png(header(1, 1)), texts])), /in too many small pieces/);
    // As programs write them: blocks of 255 bytes.
    const usual = comment(`ff${'61'.repeat(255)}`, 20_000);
    assert.equal(checkContent({ contentType: 'image/gif', bytes: usual }, usual.length).bytes, usual);
  });

  it('attack: an uploader spreads tiny pieces over the frames of an animation, few in each: they count together, and are refused', () => {
    const expected = /in too many small pieces: expected at most \d+ for its size; save the image again/;
    for (const [frames, inEach] of [
      [100, 4_000],
      [600, 1_000],
      [20_000, 3],
    ] as const) {
      const tiny = Array<Buffer>(inEach).fill(webpChunk('AAAA'));
      assert.match(refusal('image/webp', animatedWebp(frames, Buffer.alloc(1), ...tiny)), expected);
    }
    const block = Buffer.from(`2c000000000100010000${'02'}${'0144'.repeat(1_000)}00`, 'hex');
    const gif = Buffer.concat([
      Buffer.from('GIF89a\x01\0\x01\0\0\0\0', 'latin1'),
      ...Array(600).fill(block),
      Buffer.from([0x3b]),
    ]);
    assert.match(refusal('image/gif', gif), expected);
    const frame = ['fdAT', Buffer.alloc(4)] as [string, Buffer];
    assert.match(refusal('image/png', png(header(1, 1), PIXELS, ...Array(100_000).fill(frame), END)), expected);
    // A minute of small frames.
    checkContent({ contentType: 'image/webp', bytes: animatedWebp(1_800, Buffer.alloc(350)) }, MAX);
  });

  it('that is followed by anything is refused', () => {
    for (const { contentType, bytes } of Object.values(samples)) {
      for (const tail of ['\0', '<script>alert(1)</script>', bytes]) {
        const message = refusal(contentType, Buffer.concat([bytes, Buffer.from(tail)]));
        assert.match(message, /is followed by \d+ bytes that do not belong to it/);
      }
    }
  });

  it('with any byte changed is accepted or refused, and nothing else happens', () => {
    for (const { contentType, bytes } of Object.values(samples)) {
      for (let at = 0; at < bytes.length; at++) {
        for (const value of [0, 1, 0x7f, 0xff]) {
          const changed = Buffer.from(bytes);
          changed[at] = value;
          try {
            checkContent({ contentType, bytes: changed }, MAX);
          } catch (error) {
            assert.ok(error instanceof ContentRefused, String((error as Error).stack));
          }
        }
      }
    }
  });

  it('attack: an uploader publishes as an image what is none: SVG, HTML, a GIF of script, nothing: refused', () => {
    const texts = ['<svg xmlns="http://www.w3.org/2000/svg"/>', '<!doctype html>', 'GIF89a<script>', 'GIF89a/*', ''];
    for (const text of texts) {
      for (const type of ['image/png', 'image/jpeg', 'image/gif', 'image/webp']) refusal(type, Buffer.from(text));
    }
    for (const type of ['image/svg+xml', 'text/html', 'image/PNG', 'application/octet-stream', '']) {
      assert.match(refusal(type, samples.png.bytes), /expected image\/png, image\/jpeg/);
    }
  });

  it('attack: an uploader hides a page, a PDF or an archive in an image: refused', () => {
    const note = (text: string) => png(header(1, 1), ['tEXt', Buffer.from(text, 'latin1')], PIXELS, END);
    const archive = `PK\x01\x02${'\0'.repeat(42)}PK\x05\x06${'\0'.repeat(18)}`;
    for (const text of ['x\0<ScRiPt >', 'x\0<svg/onload=1>', '<!DOCTYPE html>', '<?php echo 1;', '%PDF-1.7', archive]) {
      assert.match(refusal('image/png', note(text)), /holds a page, a script or another file/);
    }
    checkContent({ contentType: 'image/png', bytes: note('Comment\0<3 x < y, <rdf:RDF>, a.script') }, MAX);

    const comment = Buffer.from('<html><body>');
    const { bytes } = samples.jpeg;
    const segment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, comment.length + 2]), comment]);
    refusal('image/jpeg', Buffer.concat([bytes.subarray(0, 2), segment, bytes.subarray(2)]));
    const gif = samples.gif.bytes;
    const extension = Buffer.concat([Buffer.from([0x21, 0xfe, comment.length]), comment, Buffer.from([0, 0x3b])]);
    assert.match(refusal('image/gif', Buffer.concat([gif.subarray(0, -1), extension])), /holds a page/);
    const chunk = Buffer.concat([Buffer.from('XMP \x06\0\0\0', 'latin1'), Buffer.from('<svg/>')]);
    const webp = Buffer.concat([samples.lossyWebp.bytes, chunk]);
    webp.writeUInt32LE(webp.length - 8, 4);
    assert.match(refusal('image/webp', webp), /holds a page/);
    assert.match(refusal('image/webp', animatedWebp(1, Buffer.alloc(1), chunk)), /holds a page/);
  });

  it('has sides of 1 to 4096 pixels', () => {
    checkContent({ contentType: 'image/png', bytes: png(header(4096, 4096), PIXELS, END) }, MAX);
    for (const [width, height] of [
      [0, 1],
      [1, 0],
      [4097, 1],
      [1, 4097],
      [2 ** 32 - 1, 2 ** 32 - 1],
    ] as const) {
      const message = refusal('image/png', png(header(width, height), PIXELS, END));
      assert.match(message, new RegExp(`has ${width} x ${height} pixels: expected 1 to 4096`));
    }
    const gif = Buffer.from(samples.animatedGif.bytes);
    const frame = gif.lastIndexOf(Buffer.from([0x2c, 0, 0, 0, 0, 8, 0]));
    gif.writeUInt16LE(60_000, frame + 5);
    assert.match(refusal('image/gif', gif), /60000 x 6 pixels/, 'the frames count, not only the screen');
  });

  it('that is put together wrongly is refused with what is wrong', () => {
    const cases: [Buffer, RegExp][] = [
      [png(PIXELS, END), /exactly one IHDR/],
      [png(header(1, 1), header(1, 1), PIXELS, END), /exactly one IHDR/],
      [png(header(1, 1), END), /no pixels/],
      [png(['IHDR', Buffer.alloc(12)], PIXELS, END), /IHDR of the wrong length/],
    ];
    for (const [bytes, expected] of cases) assert.match(refusal('image/png', bytes), expected);
    const damaged = Buffer.from(samples.png.bytes);
    damaged[damaged.indexOf('IDAT') + 6]! ^= 1;
    assert.match(refusal('image/png', damaged), /chunk \("IDAT"\) that is damaged/);
  });

  it('has at most the permitted number of bytes', () => {
    const bytes = noisePng(100);
    checkContent({ contentType: 'image/png', bytes }, bytes.length);
    assert.match(refusal('image/png', bytes, bytes.length - 1), /are too many: expected at most/);
  });
});

describe('metadata', () => {
  const right = { name: 'Name', symbol: 'SYM', image: 'https://example.com/images/x' };
  const json = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  const wrong = (value: unknown) => refusal('application/json', json(value));

  it('has name, symbol and image, and texts where it has the other members', () => {
    const all = { ...right, description: '', website: 'w', twitter: 't', telegram: 'g', attributes: [1], extra: null };
    for (const value of [right, all]) {
      assert.deepEqual(checkContent({ contentType: 'application/json', bytes: json(value) }, MAX).metadata, value);
    }
    for (const name of ['name', 'symbol', 'image']) {
      for (const value of [undefined, null, '', '  ', 5, {}, ['x']]) {
        assert.match(wrong({ ...right, [name]: value }), new RegExp(`^metadata\\.${name}: expected a string`));
      }
    }
    for (const name of ['description', 'website', 'twitter', 'telegram']) {
      for (const value of [null, 5, {}, ['x'], true]) {
        assert.match(wrong({ ...right, [name]: value }), new RegExp(`^metadata\\.${name}: expected a string`));
      }
    }
    for (const name of ['name', 'symbol']) {
      assert.match(
        wrong({ ...right, [name]: 'US\u202eCD' }),
        new RegExp(`^metadata\\.${name}: .*U\\+202E, which changes`),
      );
    }
    assert.match(wrong('{"__proto__":{"name":"a","symbol":"b","image":"c"}}'), /metadata\.name/);
  });

  it('attack: an uploader gives a token a name of tens of thousands of emoji, which take long to look at: refused', () => {
    for (const name of ['name', 'symbol']) {
      for (const text of ['\u{1f1e6}'.repeat(15_000), '\u{1f469}\u200d\u{1f467}'.repeat(5_000)]) {
        assert.match(wrong({ ...right, [name]: text }), /expected at most 1000 characters/);
      }
    }
  });

  it('attack: an uploader sends metadata of ever so many tiny pieces, or nested without end, which take long to parse: refused', () => {
    const holding = (more: unknown) => json({ ...right, more });
    const deep = (levels: number): unknown => (levels === 1 ? [] : [deep(levels - 1)]);
    assert.match(refusal('application/json', holding(Array(3_000).fill({}))), /JSON of at most 4000 pieces/);
    assert.match(refusal('application/json', holding(deep(16))), /nested at most 16 levels deep/);
    for (const more of [Array(3_900).fill(1), deep(15), '{},'.repeat(20_000)]) {
      checkContent({ contentType: 'application/json', bytes: holding(more) }, MAX);
    }
  });

  it('is JSON in UTF-8, an object, of at most 64 KiB', () => {
    for (const text of ['', '{', 'null', '[]', '"x"', '1', `\ufeff${JSON.stringify(right)}`]) wrong(text);
    refusal('application/json', Buffer.concat([json('{"name":"'), Buffer.from([0xff]), json('"}')]));
    const padded = (length: number) => json({ ...right, description: 'x'.repeat(length) });
    const room = 64 * 1024 - padded(0).length;
    checkContent({ contentType: 'application/json', bytes: padded(room) }, MAX);
    assert.match(refusal('application/json', padded(room + 1)), /65537 bytes are too many/);
    refusal('application/json', samples.png.bytes);
    assert.match(wrong('['.repeat(60_000)), /expected JSON/);
  });
});
