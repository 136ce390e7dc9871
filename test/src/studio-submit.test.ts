import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { generateKeypair, type Keypair, WRAPPED_SOL_MINT } from '@slipway/wire';
import { sendPart, statusesIn } from './raw-http.js';
import { request, type Service, startService } from './service.js';
import {
  assertRefused,
  type Creation,
  createPool,
  indie,
  PNG,
  type PoolBody,
  put,
  type Refused,
  submit,
  submitForm,
} from './studio.js';
import { order } from './swap.js';
import { JUP, newWallet, signTransaction } from './wallet.js';

let service: Service;
let creator: Keypair;
let body: PoolBody;
before(async () => {
  service = await startService();
  creator = await newWallet(service);
  body = indie(creator.address);
});
after(() => service?.close());

async function created(wanted: unknown = body): Promise<Creation> {
  const { status, body: creation } = await createPool(service, wanted);
  assert.equal(status, 200, JSON.stringify(creation));
  return creation;
}

describe('submitting a launch', () => {
  it('refuses what is not the crafted transaction, signed by its creator', async () => {
    const [creation, other] = [await created(), await created()];
    const stranger = generateKeypair();
    const transaction = signTransaction(creation.transaction, creator);
    assertRefused(await submit<Refused>(service, creation, creator, { owner: stranger.address }), 'owner', /creator/);
    assertRefused(await submit<Refused>(service, creation, creator, { owner: 'x' }), 'owner', /public key/);
    assertRefused(await submit<Refused>(service, creation, creator, { owner: undefined }), 'owner', /required/);
    assertRefused(
      await submit<Refused>(service, creation, creator, { transaction: undefined }),
      'transaction',
      /required/,
    );
    assertRefused(await submit<Refused>(service, creation, creator, { transaction: '' }), 'transaction', /base64/);
    const unsigned = { transaction: creation.transaction };
    assertRefused(await submit<Refused>(service, creation, creator, unsigned), 'transaction', /missing/);
    const forged = Buffer.from(transaction, 'base64');
    forged[1]! ^= 1;
    const bad = { transaction: forged.toString('base64') };
    assertRefused(await submit<Refused>(service, creation, creator, bad), 'transaction', /does not match/);
    // Another mint under a message of its own: what was signed is not what was crafted.
    const altered = Buffer.from(creation.transaction, 'base64');
    altered[altered.length - 30]! ^= 1;
    const changedMessage = { transaction: signTransaction(altered.toString('base64'), creator) };
    assertRefused(await submit<Refused>(service, creation, creator, changedMessage), 'transaction', /not the one/);
    const pair = { inputMint: WRAPPED_SOL_MINT, outputMint: JUP, amount: 1_000_000 };
    const foreign = await order(service, { ...pair, taker: creator.address });
    const swap = { transaction: signTransaction(foreign.transaction!, creator) };
    assertRefused(await submit<Refused>(service, creation, creator, swap), 'transaction', /create-tx/);
    assert.notEqual(other.mint, creation.mint);
  });

  it('refuses forms that are broken, too large or no forms', async () => {
    const creation = await created();
    const url = `${service.url}/studio/v1/dbc-pool/submit`;
    const json = await request<Refused>(url, { body: { transaction: 'x', owner: creator.address } });
    assert.equal(json.status, 415);
    assert.match(json.body.error, /multipart\/form-data/);
    const raw = (text: string, type = 'multipart/form-data; boundary=b') =>
      request<Refused>(url, { raw: text, headers: { 'content-type': type } });
    assert.equal((await raw('x', 'multipart/form-data')).status, 400);
    assert.equal((await raw('--b\r\nno end')).status, 400);
    const part = (name: string, value: string) =>
      `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const bomb = Array.from({ length: 50_000 }, (_, i) => part(`f${i}`, ''))
      .join('')
      .slice(0, 2 ** 20);
    assert.equal((await raw(`${bomb}--b--\r\n`)).status, 400);
    assert.match((await raw(`${part('owner', 'a')}${part('owner', 'b')}--b--\r\n`)).body.error, /owner: .*once/);
    assert.match((await raw(`${part('owner', '\0')}--b--\r\n`)).body.error, /owner: .*NUL/);
    assert.match((await raw(`${part('__proto__', 'x')}--b--\r\n`)).body.error, /transaction: required/);
    const long = { content: 'x'.repeat(10_001) };
    assertRefused(await submit<Refused>(service, creation, creator, long), 'content', /10000/);
    const big = new Blob([Buffer.alloc(5 * 1024 * 1024 + 1)], { type: 'image/png' });
    const tooBig = await submit<Refused>(service, creation, creator, { headerImage: big });
    assert.equal(tooBig.status, 413);
    assert.match(tooBig.body.error, /headerImage: expected at most 5242880 bytes/);
    const head = `POST ${new URL(url).pathname} HTTP/1.1\r\nhost: localhost\r\nx-api-key: sandbox\r\nconnection: close\r\n`;
    const huge = 'content-type: multipart/form-data; boundary=b\r\ncontent-length: 8000000\r\n\r\n';
    assert.deepEqual(statusesIn(await sendPart(service, head + huge)), [413]);
    const text = await submit<Refused>(service, creation, creator, { headerImage: 'not a file' });
    assert.match(text.body.error, /headerImage: expected a file/);
    const elsewhere = await submitForm<Refused>(service, { content: new Blob([PNG]) });
    assert.match(elsewhere.body.error, /content: expected no file/);
  });

  it('takes no upload that is not what was signed for', async () => {
    const creation = await created();
    assert.equal((await put(creation.imagePresignedUrl, 'image/png', PNG)).status, 200);
    assert.equal((await put(creation.imagePresignedUrl, 'image/png', 'not an image')).status, 400);
    assert.equal((await put(creation.imagePresignedUrl, 'image/jpeg', PNG)).status, 403);
    const elsewhere = creation.imagePresignedUrl.replace(creation.mint, JUP);
    assert.equal((await put(elsewhere, 'image/png', PNG)).status, 403);
    assert.equal((await put(creation.metadataPresignedUrl, 'application/json', '{"name":"x"}')).status, 400);
  });
});
