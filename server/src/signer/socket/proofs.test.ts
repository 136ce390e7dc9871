import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  type Address,
  addressFromBytes,
  associatedTokenAddress,
  compileMessage,
  createAssociatedTokenIdempotent,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  type Instruction,
  type Keypair,
  memo,
  rentExemptLamports,
  sign,
  systemCreateAccountWithSeed,
  systemTransfer,
  TOKEN_PROGRAM,
  tokenTransferChecked,
  unsignedTransaction,
  verify,
  WRAPPED_SOL_MINT,
  withSignature,
} from '@slipway/wire';
import { uuidv7 } from '../../lib/ids.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import { CHALLENGE_MS, challengePrefixOf, challengeText } from '../challenge.js';
import { connectSigner, createLoginTokens, openSigner, type RemoteSigner, SignerRefused } from '../index.js';
import { orderAccount, orderSeed } from '../order-accounts.js';
import { bytesOfOrder, type SealedOrder } from '../order-seal.js';
import { wideningText } from '../policies/widening.js';
import { type Listening, listenForCallers } from '../process/listen.js';
import type { CallerRole, KeyPort } from './protocol.js';

const START = Date.UTC(2026, 10, 20);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const PREFIX = challengePrefixOf('https://api.example.com');
const [victim, attacker] = [generateKeypair(), generateKeypair()];
const [inputMint, outputMint] = [generateKeypair().address, generateKeypair().address];

