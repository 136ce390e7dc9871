import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Address,
  associatedTokenAddress,
  base58Decode,
  decodeTransaction,
  encodeTokenAccount,
  encodeTransaction,
  type Keypair,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  withSignature,
} from '@slipway/wire';
import { PATIENCE_MS } from '../../lib/testing.js';
import { JUP } from '../../sandbox/maker/testing.js';
import { claimMany, insertCrafted, settleMany } from '../../store/ledger.js';
import { signed } from '../trigger-v1/testing.js';
import { openExpressWorld, PRICE } from './testing.js';

let world: Awaited<ReturnType<typeof openExpressWorld>>;
beforeEach(async () => {
  world = await openExpressWorld();
});
afterEach(() => world.close());

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !(await isTrue()); await sleep(50)) {
    assert.ok(performance.now() < end, 'it took too long');
  }
}

describe('attack: a wallet has payments signed that are never sent, so that what the signer may sign for in an hour is used up', () => {
  async function crafted20() {
    const [attacker, other] = [await world.newWallet(PRICE, 0n), await world.newWallet(0n)];
    const crafted = [];
    for (let count = 0; count < 20; count++) crafted.push(await world.craft(attacker.address));
    assert.ok(crafted.every(({ gasless }) => gasless));
    return { attacker, other, crafted };
  }

  it('20 whose tokens are gone: none is signed', async () => {
    const { attacker, other, crafted } = await crafted20();
    await world.move(attacker, other.address, PRICE, other);
    for (const each of crafted) {
      const { body } = await world.execute(attacker, each, await world.newMint());
      assert.match(body.error ?? '', /^Not sent: /, JSON.stringify(body));
    }
    assert.equal(world.signings(), 0);
  });

  it('20 whose blockhash is dead, with a signature that has landed in the place of the gas wallet: none', async () => {
    const { attacker, crafted } = await crafted20();
    const landed = base58Decode((await world.rpc.call('requestAirdrop', [attacker.address, 1_000_000])) as string)!;
    await world.advance(100);
    for (const each of crafted) {
      const wire = Buffer.from(signed(each.transaction, attacker), 'base64');
      const spoiled = withSignature(decodeTransaction(wire), world.gasWallet, landed);
      const transaction = Buffer.from(encodeTransaction(spoiled)).toString('base64');
      const answer = await world.execute(attacker, each, await world.newMint(), { transaction });
      assert.equal(answer.status, 400, JSON.stringify(answer));
    }
    assert.equal(world.signings(), 0);
  });

  it('20 at once: one is signed; another 20 for a token that is taken: none', async () => {
    const { attacker, crafted } = await crafted20();
    const mints: Address[] = [];
    for (const _ of crafted) mints.push(await world.newMint());
    const answers = await Promise.all(crafted.map((each, index) => world.execute(attacker, each, mints[index]!)));
    const landed = answers.flatMap(({ body }, index) => (body.status === 'Success' ? [mints[index]!] : []));
    assert.equal(landed.length, 1, JSON.stringify(answers));
    assert.equal(world.signings(), 1);

    const second = await crafted20();
    for (const each of second.crafted)
      assert.equal((await world.execute(second.attacker, each, landed[0]!)).status, 409);
    assert.equal(world.signings(), 1);
  });
});

