import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  compileMessage,
  decodeTransaction,
  decompileInstructions,
  encodeTransaction,
  generateKeypair,
  type Instruction,
  type Keypair,
  keypairFromSeed,
  MEMO_PROGRAM,
  memo,
  sign,
  systemTransfer,
} from '@slipway/wire';
import { newKey } from './admin.js';
import { documentOf, operationsOf } from './openapi-document.js';
import { request, type Service, startService } from './service.js';
import { asWallet, challengeOf, logIn, postVerify, signText, TRIGGER } from './trigger-wallet.js';
import { balancesOf, newWallet, rpc, signTransaction } from './wallet.js';

const PREFIX = 'Sign this message to authenticate with Jupiter that you are the owner of';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

const moveClock = (seconds: number) => request(`${service.url}/sandbox/clock`, { body: { seconds } });
const verifyText = (wallet: Keypair, text: string, by = wallet) =>
  postVerify(service, { type: 'message', walletPubkey: wallet.address, signature: signText(by, text) });

describe('login with a message', () => {
  it('asks for a text that names this service, the wallet, the end and a nonce', async () => {
    const { address } = generateKeypair();
    const { status, body } = await challengeOf(service, address);
    assert.equal(status, 200);
    assert.equal(body.type, 'message');
    const [first, empty, last, ...more] = body.challenge!.split('\n');
    assert.deepEqual([empty, more], ['', []]);
    const { host } = new URL(service.url);
    assert.equal(
      first,
      `Sign this message to authenticate with Slipway at ${host} that you are the owner of ${address}.`,
    );
    const read = /^This challenge expires at (\S+Z) with the nonce of ([0-9a-f-]{36})\.$/.exec(last!);
    assert.ok(read, last);
    const { unixTimestamp } = (await request<{ unixTimestamp: number }>(`${service.url}/sandbox/info`)).body;
    assert.ok(Math.abs(Date.parse(read[1]!) / 1000 - unixTimestamp - 300) < 30, read[1]);
  });

  it('gives a token for the right signature, once', async () => {
    const wallet = generateKeypair();
    const text = (await challengeOf(service, wallet.address)).body.challenge!;
    const { status, body } = await verifyText(wallet, text);
    assert.equal(status, 200, JSON.stringify(body));
    const payload = JSON.parse(Buffer.from(body.token.split('.')[1]!, 'base64url').toString());
    assert.equal(payload.sub, wallet.address);
    assert.equal(payload.walletPubkey, wallet.address);
    assert.equal(payload.exp - payload.iat, 86_400);
    assert.equal((await asWallet(service, body.token, '/vault')).status, 404);
    const again = await verifyText(wallet, text);
    assert.deepEqual([again.status, again.body.error], [400, 'Challenge not found']);
  });

  it('tries a signature against every live challenge, and a wrong one uses none up', async () => {
    const wallet = generateKeypair();
    const texts: string[] = [];
    for (let n = 0; n < 5; n += 1) texts.push((await challengeOf(service, wallet.address)).body.challenge!);
    assert.equal(new Set(texts).size, 5);
    for (const [by, text] of [
      [generateKeypair(), texts[0]!],
      [wallet, 'another text'],
      [wallet, texts[0]!.replace('\n\n', '\n')],
    ] as const) {
      const { status, body } = await verifyText(wallet, text, by);
      assert.deepEqual([status, body.error], [401, 'Invalid signature']);
    }
    for (const text of texts.reverse()) assert.equal((await verifyText(wallet, text)).status, 200);
  });

  it('refuses the address of a program that its transaction calls', async () => {
    for (const program of ['ComputeBudget111111111111111111111111111111', MEMO_PROGRAM]) {
      for (const type of ['message', 'transaction'] as const) {
        const { status, body } = await challengeOf(service, program, type);
        assert.equal(status, 400, JSON.stringify(body));
        assert.equal(body.details?.walletPubkey, 'expected a wallet, not the address of a program');
      }
    }
  });

  it('lets nobody else end a challenge, however many they ask for', async () => {
    const wallet = generateKeypair();
    const text = (await challengeOf(service, wallet.address)).body.challenge!;
    await Promise.all(Array.from({ length: 40 }, () => challengeOf(service, wallet.address)));
    assert.equal((await verifyText(wallet, text)).status, 200);
  });

  it('logs in once when one signature is posted many times at once', async () => {
    const wallet = generateKeypair();
    const text = (await challengeOf(service, wallet.address)).body.challenge!;
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await verifyText(wallet, text)).status));
    assert.deepEqual(statuses.sort(), [200, ...Array(19).fill(400)]);
  });

  it('answers 400 where there is no challenge, and 401 for one that has expired', async () => {
    const wallet = generateKeypair();
    const none = await verifyText(wallet, 'anything');
    assert.deepEqual([none.status, none.body.error], [400, 'Challenge not found']);
    const text = (await challengeOf(service, wallet.address)).body.challenge!;
    await moveClock(301);
    const late = await verifyText(wallet, text);
    assert.deepEqual([late.status, late.body.error], [401, 'Challenge expired']);
    assert.match(late.body.details?.challenge ?? '', /auth\/challenge/);
  });

  it('refuses a key that anybody can sign for', async () => {
    // The neutral element of the curve: with it, a signature of zeros passes a careless check of any text.
    const walletPubkey = '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM';
    await challengeOf(service, walletPubkey);
    for (const signature of ['1'.repeat(64), `4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM${'1'.repeat(32)}`]) {
      const { status } = await postVerify(service, { type: 'message', walletPubkey, signature });
      assert.notEqual(status, 200);
    }
  });
});

