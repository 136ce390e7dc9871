import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressToBytes, compileMessage, encodeTransaction, generateKeypair, SYSTEM_PROGRAM } from '@slipway/wire';
import { type AccountReading, type Chain, RpcError } from '../chain/index.js';
import { steadyNow } from '../lib/clock.js';
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

/** The slot of death where three tries say it; none says it before the others. */
async function deadIn3(lifetime: Lifetime, chain: Chain): Promise<bigint | undefined> {
  const said = newDeaths();
  for (let tries = 1; tries < 3; tries++) assert.equal(await deadAt(lifetime, chain, said), undefined);
  return deadAt(lifetime, chain, said);
}

test('a transaction is dead once the chain is past the height that was told with its blockhash, and that is not valid: one question more in each of three tries, and none before', async () => {
  const { chain, asked } = chainAt(NOW.height, { valid: false });
  assert.equal(await deadIn3(lifetimeByHeight(wire, NOW.height), chain), undefined);
  assert.equal(await deadIn3(lifetimeByHeight(wire, NOW.height + 150n), chain), undefined);
  assert.deepEqual(asked, []);
  assert.equal(await deadIn3(lifetimeByHeight(wire, NOW.height - 1n), chain), NOW.slot);
  assert.deepEqual(asked, [blockhash, blockhash, blockhash]);
});

/** What a node says: `gone`, that the chain is past its height, where it is asked for that, or that its blockhash or nonce is gone. */
interface Word {
  gone: boolean;
  slot: bigint;
}

const [nonceAccount, nonce] = [generateKeypair().address, generateKeypair().address];
const NONCE = Buffer.concat([Buffer.alloc(40), addressToBytes(nonce)]);
const byHeight = lifetimeByHeight(wire, NOW.height);
const byBlockhash: Lifetime = { kind: 'blockhash', blockhash, aliveAt: NOW.slot };
const byNonce: Lifetime = { kind: 'nonce', account: nonceAccount, value: nonce, aliveAt: NOW.slot };
const ALL = [byHeight, byBlockhash, byNonce];

/** The slot of death after these tries, in each of which nodes say these words one after the other, and the last again. */
async function afterTries(lifetime: Lifetime, tries: readonly Word[][]) {
  const said = newDeaths();
  let death: bigint | undefined;
  for (const words of tries) {
    assert.equal(death, undefined);
    const left = [...words];
    const next = () => (left.length > 1 ? left.shift() : left[0])!;
    const chain = {
      async latestBlockhash() {
        const { gone, slot } = next();
        return { lastValidBlockHeight: NOW.height + 150n + (gone ? 1n : 0n), slot };
      },
      async isBlockhashValid() {
        const { gone, slot } = next();
        return { valid: !gone, slot };
      },
      async accountReading() {
        const { gone, slot } = next();
        return { account: gone ? undefined : { data: NONCE }, slot };
      },
      rpc: { call: async () => Math.floor(Date.now() / 1_000) },
    } as unknown as Chain;
    death = await deadAt(lifetime, chain, said);
  }
  return death;
}
const dead = { gone: true, slot: NOW.slot };
const alive = { gone: false, slot: NOW.slot };
/** Tries in which each answer is the same. */
const each = (...words: Word[]) => words.map((word) => [word]);

test('attack: a node says in both answers of a try, or of two in a row, that what is under way is dead, and others that it is not: nothing dies', async () => {
  const later = { gone: true, slot: NOW.slot + 2n };
  for (const lifetime of ALL) {
    for (const tries of [each(dead, dead), each(dead, dead, alive, dead, dead, alive, dead)])
      assert.equal(await afterTries(lifetime, tries), undefined, lifetime.kind);
    assert.equal(await afterTries(lifetime, each(dead, dead, dead)), NOW.slot);
    assert.equal(await afterTries(lifetime, each(dead, dead, alive, later, later, later)), later.slot);
  }
});

test('attack: a node says again and again one of two things of what is under way, that the chain is past its height or that its blockhash or nonce is gone, or is behind: nothing dies', async () => {
  const behind = { gone: true, slot: NOW.slot - 1n };
  for (const lifetime of ALL)
    for (const second of [alive, behind])
      assert.equal(await afterTries(lifetime, Array(5).fill([dead, second])), undefined, lifetime.kind);
});

test('attack: a node tells once of a height or a slot that never comes, and an honest one that is some slots behind does not know the blockhash yet: nothing dies', async () => {
  const behind = { gone: true, slot: NOW.slot - 40n };
  const bySlot: Lifetime = { kind: 'blockhash', blockhash, aliveAt: NOW.slot + 20_000n };
  const byHeight = lifetimeByHeight(wire, NOW.height + 20_000n);
  for (const tries of [each(behind), each(behind, behind, alive, behind, behind, alive, behind)]) {
    assert.equal(await afterTries(bySlot, tries), undefined);
    // The first answer is the height of now.
    const heights = tries.map((words) => [alive, ...words]);
    assert.equal(await afterTries(byHeight, heights), undefined);
  }
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
    assert.deepEqual([said.past, said.gone], [undefined, []]);
  }
});

