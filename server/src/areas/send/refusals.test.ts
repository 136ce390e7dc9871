import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { clawbackInvite, inviteAddress } from '@slipway/programs';
import {
  type Address,
  addressToBytes,
  associatedTokenAddress,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  type Keypair,
  readonlySigner,
  SYSTEM_PROGRAM,
  sign,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  withSignature,
  writableAccount,
} from '@slipway/wire';
import { KEEPER_LEAST_LAMPORTS } from '../../keeper/wallet.js';
import { Turns } from '../../lib/turns.js';
import { turnOn, worldOver } from '../../routing/aggregator/testing.js';
import { findRequest } from '../../store/ledger.js';
import {
  claim,
  execute,
  lamportsOf,
  land,
  makeInvite,
  newWallet,
  openSendWorld,
  type SendWorld,
  send,
  signed,
  USDC,
} from './testing.js';

/** The token program's instruction, and what it changes. */
const [SET_AUTHORITY, ACCOUNT_OWNER] = [6, 2];

let world: SendWorld;
let sender: Keypair;
before(async () => {
  world = await openSendWorld();
  sender = await newWallet(world);
});
after(() => world.close());

async function refused(path: string, body: object, pattern: RegExp, expected = 400): Promise<void> {
  const answer = await world.post(path, body);
  assert.equal(answer.status, expected, JSON.stringify(answer.body));
  assert.deepEqual(Object.keys(answer.body), ['error']);
  assert.match(answer.body.error, pattern);
}

it('lists refuse what is no address and no page, by name', async () => {
  const good = sender.address;
  const cases: [string, RegExp][] = [
    ['', /^address: /],
    ['address=', /^address: /],
    ['address=abc', /^address: /],
    [`address=${good}xxx`, /^address: /],
    [`address=${good}&address=${good}`, /^address: /],
    [`address=${'1'.repeat(10_000)}`, /^address: /],
    ...['0', '-1', '1.5', '', 'x', '1e3', '1000001', '99999999999999999999999'].map((page): [string, RegExp] => [
      `address=${good}&page=${page}`,
      /^page: /,
    ]),
  ];
  for (const list of ['pending-invites', 'invite-history']) {
    for (const [query, pattern] of cases) {
      const { status, body } = await world.get(`${list}?${query}`);
      assert.equal(status, 400, query.slice(0, 60));
      assert.match(body.error, pattern, query.slice(0, 60));
      assert.deepEqual(Object.keys(body), ['error']);
    }
  }
});