describe('login with a transaction', () => {
  const transactionOf = async (wallet: Keypair) =>
    (await challengeOf(service, wallet.address, 'transaction')).body.transaction!;
  const verifyTransaction = (wallet: Keypair, signedTransaction: string) =>
    postVerify(service, { type: 'transaction', walletPubkey: wallet.address, signedTransaction });

  it('gives a token for the signed transaction, once', async () => {
    const wallet = generateKeypair();
    const signed = signTransaction(await transactionOf(wallet), wallet);
    const { status, body } = await verifyTransaction(wallet, signed);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((await asWallet(service, body.token, '/vault')).status, 404);
    assert.equal((await verifyTransaction(wallet, signed)).status, 400);
  });

  it('can never land, whoever sends it', async () => {
    const wallet = await newWallet(service);
    const before = await balancesOf(service, wallet.address);
    const signed = signTransaction(await transactionOf(wallet), wallet);
    await assert.rejects(rpc(service, 'sendTransaction', signed, { encoding: 'base64' }), /[Bb]lockhash/);
    await rpc(service, 'sendTransaction', signed, { encoding: 'base64', skipPreflight: true }).catch(() => {});
    const submitted = await request(`${service.url}/tx/v1/submit`, { body: { signedTransaction: signed } });
    assert.equal(submitted.status, 400);
    await moveClock(120);
    assert.deepEqual(await balancesOf(service, wallet.address), before);
    const { decoded } = decodeTransaction(Buffer.from(signed, 'base64'));
    const programs = decompileInstructions(decoded).map(({ program }) => program);
    assert.deepEqual(programs, [
      'ComputeBudget111111111111111111111111111111',
      'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
    ]);
  });

  it('takes the fee settings and assertions that wallets add, and nothing else', async () => {
    const wallet = generateKeypair();
    const rebuilt = async (change: (instructions: Instruction[]) => Instruction[], hash?: string) => {
      const { decoded } = decodeTransaction(Buffer.from(await transactionOf(wallet), 'base64'));
      const message = compileMessage({
        version: 0,
        feePayer: wallet.address,
        instructions: change(decompileInstructions(decoded)),
        blockhash: hash ?? decoded.blockhash,
      });
      const signed = encodeTransaction({ signatures: [sign(wallet, message)], message });
      return (await verifyTransaction(wallet, Buffer.from(signed).toString('base64'))).status;
    };
    const program = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95' as Instruction['program'];
    assert.equal(await rebuilt((all) => [...all, { program, accounts: [], data: Uint8Array.of(6, 0) }]), 200);
    assert.equal(await rebuilt((all) => all.slice(1)), 200);
    const { value } = await rpc<{ value: { blockhash: string } }>(service, 'getLatestBlockhash');
    assert.equal(await rebuilt((all) => all, value.blockhash), 401);
    const to = generateKeypair().address;
    assert.equal(await rebuilt((all) => [...all, systemTransfer({ from: wallet.address, to, lamports: 1n })]), 401);
    assert.equal(await rebuilt((all) => [...all, memo('and more')]), 401);
    assert.equal(await rebuilt((all) => [all[0]!, memo('something else')]), 401);
  });

  it('refuses a transaction that is not signed, or not by the wallet', async () => {
    const wallet = generateKeypair();
    const transaction = await transactionOf(wallet);
    assert.equal((await verifyTransaction(wallet, transaction)).status, 401);
    const thief = generateKeypair();
    const { decoded: _, ...unsigned } = decodeTransaction(Buffer.from(transaction, 'base64'));
    const forged = encodeTransaction({ ...unsigned, signatures: [sign(thief, unsigned.message)] });
    assert.equal((await verifyTransaction(wallet, Buffer.from(forged).toString('base64'))).status, 401);
    assert.equal((await verifyTransaction(thief, signTransaction(await transactionOf(thief), thief))).status, 200);
    assert.equal((await verifyTransaction(wallet, signTransaction(transaction, wallet))).status, 200);
  });

  it('does not take a message challenge for a transaction one, or the other way round', async () => {
    const wallet = generateKeypair();
    const walletPubkey = wallet.address;
    const text = (await challengeOf(service, walletPubkey)).body.challenge!;
    const blockhash = generateKeypair().address;
    const message = compileMessage({
      version: 'legacy',
      feePayer: walletPubkey,
      instructions: [memo(text)],
      blockhash,
    });
    const signed = encodeTransaction({ signatures: [sign(wallet, message)], message });
    assert.equal((await verifyTransaction(wallet, Buffer.from(signed).toString('base64'))).status, 400);
    assert.equal((await verifyText(wallet, text)).status, 200);
  });
});