let now = START;
let folder: string;
let port: KeyPort;
let listening: Listening;
let api: RemoteSigner;
const clients: RemoteSigner[] = [];
const notes: string[] = [];
const told: SignerRefused[] = [];

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-proofs-'));
  port = await openSigner({
    file: join(folder, 'signer.json'),
    passphrase: 'of the test',
    create: true,
    service: { challengePrefix: () => PREFIX, host: () => 'api.example.com', maxUnsignedSlippageBps: 2_000 },
    clock: { now: () => now },
    age: () => now - START,
  });
  const callers = (['api', 'keeper', 'operator'] as const).map((name) => ({
    name,
    roles: [name] as CallerRole[],
    socket: { path: join(folder, `${name}.sock`), mode: 0o600 },
  }));
  const note = (event: string, facts: object) => void notes.push(`${event} ${JSON.stringify(facts)}`);
  listening = await listenForCallers({ callers, tls: undefined }, () => port, note);
  api = await client('api');
});
after(async () => {
  for (const each of clients) each.close();
  await listening?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function client(name: string): Promise<RemoteSigner> {
  const endpoint = { path: join(folder, `${name}.sock`) };
  const signer = await connectSigner({
    endpoint,
    name,
    patienceMs: PATIENCE_MS,
    refused: (refusal) => told.push(refusal),
  });
  clients.push(signer);
  return signer;
}

/** Refused for this reason, which is counted at the caller, and in the signer's log with the caller's name. */
async function refused(why: RegExp, asking: Promise<unknown>, caller = 'api'): Promise<void> {
  const before = { notes: notes.length, told: told.length };
  await assert.rejects(asking, (error: Error) => {
    assert.ok(error instanceof SignerRefused, error.stack);
    assert.match(error.reason, why);
    return true;
  });
  assert.equal(told.length, before.told + 1, 'counted');
  const said = notes.slice(before.notes);
  assert.equal(said.length, 1);
  assert.match(said[0]!, new RegExp(`^not done .*"caller":"${caller}".*"code":"refused"`));
  assert.match(said[0]!, why);
}

const challengeOf = (wallet: Address, changes: { prefix?: string; expiresAt?: number } = {}) =>
  challengeText(changes.prefix ?? PREFIX, {
    wallet,
    id: randomUUID(),
    expiresAt: new Date(changes.expiresAt ?? now + CHALLENGE_MS),
  });
const messageBy = (wallet: Keypair, challenge: string) => ({
  message: { challenge, signature: sign(wallet, Buffer.from(challenge)) },
});
const asMessage = (wallet: Keypair, challenge: string, asked = wallet.address) =>
  api.issueLogin({ wallet: asked, proof: messageBy(wallet, challenge), notBefore: 0 });
const logIn = (wallet: Keypair) => asMessage(wallet, challengeOf(wallet.address));

function signed(wallet: Keypair, instructions: Instruction[], feePayer = wallet.address): Uint8Array {
  const blockhash = addressFromBytes(new Uint8Array(32).fill(9));
  const unsigned = decodeTransaction(
    unsignedTransaction(compileMessage({ version: 'legacy', feePayer, instructions, blockhash })),
  );
  return encodeTransaction(withSignature(unsigned, wallet.address, sign(wallet, unsigned.message)));
}

const readers = () => createLoginTokens({ signer: api, clock: { now: () => now }, revokedAt: async () => undefined });

describe('attack: a copy that was broken into asks its signer for a login that no wallet has asked for; there is none', () => {
  it('a wallet that has signed a challenge gets one, by a message or by a transaction', async () => {
    assert.equal(await readers().walletOf(await logIn(victim)), victim.address);
    const transaction = signed(victim, [memo(challengeOf(victim.address))]);
    const token = await api.issueLogin({ wallet: victim.address, proof: { transaction }, notBefore: 0 });
    assert.equal(await readers().walletOf(token), victim.address);
  });

  it('of another wallet', async () => {
    const notSigned = /has not signed this challenge/;
    await refused(notSigned, asMessage(attacker, challengeOf(victim.address), victim.address));
    await refused(notSigned, asMessage(attacker, challengeOf(attacker.address), victim.address));
    await refused(/for this wallet/, asMessage(victim, challengeOf(attacker.address)));
    const { signature } = messageBy(victim, challengeOf(victim.address)).message;
    const proof = { message: { challenge: challengeOf(victim.address), signature } };
    await refused(notSigned, api.issueLogin({ wallet: victim.address, proof, notBefore: 0 }));
    const theirs = signed(attacker, [memo(challengeOf(victim.address))]);
    await refused(notSigned, api.issueLogin({ wallet: victim.address, proof: { transaction: theirs }, notBefore: 0 }));
    const unsigned = { transaction: Uint8Array.from(signed(victim, [memo(challengeOf(victim.address))])) };
    unsigned.transaction.fill(0, 1, 65);
    await refused(notSigned, api.issueLogin({ wallet: victim.address, proof: unsigned, notBefore: 0 }));
    const bytes = { transaction: Uint8Array.of(1, 2, 3) };
    await refused(/cannot be read/, api.issueLogin({ wallet: victim.address, proof: bytes, notBefore: 0 }));
  });

  it('by what the wallet has signed for something else', async () => {
    const another = /no challenge of this service/;
    await refused(
      another,
      asMessage(victim, challengeOf(victim.address, { prefix: challengePrefixOf('https://evil') })),
    );
    await refused(another, asMessage(victim, `${PREFIX} ${victim.address}.`));
    await refused(another, asMessage(victim, `${challengeOf(victim.address)} `));
    await refused(another, asMessage(victim, `more: ${challengeOf(victim.address)}`));
    const pay = systemTransfer({ from: victim.address, to: attacker.address, lamports: 1n });
    const transaction = signed(victim, [memo(challengeOf(victim.address)), pay]);
    await refused(/has not signed/, api.issueLogin({ wallet: victim.address, proof: { transaction }, notBefore: 0 }));
  });

  it('by a challenge of before: used, expired, older than the signer, or one that lives too long', async () => {
    const challenge = challengeOf(victim.address);
    await asMessage(victim, challenge);
    await refused(/used before/, asMessage(victim, challenge));
    const again = { transaction: signed(victim, [memo(challenge)]) };
    await refused(/used before/, api.issueLogin({ wallet: victim.address, proof: again, notBefore: 0 }));
    now += CHALLENGE_MS + 2 * MINUTE_MS;
    await refused(/has expired/, asMessage(victim, challenge));
    await refused(/has expired/, asMessage(victim, challengeOf(victim.address, { expiresAt: now - 2 * MINUTE_MS })));
    const long = challengeOf(victim.address, { expiresAt: now + CHALLENGE_MS + 2 * MINUTE_MS });
    await refused(/lives longer/, asMessage(victim, long));
    const at = now;
    now = START + 1_000;
    const old = challengeOf(victim.address, { expiresAt: START + CHALLENGE_MS - 1 });
    await refused(/older than this signer/, asMessage(victim, old));
    now = at;
  });

  it('that begins later, so that it outlives its revocation', async () => {
    const proof = messageBy(victim, challengeOf(victim.address));
    const notBefore = Math.floor(now / 1_000) + 120;
    await refused(/begin later/, api.issueLogin({ wallet: victim.address, proof, notBefore }));
  });

  it('by another caller than a copy of the API', async () => {
    for (const name of ['keeper', 'operator']) {
      const other = await client(name);
      const proof = messageBy(victim, challengeOf(victim.address));
      const asking = other.issueLogin({ wallet: victim.address, proof, notBefore: 0 });
      await refused(/may not ask for this/, asking, name);
    }
  });
});

describe('attack: a copy that was broken into has its signer sign bare bytes; no key does', () => {
  it('by whatever name, as an API copy or a keeper; and nobody has the seal or a login sign', async () => {
    const unsealed = ['gas', 'maker', 'keeper', 'tracker', `vault:${victim.address}`, 'mint:1', 'launch:1'] as const;
    const message = Buffer.from('slipway trigger order 1\n[]');
    for (const name of ['api', 'keeper']) {
      const signer = await client(name);
      for (const key of [...unsealed, 'seal', 'login:2942'] as const) {
        await assert.rejects(signer.sign(key, message), /may not ask for this/, key);
      }
    }
    const operator = await client('operator');
    for (const key of ['seal', 'login:2942', 'maker', 'mint:1', 'launch:1'] as const) {
      await assert.rejects(operator.sign(key, message), /may not ask for this/, key);
    }
    for (const key of ['seal', 'login:2942'] as const)
      await assert.rejects(port.sign(key, message), SignerRefused, key);
  });

  it('the seal of a row is none of an order, whatever the row says', async () => {
    const { order } = await asked();
    const seal = await api.sealRow(bytesOfOrder(order));
    assert.equal(verify(port.address('seal'), bytesOfOrder(order), seal), false);
  });
});

type Asked = { order: SealedOrder; deposit: Uint8Array };

/** An order of a wallet, and the deposit that it has signed. */
async function asked(
  wallet = victim,
  { craftedAt = now, output = outputMint, pays = inputMint as Address, keeps = false } = {},
): Promise<Asked> {
  const vault = await port.publicKey(`vault:${wallet.address}`);
  const tracker = port.address('tracker');
  const depositRequestId = uuidv7({ now: () => craftedAt });
  const accountOn = (side: 'in' | 'out') => orderAccount(vault, depositRequestId, side, TOKEN_PROGRAM);
  const open = (side: 'in' | 'out') =>
    systemCreateAccountWithSeed({
      payer: wallet.address,
      newAccount: accountOn(side),
      base: vault,
      seed: orderSeed(depositRequestId, side),
      lamports: rentExemptLamports(165),
      space: 165,
      owner: TOKEN_PROGRAM,
    });
  const transfer =
    pays === WRAPPED_SOL_MINT
      ? systemTransfer({ from: wallet.address, to: accountOn('in'), lamports: 1_000n })
      : tokenTransferChecked({
          source: associatedTokenAddress(wallet.address, pays),
          mint: pays,
          destination: accountOn('in'),
          authority: wallet.address,
          amount: 1_000n,
          decimals: 6,
          tokenProgram: TOKEN_PROGRAM,
        });
  const seen = { ...transfer, accounts: [...transfer.accounts, { address: tracker, signer: true, writable: false }] };
  const makes = createAssociatedTokenIdempotent({ payer: wallet.address, owner: wallet.address, mint: output });
  const instructions = [
    open('in'),
    seen,
    ...(keeps ? [open('out')] : []),
    ...(output === WRAPPED_SOL_MINT ? [] : [makes]),
  ];
  const order: SealedOrder = {
    id: randomUUID(),
    wallet: wallet.address,
    vault,
    depositRequestId,
    inputMint: pays,
    outputMint: output,
    triggerMint: inputMint,
    inputAccount: accountOn('in'),
    outputAccount: keeps ? accountOn('out') : null,
    progress: { type: keeps ? 'otoco' : 'single', entry: { initial: 1_000n } },
    triggerCondition: 'above',
    triggerPriceUsd: 2,
    trailingBps: null,
    tpPriceUsd: null,
    slPriceUsd: null,
    slippageBps: 100,
    tpSlippageBps: null,
    slSlippageBps: null,
    expiresAt: new Date(now + DAY_MS),
  };
  return { order, deposit: signed(wallet, instructions) };
}

it('attack: a free key posts an order in the last moment of its login: its copy has taken that, so the signer takes it, and warns nobody of that copy', async () => {
  const token = await logIn(attacker);
  const logins = createLoginTokens({ signer: api, clock: { now: () => now }, revokedAt: async () => undefined });
  now += DAY_MS - 1;
  assert.equal(await logins.walletOf(token), attacker.address);
  // By the clock of a signer that is as far ahead as it may be.
  now += MINUTE_MS;
  assert.equal(await logins.walletOf(token), undefined);
  const { order, deposit } = await asked(attacker);
  const seal = await api.sealOrder({ token, order, proof: { deposit } });
  assert.ok(verify(port.address('seal'), bytesOfOrder(order), seal));
});

describe('attack: a copy that was broken into asks its signer to seal orders that no wallet has asked for; none has a seal', () => {
  const sealNew = async ({ order, deposit }: Asked, by = victim) =>
    api.sealOrder({ token: await logIn(by), order, proof: { deposit } });

  it('an order whose wallet is logged in, and has signed its deposit, has one, of tokens and of SOL', async () => {
    for (const each of [
      await asked(),
      await asked(victim, { output: WRAPPED_SOL_MINT }),
      await asked(victim, { pays: WRAPPED_SOL_MINT }),
      await asked(victim, { keeps: true }),
    ]) {
      assert.ok(verify(port.address('seal'), bytesOfOrder(each.order), await sealNew(each)));
    }
  });

  it('of another wallet, by a login of his own, by one that he has changed, or that has expired', async () => {
    const given = await asked();
    await refused(/one of another wallet/, sealNew(given, attacker));
    const own = await asked(attacker);
    await refused(
      /one of another wallet/,
      sealNew({ ...own, order: { ...own.order, wallet: victim.address } }, attacker),
    );
    await refused(
      /one of another wallet/,
      sealNew({ ...own, order: { ...own.order, vault: given.order.vault } }, attacker),
    );
    const token = await logIn(victim);
    const [header, , signature] = (await logIn(attacker)).split('.');
    const forged = `${header}.${token.split('.')[1]}.${signature}`;
    const proof = { deposit: given.deposit };
    for (const bad of [forged, '', 'sandbox', `${token}x`]) {
      await refused(/the login is none/, api.sealOrder({ token: bad, order: given.order, proof }));
    }
    now += DAY_MS + MINUTE_MS;
    await refused(/the login is none/, api.sealOrder({ token, order: given.order, proof }));
  });

  it('by a deposit that the wallet has not signed, or of long ago', async () => {
    const { order, deposit } = await asked();
    const unsigned = Uint8Array.from(deposit);
    unsigned.fill(0, 1, 65);
    await refused(/has not signed the deposit/, sealNew({ order, deposit: unsigned }));
    await refused(/cannot be read/, sealNew({ order, deposit: deposit.subarray(0, -1) }));
    await refused(/a moment ago/, sealNew(await asked(victim, { craftedAt: now - 12 * MINUTE_MS })));
    await refused(/a moment ago/, sealNew(await asked(victim, { craftedAt: now + 2 * MINUTE_MS })));
    await refused(/a moment ago/, sealNew({ order: { ...order, depositRequestId: 'none' }, deposit }));
  });

  it('by a deposit for something else', async () => {
    const { order, deposit } = await asked();
    const other = await asked();
    const changed = (changes: Partial<SealedOrder>) => sealNew({ order: { ...order, ...changes }, deposit });
    await refused(/makes other accounts/, sealNew({ order, deposit: other.deposit }));
    await refused(/not the order’s/, changed({ inputAccount: other.order.inputAccount }));
    await refused(/not the order’s/, changed({ outputAccount: order.inputAccount }));
    await refused(/is another one/, changed({ inputMint: outputMint }));
    await refused(/is another one/, changed({ progress: { type: 'single', entry: { initial: 1_001n } } }));
    await refused(/another output/, changed({ outputMint: inputMint }));
    await refused(/another output/, changed({ outputMint: WRAPPED_SOL_MINT }));
    await refused(/another type/, changed({ progress: { type: 'otoco', entry: { initial: 1_000n } } }));
    const kept = await asked(victim, { keeps: true });
    await refused(/makes other accounts/, sealNew({ ...kept, order: { ...kept.order, outputAccount: null } }));
  });

  async function edit(changes: Partial<SealedOrder>, more: { consent?: Keypair; by?: Keypair; at?: number } = {}) {
    const given = await asked();
    const before = { ...given.order, seal: await sealNew(given) };
    const after = { ...given.order, ...changes };
    const signedAt = more.at ?? now;
    const text = wideningText({ id: after.id, host: 'api.example.com', signedAt: new Date(signedAt) }, before, after);
    const consent = more.consent && { signature: sign(more.consent, Buffer.from(text)), signedAt };
    const token = await logIn(more.by ?? victim);
    return api.sealOrder({ token, order: after, proof: { edit: { before, consent } } });
  }
  const giveAway = { triggerPriceUsd: 0.000_001, slippageBps: 10_000 };

  it('by an edit that gives away more than a login may, without the signature of its wallet over it', async () => {
    await edit({ triggerPriceUsd: 1, slippageBps: 2_000 });
    await edit(giveAway, { consent: victim });
    await refused(/must sign this change/, edit(giveAway));
    await refused(/must sign this change/, edit({ slippageBps: 2_001 }));
    await refused(/has not signed this change/, edit(giveAway, { consent: attacker }));
    await refused(/too old/, edit(giveAway, { consent: victim, at: now - 7 * MINUTE_MS }));
    await refused(/one of another wallet/, edit({}, { by: attacker }));
  });

  it('by an edit that makes another order of it, or of one that has no seal', async () => {
    await refused(/changes what the order is/, edit({ outputMint: WRAPPED_SOL_MINT }, { consent: victim }));
    await refused(/changes what the order is/, edit({ inputAccount: attacker.address }, { consent: victim }));
    await refused(/changes what the order is/, edit({ triggerCondition: 'below' }));
    await refused(/changes what the order is/, edit({ triggerCondition: 'below' }, { consent: victim }));
    await refused(/one of another wallet/, edit({ wallet: attacker.address }, { consent: victim }));
    const { order } = await asked();
    const token = await logIn(victim);
    const loose = { ...order, slippageBps: 10_000 };
    for (const seal of [null, new Uint8Array(64), await api.sealRow(bytesOfOrder(loose))]) {
      const proof = { edit: { before: { ...loose, seal }, consent: undefined } };
      await refused(/not as its owner made it/, api.sealOrder({ token, order: loose, proof }));
    }
  });
});
