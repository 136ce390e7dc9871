import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressToBytes, compileMessage, encodeTransaction, generateKeypair, SYSTEM_PROGRAM } from '@slipway/wire';
import type { AccountReading, Chain } from '../chain/index.js';
import { deadAt, type Lifetime, lifetimeByHeight, newDeaths } from './lifetime.js';

const [payer, blockhash] = [generateKeypair().address, generateKeypair().address];
const message = compileMessage({ version: 0, feePayer: payer, instructions: [], blockhash });
const wire = encodeTransaction({ message, signatures: [new Uint8Array(64)] });
const NOW = { height: 1_000_000n, slot: 1_100_000n };

/** A chain at a height, whose newest slot is so old, and of which blockhashes it was asked. */
function chainAt(height: bigint, { valid, behindMs = 0 }: { valid: boolean; behindMs?: number }) {
  const asked: string[] = [];
  const chain = {
    latestBlockhash: async () => ({ blockhash: payer, lastValidBlockHeight: height + 150n, slot: NOW.slot }),
    async isBlockhashValid(which: string) {
      asked.push(which);
      return { valid, slot: NOW.slot };
    },
    rpc: {
      async call(method: string, params: unknown[]) {
        assert.deepEqual([method, params], ['getBlockTime', [Number(NOW.slot)]]);
        return Math.floor((Date.now() - behindMs) / 1_000);
      },
    },
  } as unknown as Chain;
  return { chain, asked };
}

test('a transaction is dead once the chain is past the height that was told with its blockhash, and that is not valid: one question more, and none before', async () => {
  const { chain, asked } = chainAt(NOW.height, { valid: false });
  assert.equal(await deadAt(lifetimeByHeight(wire, NOW.height), chain), undefined);
  assert.equal(await deadAt(lifetimeByHeight(wire, NOW.height + 150n), chain), undefined);
  assert.deepEqual(asked, []);
  assert.equal(await deadAt(lifetimeByHeight(wire, NOW.height - 1n), chain), NOW.slot);
  assert.deepEqual(asked, [blockhash]);
});

test('attack: a node tells one height that is too high, or says once that a blockhash is dead, while what has it is under way: one answer has nothing die', async () => {
  const { chain } = chainAt(NOW.height, { valid: true });
  const saying = (...answers: { valid: boolean; slot: bigint }[]) =>
    ({ ...chain, isBlockhashValid: async () => answers.shift()! }) as Chain;
  const [alive, dead] = [
    { valid: true, slot: NOW.slot },
    { valid: false, slot: NOW.slot },
  ];
  const [behind, later] = [
    { valid: false, slot: NOW.slot - 1n },
    { valid: false, slot: NOW.slot + 1n },
  ];
  const tooHigh = lifetimeByHeight(wire, NOW.height - 150n);
  assert.equal(await deadAt(tooHigh, saying(alive)), undefined);
  assert.equal(await deadAt(tooHigh, saying(behind)), undefined, 'a node that is behind knows no newer ones');
  assert.equal(await deadAt(tooHigh, saying(later)), later.slot);
  const submitted = { kind: 'blockhash', blockhash, aliveAt: NOW.slot } as const;
  assert.equal(await deadAt(submitted, saying(dead, alive)), undefined);
  assert.equal(await deadAt(submitted, saying(dead, behind)), undefined);
  assert.equal(await deadAt(submitted, saying(later, dead)), later.slot);
  assert.equal(await deadAt(submitted, saying(dead, later)), later.slot);
});

test('attack: a node says once that a nonce is gone, while what has it is under way: one answer has nothing die', async () => {
  const { chain } = chainAt(NOW.height, { valid: true });
  const [account, value] = [generateKeypair().address, generateKeypair().address];
  const data = new Uint8Array(80);
  data.set(addressToBytes(value), 40);
  const saying = (...answers: { gone: boolean; slot: bigint }[]) =>
    ({
      ...chain,
      async accountReading() {
        const { gone, slot } = answers.shift()!;
        return { account: { data: gone ? new Uint8Array(80) : data }, slot };
      },
    }) as unknown as Chain;
  const posted = { kind: 'nonce', account, value, aliveAt: NOW.slot } as const;
  const [gone, still, behind] = [
    { gone: true, slot: NOW.slot },
    { gone: false, slot: NOW.slot },
    { gone: true, slot: NOW.slot - 1n },
  ];
  assert.equal(await deadAt(posted, saying(gone, still)), undefined);
  assert.equal(await deadAt(posted, saying(gone, behind)), undefined);
  assert.equal(await deadAt(posted, saying(gone, gone)), NOW.slot);
});

/** Nodes of one address that take turns, each so many slots behind the chain; a call takes 0.1 s. */
function inTurns(lags: number[]) {
  let [now, turn] = [0, 0];
  const next = async () => {
    now += 100;
    return NOW.slot + BigInt(Math.floor(now / 400) - lags[turn++ % lags.length]!);
  };
  const aheadOf = (slot: bigint) => slot - NOW.slot;
  const chain = {
    async latestBlockhash() {
      const slot = await next();
      return { blockhash: payer, lastValidBlockHeight: NOW.height + 150n + aheadOf(slot), slot };
    },
    async isBlockhashValid() {
      const slot = await next();
      return { valid: aheadOf(slot) <= 0n, slot };
    },
    async accountReading() {
      const slot = await next();
      return { account: aheadOf(slot) <= 0n ? { data: NONCE } : undefined, slot };
    },
  } as unknown as Chain;
  return { chain, next, now: () => now, pause: () => (now += 500) };
}
const [nonceAccount, nonce] = [generateKeypair().address, generateKeypair().address];
const NONCE = Buffer.concat([Buffer.alloc(40), addressToBytes(nonce)]);