it('refuses bad bodies with 400 and the names of the fields', async () => {
  const wallet = keypairFromSeed(new Uint8Array(32).fill(7));
  const walletPubkey = wallet.address;
  const message = { walletPubkey, type: 'message' };
  const cases: [string, unknown, ...string[]][] = [
    ['challenge', {}, 'walletPubkey', 'type'],
    ['challenge', { walletPubkey }, 'type'],
    ['challenge', { walletPubkey, type: 'email' }, 'type'],
    ['challenge', { walletPubkey, type: null }, 'type'],
    ['challenge', { ...message, walletPubkey: 'abc' }, 'walletPubkey'],
    ['challenge', { ...message, walletPubkey: 7 }, 'walletPubkey'],
    ['challenge', { ...message, walletPubkey: `${walletPubkey}0` }, 'walletPubkey'],
    ['verify', {}, 'type', 'walletPubkey'],
    ['verify', { ...message, type: 'both' }, 'type'],
    ['verify', message, 'signature'],
    ['verify', { ...message, signature: '' }, 'signature'],
    ['verify', { ...message, signature: 'not base58 0OIl' }, 'signature'],
    ['verify', { ...message, signature: '1'.repeat(63) }, 'signature'],
    ['verify', { ...message, type: 'transaction' }, 'signedTransaction'],
    ['verify', { ...message, type: 'transaction', signedTransaction: 'AA' }, 'signedTransaction'],
    ['verify', { ...message, type: 'transaction', signedTransaction: '%%%%' }, 'signedTransaction'],
  ];
  for (const [path, body, ...fields] of cases) {
    const answer = await request<{ error: string; details: Record<string, string> }>(
      `${service.url}${TRIGGER}/auth/${path}`,
      { body },
    );
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.equal(answer.body.error, 'Request validation failed');
    assert.deepEqual(Object.keys(answer.body.details), fields, JSON.stringify(body));
  }
});

describe('every route that needs a login', () => {
  /** From the service's own list, so that a route that is added cannot be forgotten. */
  const guarded = async () => {
    const all = operationsOf(await documentOf(service)).filter(({ path }) => path.startsWith(TRIGGER));
    return all.filter(({ path }) => !path.startsWith(`${TRIGGER}/auth/`));
  };
  const call = (path: string, method: string, headers: Record<string, string | undefined>) =>
    request(`${service.url}${path.replace(/\{\w+\}/g, 'x')}`, {
      method,
      headers,
      ...(method !== 'GET' && { body: {} }),
    });

  it('answers 401 without a token, with a bad one, and with one that has expired', async () => {
    const wallet = generateKeypair();
    const token = await logIn(service, wallet);
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const swapped = (await logIn(service, generateKeypair())).split('.');
    const bad = {
      'no token': undefined,
      'an empty token': '',
      'another scheme': `Basic ${token}`,
      'no scheme': token,
      garbage: 'Bearer x.y.z',
      "another one's claims": `Bearer ${header}.${swapped[1]}.${signature}`,
      'no algorithm': `Bearer ${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`,
      'the API key': 'Bearer sandbox',
    };
    const routes = await guarded();
    assert.ok(routes.length >= 2);
    for (const { method, path } of routes) {
      for (const [why, authorization] of Object.entries(bad)) {
        const { status, body } = await call(path, method, { authorization });
        assert.deepEqual([status, body.error], [401, 'Unauthorized'], `${method} ${path}: ${why}`);
      }
      const known = await call(path, method, { authorization: `Bearer ${token}` });
      assert.notEqual(known.status, 401, `${method} ${path}`);
    }
    await moveClock(24 * 60 * 60);
    for (const { method, path } of routes) {
      assert.equal((await call(path, method, { authorization: `Bearer ${token}` })).status, 401, `${method} ${path}`);
    }
  });

  it('still needs an API key that may use it', async () => {
    const token = await logIn(service, generateKeypair());
    const narrow = await newKey(service, { prefixes: ['/tx/v1'] });
    for (const { method, path } of await guarded()) {
      const authorization = `Bearer ${token}`;
      assert.equal((await call(path, method, { authorization, 'x-api-key': undefined })).status, 401);
      assert.equal((await call(path, method, { authorization, 'x-api-key': 'unknown' })).status, 401);
      assert.equal((await call(path, method, { authorization, 'x-api-key': narrow.key })).status, 403);
    }
  });
});