describe('attack: a wallet makes payments fail on the chain that the gas wallet pays for', () => {
  it('20 of one wallet with the price of one, which moves it away as they are posted: one fee in ten minutes', async () => {
    const [attacker, other] = [await world.newWallet(PRICE, 0n), await world.newWallet(0n)];
    const crafted = [];
    for (let count = 0; count < 20; count++) crafted.push(await world.craft(attacker.address));
    assert.ok(crafted.every(({ gasless, code }) => gasless && code === 0));
    const mints: Address[] = [];
    for (const _ of crafted) mints.push(await world.newMint());
    await world.move(attacker, other.address, PRICE, other);
    world.node.isBehind = true;
    const before = await world.lamports(world.gasWallet);
    const posts = crafted.map((each, index) => world.execute(attacker, each, mints[index]!));
    const answers = await Promise.all(posts);
    assert.equal(answers.filter(({ status }) => status === 200).length, 1, JSON.stringify(answers));
    assert.equal(answers.filter(({ status }) => status === 429).length, 19);
    assert.equal(before - (await world.lamports(world.gasWallet)), BigInt(crafted[0]!.feeLamports));

    for (const [index, each] of crafted.entries()) {
      assert.notEqual((await world.execute(attacker, each, mints[index]!)).body.status, 'Success');
    }
    assert.equal(before - (await world.lamports(world.gasWallet)), BigInt(crafted[0]!.feeLamports));
    world.node.isBehind = false;
    await world.move(other, attacker.address, PRICE, other);
    assert.equal((await world.craft(attacker.address)).gasless, false);
    await world.advance(601);
    assert.equal((await world.craft(attacker.address)).gasless, true);
  });

  it('those of many new wallets: 150 fees in an hour, those of swaps counted in; who has paid before goes on, to 200', async () => {
    const [wallet, customer] = [await world.newWallet(PRICE, 0n), await world.newWallet(4n * PRICE, 0n)];
    const buy = async () => world.execute(customer, await world.craft(customer.address), await world.newMint());
    assert.equal((await buy()).body.status, 'Success');
    await world.advance(3_601);
    const ready = await world.craft(wallet.address);
    await lose(149, 'swap');
    assert.equal((await world.craft(wallet.address)).gasless, true);
    await lose(1, 'express');
    assert.equal((await world.craft(wallet.address)).gasless, false);
    const before = await world.lamports(world.gasWallet);
    const { status, body } = await world.execute(wallet, ready, await world.newMint());
    assert.deepEqual([status, body.message?.slice(0, 21)], [429, 'too many transactions'], JSON.stringify(body));
    assert.equal(await world.lamports(world.gasWallet), before);

    const bought = await buy();
    assert.equal(bought.body.status, 'Success', JSON.stringify(bought));
    assert.notEqual(await world.lamports(world.gasWallet), before);
    await lose(50, 'swap');
    assert.equal((await world.craft(customer.address)).gasless, false);
  });

  let lost = 0;
  /** Writes failures of other wallets to the ledger. */
  async function lose(count: number, area: string): Promise<void> {
    const now = new Date(world.clock.now());
    await world.store.transaction(async (tx) => {
      const made = { cosigners: ['gas'], payload: null, lastValidBlockHeight: 1n, createdAt: now, expiresAt: now };
      const ids = Array.from({ length: count }, () => `loss ${lost++}`);
      const rows = ids.map((id) => ({ id, area, wallet: id, messageHash: Buffer.from(id), ...made }));
      await insertCrafted(tx, rows);
      const sent = { wire: new Uint8Array([1]), sentAt: now };
      await claimMany(
        tx,
        ids.map((id) => ({ id, signature: `of ${id}`, ...sent })),
      );
      await settleMany(
        tx,
        ids.map((id) => ({ id, event: 'failed', slot: 5n, error: 'AccountInUse', settledAt: now })),
      );
    });
  }
});

it('attack: an uploader says that it has paid more than it has: the operator sees what was paid', async () => {
  const payer = await world.newWallet(PRICE, 0n);
  const mint = await world.newMint();
  const said = { paymentAmount: '9'.repeat(1_000) };
  const { body } = await world.execute(payer, await world.craft(payer.address), mint, said);
  assert.equal(body.status, 'Success', JSON.stringify(body));
  const text = 'select payment_amount as paid from verifications where token_id = $1';
  const { rows } = await world.store.query<{ paid: string }>(text, [mint]);
  assert.deepEqual(rows, [{ paid: `${PRICE}` }]);
});

