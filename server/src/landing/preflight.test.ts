import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Chain, ChainUnavailable } from '../chain/index.js';
import { preflight } from './preflight.js';

const NEWEST = 100n;
const SIGNATURE = 'signature';

/** Nodes that simulate and tell statuses, each at its slot, one after the other; the last one answers all that comes after. */
function chainOf(nodes: { err?: unknown; simulatesAt?: number; tellsAt?: bigint; landed?: boolean }[]) {
  const asked: string[] = [];
  let turn = -1;
  const node = () => nodes[Math.min(turn, nodes.length - 1)]!;
  const chain = {
    newestSlot: async () => NEWEST,
    async simulate() {
      turn++;
      asked.push('simulate');
      const { err = 'AccountNotFound', simulatesAt } = node();
      return { err, logs: [], slot: simulatesAt };
    },
    async statuses() {
      asked.push('statuses');
      const { tellsAt = NEWEST, landed } = node();
      return { slot: tellsAt, found: [landed ? { slot: 1n } : undefined] };
    },
  } as unknown as Chain;
  return { chain, asked };
}

const failureOf = async (chain: Chain, signature: string | null = SIGNATURE) =>
  (await preflight(chain, new Uint8Array(), signature))?.err;

test('a failure counts at a node that is not behind what the service was told', async () => {
  for (const simulatesAt of [100, undefined])
    assert.equal(await failureOf(chainOf([{ simulatesAt }]).chain), 'AccountNotFound');
  const { chain, asked } = chainOf([{ simulatesAt: 99 }, { simulatesAt: 100 }]);
  assert.equal(await failureOf(chain, null), 'AccountNotFound');
  assert.deepEqual(asked, ['simulate', 'simulate']);
});

test('what fails at a node that is behind is tried out anew, and would not fail where another has what its payer was given', async () => {
  const { chain } = chainOf([{ simulatesAt: 99 }, { err: null, simulatesAt: 100 }]);
  assert.equal(await failureOf(chain, null), undefined);
});

test('what has landed would not fail, however far behind the nodes are that know it', async () => {
  const { chain, asked } = chainOf([{ simulatesAt: 3, tellsAt: 2n, landed: true }]);
  assert.equal(await failureOf(chain), undefined);
  assert.deepEqual(asked, ['simulate', 'statuses']);
});

test('it cannot be told where all that answer are behind, or none tells the status as of the slot at which it failed', async () => {
  const [behind, apart] = [chainOf([{ simulatesAt: 99 }]), chainOf([{ simulatesAt: 101, tellsAt: 100n }])];
  await Promise.all([behind, apart].map(({ chain }) => assert.rejects(failureOf(chain), ChainUnavailable)));
});

test('the only node there is, which gets a slot further with each answer, is not behind itself: it is asked once what fails', async () => {
  let now = 100;
  const asked: string[] = [];
  const told = (method: string) => {
    asked.push(method);
    return now++;
  };
  const chain = {
    newestSlot: async () => BigInt(now),
    simulate: async () => ({ err: 'AccountNotFound', logs: [], slot: told('simulate') }),
    statuses: async () => ({ slot: BigInt(told('statuses')), found: [undefined] }),
  } as unknown as Chain;
  assert.equal(await failureOf(chain), 'AccountNotFound');
  assert.deepEqual(asked, ['simulate', 'statuses']);
});
