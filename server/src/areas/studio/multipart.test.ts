import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Busboy } from '@fastify/busboy';
import { plainError } from '../../errors/index.js';
import { startTestServer } from '../../http/testing.js';
import { acceptForm, FORM_FIELDS_BYTES } from './multipart.js';

const MAX_FILE = 5 * 1024 * 1024;
const TYPE = { 'x-api-key': 'good-key', 'content-type': 'multipart/form-data; boundary=x' };
const field = (name: string, value: string) =>
  `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const FILE = '--x\r\ncontent-disposition: form-data; name="image"; filename="a"\r\ncontent-type: image/png\r\n\r\n';
const END = '--x--\r\n';

/** A route that takes a form, and how many bytes of forms were read part by part. */
async function startForms(t: TestContext) {
  const read = { bytes: 0 };
  type Reader = { _write(chunk: Buffer, encoding: string, done: () => void): void };
  const { _write: write } = Busboy.prototype as unknown as Reader;
  t.mock.method(Busboy.prototype as unknown as Reader, '_write', function (this: Reader, chunk, encoding, done) {
    read.bytes += chunk.length;
    write.call(this, chunk, encoding, done);
  } as Reader['_write']);
  const { app } = await startTestServer((server) => {
    server.register(async (forms) => {
      acceptForm(forms, 'image', MAX_FILE);
      forms.post('/form', {
        config: { errorShape: plainError, auth: 'key' },
        bodyLimit: MAX_FILE + FORM_FIELDS_BYTES,
        handler: ({ body, formFile }) => ({ body, bytes: formFile?.bytes.length }),
      });
    });
  });
  t.after(() => app.close());
  const post = (payload: string | Buffer) => app.inject({ method: 'POST', url: '/form', headers: TYPE, payload });
  return { read, post };
}

test('a form comes through whole, whatever stands in its file', async (t) => {
  const { read, post } = await startForms(t);
  for (const content of ['', 'x', '\r\n--', '\r\n--y\r\n'.repeat(100_000), '-'.repeat(MAX_FILE)]) {
    read.bytes = 0;
    const form = Buffer.from(
      `${field('owner', 'a'.repeat(10_000))}${FILE}${content}\r\n${field('content', 'c')}${END}`,
    );
    const answer = await post(form);
    assert.equal(answer.statusCode, 200, answer.body);
    const body = { owner: 'a'.repeat(10_000), image: '', content: 'c' };
    assert.deepEqual(answer.json(), { body, bytes: content.length });
    assert.equal(read.bytes, form.length);
  }
  const large = await post(Buffer.from(`${FILE}${'x'.repeat(MAX_FILE + 1)}\r\n${END}`));
  assert.equal(large.statusCode, 413, large.body);
  const cut = await post(Buffer.from(FILE));
  assert.equal(cut.statusCode, 400, cut.body);
});

test('attack: a free key sends a form that ends in the middle of its file: refused, and the service goes on', async (t) => {
  const { post } = await startForms(t);
  const before = ['', field('owner', 'a'), field('content', 'c'.repeat(10_000))];
  for (const content of ['x', '\r\n--', 'x'.repeat(5_000), 'x'.repeat(100_000), '\r\n--y'.repeat(10_000)]) {
    for (const name of ['image', 'other']) {
      const form = `${before.join('')}${FILE.replace('image', name)}${content}`;
      const answer = await post(Buffer.from(form));
      assert.equal(answer.statusCode, 400, answer.body);
      // An error that nobody hears comes after the answer, and ends the process.
      await new Promise(setImmediate);
    }
  }
});

test('attack: a free key sends a form of 700,000 parts without content: no more of it is read than its first few kilobytes', async (t) => {
  const { read, post } = await startForms(t);
  const PARTS = 700_000;
  for (const form of [
    '--x\r\n\r\n'.repeat(PARTS),
    field('a', '').repeat(PARTS / 10),
    `${FILE}\r\n`.repeat(PARTS / 20),
  ]) {
    read.bytes = 0;
    const answer = await post(Buffer.from(form + END));
    assert.equal(answer.statusCode, 400, answer.body);
    assert.ok(read.bytes <= 8 * 1024, `${read.bytes} of ${form.length} bytes were read`);
  }
});