test('behind an address whose nodes are some slots apart and take turns, what is dead is known to be within seconds, and that no node has it', async () => {
  const aliveAt = NOW.slot - 100n;
  const all: Lifetime[] = [
    lifetimeByHeight(wire, NOW.height),
    { kind: 'blockhash', blockhash, aliveAt },
    { kind: 'nonce', account: nonceAccount, value: nonce, aliveAt },
  ];
  for (const lifetime of all)
    for (const lags of [[0], [0, 2], [2, 0], [0, 2, 5], [5, 2, 0], [0, 0, 5, 9]]) {
      const nodes = inTurns(lags);
      const said = newDeaths();
      let isKnown = false;
      while (!isKnown && nodes.now() < 60_000) {
        nodes.pause();
        const death = await deadAt(lifetime, nodes.chain, said);
        assert.ok(death === undefined || death > NOW.slot);
        isKnown = death !== undefined && (await nodes.next()) >= death;
      }
      assert.ok(nodes.now() < 10_000, `${lifetime.kind}, ${lags}: ${nodes.now()} ms`);
    }
});

test('attack: a node says again and again that what is under way is dead, at a slot of now or of long after it, and others that it is not: by its word alone nothing dies', async () => {
  const alive = { valid: true, slot: NOW.slot + 1n };
  const submitted = { kind: 'blockhash', blockhash, aliveAt: NOW.slot } as const;
  const crafted = lifetimeByHeight(wire, NOW.height);
  const cases = [submitted, crafted].flatMap((lifetime) => [0n, 1_000n].map((ahead) => ({ lifetime, ahead })));
  for (const { lifetime, ahead } of cases) {
    const said = newDeaths();
    for (let tries = 0; tries < 5; tries++) {
      const answers = [{ valid: false, slot: NOW.slot + ahead }, alive];
      const height = lifetime === crafted && tries % 2 === 0 ? NOW.height + 1n : NOW.height;
      const { chain } = chainAt(height, { valid: true });
      if (lifetime === crafted) answers.shift();
      const told = {
        ...chain,
        latestBlockhash: async () => ({ ...(await chain.latestBlockhash()), slot: NOW.slot + ahead }),
        isBlockhashValid: async () => answers.shift()!,
      } as Chain;
      assert.equal(await deadAt(lifetime, told, said), undefined);
    }
    assert.deepEqual(said, newDeaths());
  }
});

test('attack: a node tells once of a blockhash that lives to a height that never comes: what is crafted with it ends as the blockhash does', async () => {
  for (const height of [10n ** 15n, NOW.height + 20_000n]) {
    const dead = chainAt(NOW.height, { valid: false });
    assert.equal(await deadAt(lifetimeByHeight(wire, height), dead.chain), NOW.slot);
    assert.deepEqual(dead.asked, [blockhash]);
    const alive = chainAt(NOW.height, { valid: true });
    assert.equal(await deadAt(lifetimeByHeight(wire, height), alive.chain), undefined);
  }
});

test('a node that is hours behind and catches up has nothing die: it knows no blockhash of now', async () => {
  const { chain } = chainAt(NOW.height, { valid: false, behindMs: 90 * 60_000 });
  assert.equal(await deadAt(lifetimeByHeight(wire, NOW.height + 12_000n), chain), undefined);
  assert.equal(await deadAt({ kind: 'blockhash', blockhash, aliveAt: NOW.slot + 13_000n }, chain), undefined);
});

test('attack: a node tells once that a blockhash is alive at a slot that never comes: what is submitted with it ends as the blockhash does', async () => {
  const dead = (aliveAt: bigint) =>
    deadAt({ kind: 'blockhash', blockhash, aliveAt }, chainAt(NOW.height, { valid: false }).chain);
  assert.equal(await dead(NOW.slot + 1n), undefined, 'a node that lags');
  for (const slot of [0n, NOW.slot, NOW.slot + 20_000n, 2n ** 60n]) assert.equal(await dead(slot), NOW.slot);
});

test('a nonce is gone at the slot of the node that has its account, whatever slot another has reached, and not below that at which it was there', async () => {
  const [account, value, next] = [1, 2, 3].map(() => generateKeypair().address) as [typeof payer, string, string];
  const dead = (read: { slot: bigint; holds?: string }, aliveAt: bigint) => {
    const data = read.holds && Buffer.concat([Buffer.alloc(40), addressToBytes(read.holds as typeof payer)]);
    const held = data ? { lamports: 1n, owner: SYSTEM_PROGRAM, executable: false, data } : undefined;
    const reading: AccountReading = { slot: read.slot, account: held };
    const { chain } = chainAt(NOW.height, { valid: false });
    const pool = { ...chain, accountReading: async () => reading } as Chain;
    return deadAt({ kind: 'nonce', account, value, aliveAt }, pool);
  };
  const [before, at, later] = [NOW.slot - 8n, NOW.slot, NOW.slot + 8n];
  assert.equal(await dead({ slot: later, holds: value }, at), undefined);
  assert.equal(await dead({ slot: later, holds: next }, at), later, 'that of the chain is behind');
  assert.equal(await dead({ slot: at, holds: next }, at), at);
  assert.equal(await dead({ slot: before, holds: next }, at), undefined, 'what was there before it');
  assert.equal(await dead({ slot: before }, at), undefined, 'before it was made');
  assert.equal(await dead({ slot: later }, at), later, 'closed');
  assert.equal(await dead({ slot: before, holds: next }, 0n), before, 'of an earlier version, which does not say');
  assert.equal(await dead({ slot: at, holds: next }, 2n ** 60n), at, 'a slot that never comes');
});