/** Posts a payment that no node gets; `answer` comes when it has come to its end. */
async function hold(attacker: Keypair, mint: Address) {
  const { clock } = world;
  const now = clock.now();
  // The ten seconds pass when the test says so.
  clock.now = () => now + clock.offsetMs;
  world.node.drops.add(attacker.address);
  const answer = world.execute(attacker, await world.craft(attacker.address), mint);
  await until(async () => (await noted(mint)).length === 1);
  assert.equal(await world.mayVerify(mint), false);
  return { answer };
}
const pay = async (payer: Keypair, mint: Address) => {
  const { status, body } = await world.execute(payer, await world.craft(payer.address), mint);
  return [status, body.status, body.verificationCreated];
};
/** Until it is tried out before it is sent again. */
async function untilAsked({ address }: Keypair) {
  const simulated = world.simulationsOf(address);
  await until(async () => {
    world.skipped.ms += 4_000;
    return world.simulationsOf(address) > simulated;
  });
}
/** Makes the account that payments arrive in. */
async function receive(state: 'initialized' | 'frozen') {
  const { mint } = JUP;
  const held = { mint, owner: world.receiver, amount: 0n, state, delegatedAmount: 0n, isNative: false };
  const data = Buffer.from(encodeTokenAccount(held)).toString('base64');
  const account = { lamports: 10_000_000, owner: TOKEN_PROGRAM, executable: false, data };
  await world.rpc.call('localnet_setAccount', [associatedTokenAddress(world.receiver, mint), account]);
}
const noted = async (mint: Address) => {
  const text = 'select payer, state, note from verifications where token_id = $1 order by created_at';
  return (await world.store.query<{ payer: string; state: string; note: string | null }>(text, [mint])).rows;
};

describe("attack: a wallet keeps a rival's token taken by payments that never land; each holds it for ten seconds", () => {
  it('whose money was moved away: then a rival pays; if the first lands after all, it is to be given back', async () => {
    const [attacker, rival] = [await world.newWallet(PRICE), await world.newWallet(PRICE)];
    const mint = await world.newMint();
    const ended = await hold(attacker, mint);
    await world.move(attacker, rival.address, PRICE, rival);
    assert.deepEqual((await pay(rival, mint))[0], 409);
    await world.advance(11);
    assert.equal(await world.mayVerify(mint), true);
    assert.deepEqual(await pay(rival, mint), [200, 'Success', true]);

    await world.move(rival, attacker.address, PRICE, rival);
    await world.advance(1);
    world.node.drops.clear();
    const { body } = await ended.answer;
    assert.deepEqual([body.status, body.verificationCreated], ['Success', false], JSON.stringify(body));
    assert.deepEqual(
      (await noted(mint)).map(({ payer, state, note }) => [payer, state, note?.slice(0, 37) ?? null]),
      [
        [attacker.address, 'rejected', 'paid after another payer was let thro'],
        [rival.address, 'pending', null],
      ],
    );
    assert.equal(await world.tokens(world.receiver), 2n * PRICE);
    const warned = world.warnings.filter((line) => line.includes('give the payment back'));
    assert.equal(warned.length, 1);
    assert.ok(warned[0]!.includes(attacker.address));
  });

  it('whose money was away until nothing sent it any more, and is back then: as a rival pays it is sent again, and has paid', async () => {
    const [attacker, rival] = [await world.newWallet(PRICE), await world.newWallet(PRICE)];
    const mint = await world.newMint();
    const ended = await hold(attacker, mint);
    await world.move(attacker, rival.address, PRICE, rival);
    await untilAsked(attacker);
    await world.move(rival, attacker.address, PRICE, rival);
    world.node.drops.clear();
    await world.advance(11);
    assert.deepEqual((await pay(rival, mint))[0], 409);
    const { body } = await ended.answer;
    assert.deepEqual([body.status, body.verificationCreated], ['Success', true], JSON.stringify(body));
    assert.deepEqual([await world.tokens(world.receiver), await world.tokens(rival.address)], [PRICE, PRICE]);
  });

  it('whose money was away until nothing sent it any more, and which would fail for another reason when that is back: as a rival looks it is sent again, and fails at its cost', async () => {
    await world.close();
    world = await openExpressWorld(false);
    const [attacker, rival] = [await world.newWallet(PRICE), await world.newWallet(PRICE)];
    const mint = await world.newMint();
    const ended = await hold(attacker, mint);
    const [before, crafted] = [await world.lamports(attacker.address), await world.craft(rival.address)];
    // In place of what a payer can bring about in his own payment, as an account that it would make.
    await receive('frozen');
    await untilAsked(attacker);
    world.node.drops.clear();
    await world.advance(11);
    assert.notEqual((await world.execute(rival, crafted, mint)).body.status, 'Success');
    await until(async () => (await noted(mint)).length === 0);
    const { body } = await ended.answer;
    assert.equal(body.status, 'Failed', JSON.stringify(body));
    assert.ok((await world.lamports(attacker.address)) < before);
    await receive('initialized');
    assert.deepEqual(await pay(rival, mint), [200, 'Success', true]);
  });

  it('whose money is still there: it holds its token, because it may land at any time, and then has paid', async () => {
    const [slow, rival] = [await world.newWallet(PRICE), await world.newWallet(PRICE)];
    const mint = await world.newMint();
    const ended = await hold(slow, mint);
    await world.advance(11);
    assert.deepEqual((await pay(rival, mint))[0], 409);
    world.node.drops.clear();
    const { body } = await ended.answer;
    assert.deepEqual([body.status, body.verificationCreated], ['Success', true]);
    assert.deepEqual([await world.tokens(world.receiver), await world.tokens(rival.address)], [PRICE, PRICE]);
  });
});