describe('a change of the key that signs tokens', () => {
  it('ends no login, and new logins are signed by the new key', async () => {
    const keyOf = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()).kid as string;
    const wallet = generateKeypair();
    const { unixTimestamp } = (await request<{ unixTimestamp: number }>(`${service.url}/sandbox/info`)).body;
    const week = 7 * 86_400;
    await moveClock(week - (unixTimestamp % week) - 3_600);
    const old = await logIn(service, wallet);
    await moveClock(2 * 3_600);
    const fresh = await logIn(service, wallet);
    assert.notEqual(keyOf(fresh), keyOf(old));
    for (const token of [old, fresh]) assert.equal((await asWallet(service, token, '/vault')).status, 404);
    await moveClock(22 * 3_600);
    assert.equal((await asWallet(service, old, '/vault')).status, 401);
    assert.equal((await asWallet(service, fresh, '/vault')).status, 404);
  });
});

describe('the vault', () => {
  it('is made once, belongs to the wallet, and is what GET /vault answers', async () => {
    const wallet = generateKeypair();
    const token = await logIn(service, wallet);
    const none = await asWallet<{ error: string }>(service, token, '/vault');
    assert.deepEqual([none.status, none.body.error], [404, 'Vault not found']);
    const made = await asWallet<Record<string, string>>(service, token, '/vault/register');
    assert.equal(made.status, 200);
    assert.deepEqual(Object.keys(made.body).sort(), ['privyVaultId', 'userPubkey', 'vaultPubkey']);
    assert.equal(made.body.userPubkey, wallet.address);
    assert.notEqual(made.body.vaultPubkey, wallet.address);
    assert.match(made.body.privyVaultId!, /^[a-z0-9]{24,26}$/);
    assert.deepEqual((await asWallet(service, token, '/vault')).body, made.body);
    const again = await asWallet<{ error: string; details: unknown }>(service, token, '/vault/register');
    assert.equal(again.status, 409);
    assert.deepEqual(again.body, { error: 'Vault already registered', details: made.body });
  });

  it('is one, however many registrations race', async () => {
    const token = await logIn(service, generateKeypair());
    const answers = await Promise.all(Array.from({ length: 20 }, () => asWallet(service, token, '/vault/register')));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(409)]);
    const vaults = new Set(answers.map(({ body }) => JSON.stringify(body.details ?? body)));
    assert.equal(vaults.size, 1);
  });

  it('of another wallet is another one', async () => {
    const vaults = new Set<unknown>();
    for (let n = 0; n < 5; n += 1) {
      const token = await logIn(service, generateKeypair(), n % 2 ? 'message' : 'transaction');
      vaults.add((await asWallet(service, token, '/vault/register')).body.vaultPubkey);
    }
    assert.equal(vaults.size, 5);
  });
});

describe('logins, challenges and vaults', () => {
  it('outlive kill -9 and a restart', async () => {
    const env = { SLIPWAY_CHALLENGE_PREFIX: PREFIX };
    const first = await startService({ env });
    const wallet = generateKeypair();
    const token = await logIn(first, wallet);
    const { body: vault } = await asWallet(first, token, '/vault/register');
    const text = (await challengeOf(first, wallet.address)).body.challenge!;
    await first.kill();
    const second = await startService({ dataDir: first.dataDir, env });
    try {
      assert.deepEqual((await asWallet(second, token, '/vault')).body, vault);
      const signature = signText(wallet, text);
      const late = await postVerify(second, { type: 'message', walletPubkey: wallet.address, signature });
      assert.equal(late.status, 200, JSON.stringify(late.body));
      const { body } = await challengeOf(second, wallet.address);
      assert.ok(body.challenge?.startsWith(`${PREFIX} ${wallet.address}.\n\nThis challenge expires at `));
      assert.equal((await asWallet(second, await logIn(second, wallet, 'transaction'), '/vault')).status, 200);
    } finally {
      await second.close();
      await first.close();
    }
  });
});