/** The slot of death of what by one false answer lives for good, where the chain goes on after three tries. */
async function deadLater(lifetime: Lifetime, valid: boolean): Promise<bigint | undefined> {
  const said = newDeaths();
  // A node that is behind does not know it yet.
  for (let tries = 0; tries < 3; tries++)
    assert.equal(await deadAt(lifetime, chainAt(NOW.height, { valid: false }).chain, said), undefined);
  said.since -= LATER_MS;
  const { chain, asked } = chainAt(NOW.height, { valid });
  for (let tries = 1; tries < 3; tries++) assert.equal(await deadAt(lifetime, chain, said), undefined);
  const death = await deadAt(lifetime, chain, said);
  assert.deepEqual(new Set(asked), new Set([blockhash]));
  return death;
}
const LATER_MS = 120_000;

test('attack: a node tells once of a blockhash that lives to a height that never comes: what is crafted with it ends as the blockhash does, known by nodes that have it', async () => {
  for (const height of [10n ** 15n, NOW.height + 1_000n]) {
    assert.equal(await deadLater(lifetimeByHeight(wire, height), false), NOW.slot);
    assert.equal(await deadLater(lifetimeByHeight(wire, height), true), undefined);
  }
});

test('attack: a node tells once of a height that never comes, and of the others some do not know the slot of another yet: what is crafted with it ends after three tries that count', async () => {
  const rpc = {
    async call() {
      throw new RpcError(-32004, 'Block not available for slot');
    },
  };
  const { chain } = chainAt(NOW.height, { valid: false });
  const unsure = { ...chain, rpc } as unknown as Chain;
  const lifetime = lifetimeByHeight(wire, NOW.height + 9_000n);
  const said = { ...newDeaths(), since: steadyNow() - LATER_MS };
  for (const each of [chain, unsure, chain, unsure, unsure])
    assert.equal(await deadAt(lifetime, each, said), undefined);
  assert.equal(await deadAt(lifetime, chain, said), NOW.slot);
});

test('a node that is minutes or hours behind and catches up has nothing die: it knows no blockhash of now', async () => {
  for (const minutes of [1, 2, 3, 4, 5, 6, 10, 90]) {
    const { chain } = chainAt(NOW.height, { valid: false, behindMs: minutes * 60_000 });
    const behind = BigInt(minutes) * 150n;
    assert.equal(await deadIn3(lifetimeByHeight(wire, NOW.height + 150n + behind), chain), undefined, `${minutes}`);
    assert.equal(await deadIn3({ kind: 'blockhash', blockhash, aliveAt: NOW.slot + behind }, chain), undefined);
  }
});

test('attack: a node tells once that a blockhash is alive at a slot that never comes: what is submitted with it ends as the blockhash does', async () => {
  const of = (aliveAt: bigint): Lifetime => ({ kind: 'blockhash', blockhash, aliveAt });
  const dead = (aliveAt: bigint) => deadIn3(of(aliveAt), chainAt(NOW.height, { valid: false }).chain);
  assert.equal(await dead(NOW.slot + 1n), undefined, 'a node that lags');
  for (const slot of [0n, NOW.slot]) assert.equal(await dead(slot), NOW.slot);
  for (const slot of [NOW.slot + 1_000n, 2n ** 60n]) assert.equal(await deadLater(of(slot), false), NOW.slot);
});

test('a nonce is gone at the slot of the node that has its account, whatever slot another has reached, and not below that at which it was there', async () => {
  const [account, value, next] = [1, 2, 3].map(() => generateKeypair().address) as [typeof payer, string, string];
  const dead = (read: { slot: bigint; holds?: string }, aliveAt: bigint) => {
    const data = read.holds && Buffer.concat([Buffer.alloc(40), addressToBytes(read.holds as typeof payer)]);
    const held = data ? { lamports: 1n, owner: SYSTEM_PROGRAM, executable: false, data } : undefined;
    const reading: AccountReading = { slot: read.slot, account: held };
    const { chain } = chainAt(NOW.height, { valid: false });
    const pool = { ...chain, accountReading: async () => reading } as Chain;
    return deadIn3({ kind: 'nonce', account, value, aliveAt }, pool);
  };
  const [before, at, later] = [NOW.slot - 8n, NOW.slot, NOW.slot + 8n];
  assert.equal(await dead({ slot: later, holds: value }, at), undefined);
  assert.equal(await dead({ slot: later, holds: next }, at), later, 'that of the chain is behind');
  assert.equal(await dead({ slot: at, holds: next }, at), at);
  assert.equal(await dead({ slot: before, holds: next }, at), undefined, 'what was there before it');
  assert.equal(await dead({ slot: before }, at), undefined, 'before it was made');
  assert.equal(await dead({ slot: later }, at), later, 'closed');
  assert.equal(await dead({ slot: before, holds: next }, 0n), before, 'of an earlier version, which does not say');
  assert.equal(await dead({ slot: at, holds: next }, 2n ** 60n), undefined, 'a slot that never comes');
  const said = { ...newDeaths(), since: steadyNow() - LATER_MS };
  const { chain } = chainAt(NOW.height, { valid: false });
  const pool = { ...chain, accountReading: async () => ({ slot: at, account: undefined }) } as Chain;
  const ends = () => deadAt({ kind: 'nonce', account, value, aliveAt: 2n ** 60n }, pool, said);
  assert.deepEqual([await ends(), await ends(), await ends()], [undefined, undefined, at]);
});