describe("attack: a wallet makes a rival's payment that is under way fail for a while, to take its token: where the gas wallet pays the fee, who still has his money keeps it, and has paid", () => {
  async function keeps(begin: () => Promise<void>, end: () => Promise<void>): Promise<void> {
    const [slow, rival] = [await world.newWallet(PRICE), await world.newWallet(PRICE)];
    const mint = await world.newMint();
    const crafted = await world.craft(rival.address);
    const ended = await hold(slow, mint);
    await begin();
    await world.advance(11);
    assert.notEqual((await world.execute(rival, crafted, mint)).body.status, 'Success');
    assert.deepEqual(
      (await noted(mint)).map(({ payer, state }) => [payer, state]),
      [[slow.address, 'reserved']],
    );
    await end();
    world.node.drops.clear();
    const { body } = await ended.answer;
    assert.deepEqual([body.status, body.verificationCreated], ['Success', true], JSON.stringify(body));
  }

  it('by whatever else makes it fail', () =>
    keeps(
      async () => {
        world.node.error = { InstructionError: [2, { Custom: 6001 }] };
      },
      async () => {
        world.node.error = null;
      },
    ));

  it('by emptying the gas wallet, which pays its fee', async () => {
    const set = (lamports: number) => {
      const account = { lamports, owner: SYSTEM_PROGRAM, executable: false, data: '' };
      return world.rpc.call<void>('localnet_setAccount', [world.gasWallet, account]);
    };
    await keeps(
      () => set(1),
      () => set(1_000_000_000),
    );
  });
});

it('attack: a stranger on the chain sends SOL to the address of the token account that payments arrive in: the first one makes it', async () => {
  const payer = await world.newWallet(PRICE);
  await world.rpc.call('requestAirdrop', [associatedTokenAddress(world.receiver, JUP.mint), 1_000_000]);
  const crafted = await world.craft(payer.address);
  assert.equal(crafted.code, 0, JSON.stringify(crafted));
  const { body } = await world.execute(payer, crafted, await world.newMint());
  assert.equal(body.status, 'Success', JSON.stringify(body));
  assert.equal(await world.tokens(world.receiver), PRICE);
});

it('attack: a wallet uses up what the gas wallet may sign for in an hour: after the first who is refused, others pay for themselves', async () => {
  const payer = await world.newWallet(PRICE);
  world.limit.isUsedUp = true;
  const refused = await world.craft(payer.address);
  assert.equal((await world.execute(payer, refused, await world.newMint())).status, 500);
  const crafted = await world.craft(payer.address);
  assert.deepEqual([refused.gasless, crafted.gasless, crafted.code], [true, false, 0]);
  const { body } = await world.execute(payer, crafted, await world.newMint());
  assert.equal(body.status, 'Success', JSON.stringify(body));
});
