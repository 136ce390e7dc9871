import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Chain, ChainUnavailable, type Rpc, type SignatureStatus } from '../chain/index.js';
import { newDeaths } from './lifetime.js';
import { unlandedAt } from './unlanded.js';

const [DEAD, BEHIND] = [1_000n, 999n];
const lifetime = { kind: 'blockhash', blockhash: 'hash', aliveAt: 0n } as const;
const landed: SignatureStatus = { slot: 900n, err: null, confirmed: true, finalized: false };
const failed = { ...landed, err: 'AccountNotFound' };

/** What is found where the node says this, and the others that. */
async function found(
  node: { valid?: boolean; slot?: bigint; status?: SignatureStatus },
  ...others: (SignatureStatus | 'away' | undefined)[]
): Promise<bigint | undefined> {
  const { valid = false, slot = DEAD, status } = node;
  const chain = {
    isBlockhashValid: async () => ({ valid, slot: DEAD }),
    async statuses(_: string[], { history }: { history: boolean }) {
      assert.ok(history);
      return { slot, found: [status] };
    },
  } as unknown as Chain;
  const sendRpcs = others.map((told): Rpc => {
    const call = async () => {
      if (told === 'away') throw new ChainUnavailable('away');
      if (!told) return { context: { slot: 1_000 }, value: [null] };
      const confirmationStatus = told.finalized ? 'finalized' : 'confirmed';
      return { context: { slot: 1_000 }, value: [{ slot: 900, err: told.err, confirmationStatus }] };
    };
    return { name: 'other', call: call as Rpc['call'] };
  });
  const about = { signature: 'signature', lifetime, said: newDeaths() };
  for (let looks = 1; looks < 3; looks++)
    assert.equal(await unlandedAt({ chain, sendRpcs }, about), undefined, 'one node says it once, or twice');
  return unlandedAt({ chain, sendRpcs }, about);
}

test('a transaction has not landed that is dead, and that no node has but as failed for good', async () => {
  assert.equal(await found({}), DEAD);
  assert.equal(await found({}, undefined, 'away'), DEAD);
  assert.equal(await found({ status: { ...failed, finalized: true } }, { ...failed, finalized: true }), DEAD);
});

test('attack: a node denies what has landed, or may yet: nothing is taken for lost while its blockhash lives, or another one has it', async () => {
  assert.equal(await found({ valid: true }), undefined);
  assert.equal(await found({ slot: BEHIND }), undefined, 'it may not have seen it land');
  assert.equal(await found({ status: landed }), undefined);
  assert.equal(await found({ status: failed }), undefined, 'a fork may undo that');
  assert.equal(await found({}, undefined, landed), undefined);
});