it('an invite that cannot be made is refused with the field and the reason', async () => {
  const inviteSigner = generateKeypair().address;
  const good = { inviteSigner, sender: sender.address, amount: '1000000' };
  const poor = generateKeypair().address;
  const cases: [object, RegExp][] = [
    [{ inviteSigner: undefined }, /^inviteSigner: /],
    [{ inviteSigner: 'abc' }, /^inviteSigner: /],
    [{ inviteSigner: sender.address }, /^inviteSigner: .*its own/],
    [{ sender: undefined }, /^sender: /],
    [{ sender: '' }, /^sender: /],
    [{ sender: world.keeper }, /^sender: .*server's/],
    [{ sender: USDC.mint }, /^sender: .*program/],
    [{ sender: poor }, /^insufficient funds: sender needs 0\.00223496 SOL more$/],
    ...['', '0', '-5', '1e3', '01', '1.0', '18446744073709551616', '٣'].map((amount): [object, RegExp] => [
      { amount },
      /^amount: /,
    ]),
    [{ amount: 5 }, /^amount: /],
    [{ amount: '890879' }, /^amount: .*890880/],
    [{ amount: '10000000000' }, /^insufficient funds: sender needs/],
    [{ mint: '' }, /^mint: /],
    [{ mint: poor }, /^mint: there is no such token/],
    [{ mint: sender.address }, /^mint: there is no such token/],
    [{ mint: USDC.mint, amount: '1000000001' }, /^insufficient funds: amount is 1000000001, .* holds 1000000000$/],
    [{ mint: USDC.mint, sender: poor }, /^insufficient funds: amount is 1000000, .* holds 0$/],
  ];
  for (const [given, pattern] of cases) await refused('craft-send', { ...good, ...given }, pattern);
});

it('a key that has an open invite cannot have a second one', async () => {
  const { key } = await makeInvite(world, sender, 1_000_000n);
  const body = { inviteSigner: key.address, sender: sender.address, amount: '1000000' };
  await refused('craft-send', body, /^inviteSigner: there is an open invite with this key/);
});

it('only the sender takes an invite back, and only one that is open', async () => {
  const { key } = await makeInvite(world, sender, 1_000_000n);
  const invitePDA = inviteAddress(key.address);
  const stranger = await newWallet(world);
  await refused('craft-clawback', { invitePDA, sender: stranger.address }, /^sender: the invite is of another sender/);
  await refused('craft-clawback', { invitePDA: 'x', sender: sender.address }, /^invitePDA: expected/);
  await refused('craft-clawback', { sender: sender.address }, /^invitePDA: /);
  for (const other of [key.address, USDC.mint, associatedTokenAddress(sender.address, USDC.mint)]) {
    await refused('craft-clawback', { invitePDA: other, sender: sender.address }, /^invitePDA: no invite is open/);
  }
  await claim(world, key, stranger.address);
  await refused('craft-clawback', { invitePDA, sender: sender.address }, /^invitePDA: no invite is open/);
});

it('a claim is only for an open invite, and for a wallet', async () => {
  const { key } = await makeInvite(world, sender, 1_000_000n, USDC.mint);
  const inviteSigner = key.address;
  const receiver = generateKeypair().address;
  const unknown = generateKeypair().address;
  await refused('craft-claim', { inviteSigner: unknown, receiver }, /^inviteSigner: no invite with this key is open/);
  await refused('craft-claim', { inviteSigner: 'x', receiver }, /^inviteSigner: expected/);
  await refused('craft-claim', { inviteSigner }, /^receiver: /);
  await refused('craft-claim', { inviteSigner, receiver: world.keeper }, /^receiver: .*server's/);
  await refused('craft-claim', { inviteSigner, receiver: USDC.mint }, /^receiver: expected a wallet/);
  await refused('craft-claim', { inviteSigner, receiver: '1'.repeat(32) }, /^receiver: expected a wallet/);
  await claim(world, key, receiver);
  await refused('craft-claim', { inviteSigner, receiver }, /^inviteSigner: no invite with this key is open/);
});

it('an invite, and its end, is refused where the account of Token-2022 that pays or gets it lets no program transfer', async () => {
  const holding = worldOver(world.net);
  const token = await holding.token({ program: TOKEN_2022_PROGRAM });
  const [wallet, receiver] = [await newWallet(world), await newWallet(world)];
  const own = ({ address }: Keypair) => associatedTokenAddress(address, token.mint, TOKEN_2022_PROGRAM);
  for (const each of [wallet, receiver]) await holding.holding(token, each.address, 10n, own(each));
  const { key } = await makeInvite(world, wallet, 5n, token.mint);
  for (const each of [wallet, receiver]) await turnOn(holding, each, own(each), 'memo');
  const requiresMemos = /^the token account that gets it requires memos, .* turns that off first$/;
  await refused('craft-claim', { inviteSigner: key.address, receiver: receiver.address }, requiresMemos);
  const invitePDA = inviteAddress(key.address);
  await refused('craft-clawback', { invitePDA, sender: wallet.address }, requiresMemos);
  await turnOn(holding, wallet, own(wallet), 'cpi-guard');
  const another = { inviteSigner: generateKeypair().address, sender: wallet.address, amount: '5', mint: token.mint };
  await refused('craft-send', another, /^the sender's token account has CPI Guard on, .* turn that off first$/);
});

it('a claim cannot be sent without the key, or with a wrong one', async () => {
  const { key } = await makeInvite(world, sender, 1_000_000n);
  const { body } = await world.post('craft-claim', { inviteSigner: key.address, receiver: sender.address });
  await assert.rejects(land(world, body.tx, key), /ignature/, 'the keeper has not signed');
  const unsigned = await execute(world, body);
  assert.deepEqual([unsigned.status, /signature of .* is missing/.test(unsigned.body.error)], [400, true]);
  assert.throws(() => signed(body.tx, generateKeypair()));
});

it('after its expiry an invite cannot be claimed, also with a claim that was crafted before', async () => {
  const { key } = await makeInvite(world, sender, 1_000_000n);
  const claimBody = { inviteSigner: key.address, receiver: generateKeypair().address };
  await world.advance(7 * 24 * 60 * 60 - 30);
  const { status, body } = await world.post('craft-claim', claimBody);
  assert.equal(status, 200);
  await world.advance(31);
  await refused('craft-claim', claimBody, /^inviteSigner: the invite has expired/);
  const late = await execute(world, body, key);
  assert.deepEqual([late.status, late.body.error], [400, 'the invite has expired']);
  const back = await world.post('craft-clawback', {
    invitePDA: inviteAddress(key.address),
    sender: sender.address,
  });
  assert.equal(back.status, 200, 'its sender still takes it back');
});

it('of many claims of an invite that are posted at once, one lands, and the others cost nothing', async () => {
  const { key } = await makeInvite(world, sender, 1_000_000n);
  const crafted = await Promise.all(times(12, () => craftClaim(key, generateKeypair().address)));
  const before = await lamportsOf(world, world.keeper);
  const answers = await Promise.all(crafted.map((each) => execute(world, each, key)));
  const [landed, ...more] = answers.filter(({ status }) => status === 200);
  assert.deepEqual(more, []);
  for (const { status } of answers) assert.ok([200, 400, 429].includes(status), `${status}`);
  assert.equal(before - (await lamportsOf(world, world.keeper)), await feeOf(landed!.body.signature));
  const again = await execute(world, crafted[answers.indexOf(landed!)]!, key);
  assert.equal(again.body.signature, landed!.body.signature, 'the same post, the same answer');
});

it('a claim whose invite its sender has taken back is not sent', async () => {
  const { key } = await makeInvite(world, sender, 1_000_000n);
  const receiver = generateKeypair().address;
  const body = await craftClaim(key, receiver);
  await send(world, [sender], [clawbackInvite({ inviteInfo: inviteAddress(key.address), sender: sender.address })]);
  const before = await lamportsOf(world, world.keeper);
  assert.equal((await execute(world, body, key)).status, 400);
  assert.deepEqual([await world.chain.account(receiver), await lamportsOf(world, world.keeper)], [undefined, before]);
});

describe('attack: a free key asks for claims of an invite of which it knows only the public key; the receiver is not kept from it', () => {
  it('100 claims for others, and the one for the receiver is crafted and lands', async () => {
    const { key } = await makeInvite(world, sender, 1_000_000n);
    await Promise.all(times(100, () => craftClaim(key, generateKeypair().address)));
    const receiver = generateKeypair().address;
    await claim(world, key, receiver);
    assert.ok((await lamportsOf(world, receiver)) > 1_000_000n);
  });

  it('and a claim that somebody else has signed is not sent', async () => {
    const { key } = await makeInvite(world, sender, 1_000_000n);
    const body = await craftClaim(key, generateKeypair().address);
    const { decoded: _, ...transaction } = decodeTransaction(Buffer.from(body.tx, 'base64'));
    const forged = withSignature(transaction, key.address, sign(generateKeypair(), transaction.message));
    const signedTransaction = Buffer.from(encodeTransaction(forged)).toString('base64');
    await refused('execute-claim', { requestId: body.requestId, signedTransaction }, /does not match/);
  });
});

describe("attack: a wallet makes claims of its own invites fail at the keeper's cost; 20 fees an hour", () => {
  it('30 claims, posted while the node does not see yet that their invites were taken back', async () => {
    const attacker = await newWallet(world);
    const keys: Keypair[] = [];
    for (let n = 0; n < 30; n++) keys.push((await makeInvite(world, attacker, 1_000_000n)).key);
    const bodies = [];
    for (const key of keys) bodies.push(await craftClaim(key, generateKeypair().address));
    for (const key of keys) {
      await send(
        world,
        [attacker],
        [clawbackInvite({ inviteInfo: inviteAddress(key.address), sender: attacker.address })],
      );
    }
    const { chain } = world;
    const { simulate } = chain;
    chain.simulate = async () => ({ err: null, logs: [], unitsConsumed: 5_000, accounts: [] });
    const before = await lamportsOf(world, world.keeper);
    try {
      const answers = await Promise.all(bodies.map((body, index) => execute(world, body, keys[index]!)));
      assert.equal(answers.filter(({ status }) => status === 400).length, 20);
      assert.equal(answers.filter(({ status }) => status === 429).length, 10);
    } finally {
      chain.simulate = simulate;
    }
    assert.equal(before - (await lamportsOf(world, world.keeper)), 20n * (await feeOfFailed()));
  });

  /** Of a claim: two signatures and what its compute units cost. */
  async function feeOfFailed(): Promise<bigint> {
    const { rows } = await world.store.query<{ signature: string }>(
      `select signature from ledger where area = 'invite-claim' and state = 'failed' limit 1`,
    );
    return feeOf(rows[0]!.signature);
  }
});

it('attack: a wallet posts a claim when its blockhash has hardly a block left, so that it counts in the signer and lands nowhere: nothing is signed, and it hears what to do', async (t) => {
  const { key } = await makeInvite(world, sender, 1_000_000n);
  const late = await craftClaim(key, generateKeypair().address);
  const { lastValidBlockHeight } = (await findRequest(world.store, late.requestId))!;
  const cosign = t.mock.method(world.deps.signer, 'cosign');
  const height = t.mock.method(world.chain, 'blockHeight');
  for (const left of [14n, -1n]) {
    height.mock.mockImplementation(async () => lastValidBlockHeight - left);
    const { status, body } = await execute(world, late, key);
    assert.deepEqual([status, body.error], [400, 'signedTransaction: its blockhash has expired; craft another claim']);
  }
  assert.equal(cosign.mock.callCount(), 0);
  height.mock.restore();
  await claim(world, key, generateKeypair().address);
  assert.equal(cosign.mock.callCount(), 1);
});

it('attack: a wallet claims ever more invites of its own, each of which costs the keeper more than him: claims wait while it has less than 0.04 SOL, which is read once a second, and fills go on', async (t) => {
  const invites = await Promise.all(Array.from({ length: 3 }, () => makeInvite(world, sender, 1_000_000n)));
  const claims: { key: Keypair; crafted: Awaited<ReturnType<typeof craftClaim>> }[] = [];
  for (const { key } of invites) claims.push({ key, crafted: await craftClaim(key, generateKeypair().address) });
  const [first, ...others] = claims.map(
    ({ key, crafted }) =>
      () =>
        execute(world, crafted, key),
  );
  const full = await lamportsOf(world, world.keeper);
  const setKeeper = async (lamports: bigint) => {
    const account = { lamports: Number(lamports), owner: SYSTEM_PROGRAM, executable: false, data: '' };
    await world.rpc.call('localnet_setAccount', [world.keeper, account]);
    world.time.ahead += 1_000;
  };
  await setKeeper(2n * KEEPER_LEAST_LAMPORTS);
  const { body: landed } = await first!();
  assert.match(landed.signature, /^\w+$/);
  world.time.ahead += 1_000;
  const left = await lamportsOf(world, world.keeper);
  const read = t.mock.method(world.chain, 'account');
  for (const { status, body } of await Promise.all([...others, ...others, ...others].map((post) => post())))
    assert.deepEqual([status, /has too little SOL to pay for claims/.test(body.error)], [503, true]);
  assert.equal(read.mock.calls.filter(({ arguments: [address] }) => address === world.keeper).length, 1);
  assert.equal(await lamportsOf(world, world.keeper), left);
  assert.ok(left > KEEPER_LEAST_LAMPORTS && (await world.deps.keeperWallet.canPay()));
  // What was posted before is answered all the same, and the others once it has more.
  assert.deepEqual((await first!()).body, landed);
  await setKeeper(full);
  for (const post of others) assert.equal((await post()).status, 200);
});

it('attack: a wallet that may claim an invite makes its claims fail, to have the sender barred: 3 fees, and the others of the sender are claimed', async () => {
  const [promoter, thief] = [await newWallet(world), await newWallet(world)];
  const [stolen, honest] = [
    (await makeInvite(world, promoter, 1_000_000n, USDC.mint)).key,
    (await makeInvite(world, promoter, 1_000_000n, USDC.mint)).key,
  ];
  const own = associatedTokenAddress(thief.address, USDC.mint);
  const data = Uint8Array.of(SET_AUTHORITY, ACCOUNT_OWNER, 1, ...addressToBytes(generateKeypair().address));
  const { chain } = world;
  const { simulate } = chain;
  const before = await lamportsOf(world, world.keeper);
  const statuses: number[] = [];
  const crafted: Awaited<ReturnType<typeof craftClaim>>[] = [];
  while (crafted.length < 6) {
    const next = await craftClaim(stolen, thief.address);
    // Of one blockhash, it is the same transaction.
    if (crafted.every(({ tx }) => tx !== next.tx)) crafted.push(next);
  }
  const accounts = [writableAccount(own), readonlySigner(thief.address)];
  await send(world, [thief], [{ program: TOKEN_PROGRAM, accounts, data }]);
  // In the moment of the simulations, nothing of that was known.
  chain.simulate = async () => ({ err: null, logs: [], unitsConsumed: 5_000, accounts: [] });
  try {
    for (const each of crafted) statuses.push((await execute(world, each, stolen)).status);
  } finally {
    chain.simulate = simulate;
  }
  assert.deepEqual(statuses, [400, 400, 400, 429, 429, 429]);
  const { rows } = await world.store.query<{ signature: string }>(
    `select signature from ledger where area = 'invite-claim' and state = 'failed' and payload ->> 'invite' = $1`,
    [inviteAddress(stolen.address)],
  );
  const fees = await Promise.all(rows.map(({ signature }) => feeOf(signature)));
  assert.equal(
    before - (await lamportsOf(world, world.keeper)),
    fees.reduce((sum, fee) => sum + fee, 0n),
  );
  assert.equal(fees.length, 3);
  await claim(world, honest, generateKeypair().address);
});

it('attack: a wallet that may claim seven invites of one sender makes their claims fail, to have the sender barred: 21 fees, and the others of the sender are claimed', async () => {
  const [promoter, thief] = [await newWallet(world), await newWallet(world)];
  const make = async () => (await makeInvite(world, promoter, 1_000_000n, USDC.mint)).key;
  const [stolen, honest] = [[] as Keypair[], await make()];
  while (stolen.length < 7) stolen.push(await make());
  const crafted: { key: Keypair; body: Awaited<ReturnType<typeof craftClaim>> }[] = [];
  for (const key of stolen) {
    for (let n = 0; n < 4; ) {
      const body = await craftClaim(key, thief.address);
      if (crafted.some((each) => each.body.tx === body.tx)) continue;
      crafted.push({ key, body });
      n++;
    }
  }
  const own = associatedTokenAddress(thief.address, USDC.mint);
  const data = Uint8Array.of(SET_AUTHORITY, ACCOUNT_OWNER, 1, ...addressToBytes(generateKeypair().address));
  const accounts = [writableAccount(own), readonlySigner(thief.address)];
  await send(world, [thief], [{ program: TOKEN_PROGRAM, accounts, data }]);
  const { chain } = world;
  const { simulate } = chain;
  const before = await lamportsOf(world, world.keeper);
  const statuses: number[] = [];
  // In the moment of the simulations, nothing of that was known.
  chain.simulate = async () => ({ err: null, logs: [], unitsConsumed: 5_000, accounts: [] });
  try {
    for (const { key, body } of crafted) statuses.push((await execute(world, body, key)).status);
  } finally {
    chain.simulate = simulate;
  }
  assert.deepEqual(
    statuses,
    stolen.flatMap(() => [400, 400, 400, 429]),
  );
  const { rows } = await world.store.query<{ signature: string }>(
    `select signature from ledger where area = 'invite-claim' and state = 'failed' and payload ->> 'invite' = any($1)`,
    [stolen.map(({ address }) => inviteAddress(address))],
  );
  assert.equal(rows.length, 21);
  const fees = await Promise.all(rows.map(({ signature }) => feeOf(signature)));
  assert.equal(
    before - (await lamportsOf(world, world.keeper)),
    fees.reduce((sum, fee) => sum + fee, 0n),
  );
  await claim(world, honest, generateKeypair().address);
});

it('attack: a wallet that may claim an invite posts claims that wait for the node: those of the sender’s other invites do not', {
  timeout: 60_000,
}, async () => {
  const promoter = await newWallet(world);
  const [own, honest] = [
    (await makeInvite(world, promoter, 1_000_000n)).key,
    (await makeInvite(world, promoter, 1_000_000n)).key,
  ];
  const crafted = await Promise.all(times(5, () => craftClaim(own, generateKeypair().address)));
  const { chain } = world;
  const { simulate } = chain;
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  chain.simulate = async (wire, options) => {
    if (Buffer.from(wire).includes(Buffer.from(addressToBytes(own.address)))) await answered;
    return simulate(wire, options);
  };
  try {
    const waiting = crafted.map((each) => execute(world, each, own));
    await claim(world, honest, generateKeypair().address);
    answer();
    const statuses = (await Promise.all(waiting)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 1);
  } finally {
    answer();
    chain.simulate = simulate;
  }
});

it('attack: a wallet that may claim an invite posts ever more claims of it at once: one of the sender’s other invites waits for one of them', {
  timeout: 60_000,
}, async (t) => {
  const promoter = await newWallet(world);
  const [own, honest] = [
    (await makeInvite(world, promoter, 1_000_000n)).key,
    (await makeInvite(world, promoter, 1_000_000n)).key,
  ];
  const crafted = await Promise.all(times(12, () => craftClaim(own, generateKeypair().address)));
  const wanted = await craftClaim(honest, generateKeypair().address);
  const take = t.mock.method(Turns.prototype, 'take');
  const inLine = () => take.mock.calls.filter(({ arguments: [name] }) => name.endsWith(promoter.address)).length;
  const { chain } = world;
  const { simulate } = chain;
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  /** Whose claims are tried out again, because they had to wait. */
  const again: string[] = [];
  const seen = new Set<string>();
  chain.simulate = async (wire, options) => {
    const whose = Buffer.from(wire).includes(Buffer.from(addressToBytes(honest.address))) ? 'honest' : 'his';
    const message = Buffer.from(decodeTransaction(wire).message).toString('hex');
    if (seen.has(message)) {
      again.push(whose);
      await begun;
    }
    seen.add(message);
    return simulate(wire, options);
  };
  const post = ({ tx, requestId }: { tx: string; requestId: string }, key: Keypair, by: string) =>
    world.post('execute-claim', { requestId, signedTransaction: signed(tx, key) }, by);
  try {
    const waiting = crafted.map((each) => post(each, own, 'his'));
    while (again.length === 0 || inLine() < 12) await sleep(20);
    const claimed = post(wanted, honest, 'honest');
    while (inLine() < 13) await sleep(20);
    begin();
    assert.equal((await claimed).status, 200);
    await Promise.all(waiting);
    assert.ok(again.indexOf('honest') <= 2, again.join(' '));
  } finally {
    begin();
    chain.simulate = simulate;
  }
});

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

async function craftClaim(key: Keypair, receiver: Address) {
  const { status, body } = await world.post('craft-claim', { inviteSigner: key.address, receiver });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function feeOf(signature: string): Promise<bigint> {
  const options = { maxSupportedTransactionVersion: 0, commitment: 'confirmed' };
  const found = await world.rpc.call<{ meta: { fee: number } }>('getTransaction', [signature, options]);
  return BigInt(found.meta.fee);
}
