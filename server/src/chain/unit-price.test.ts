import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Address, generateKeypair } from '@slipway/wire';
import { type Bid, createChain, createChains, Refused, type Rpc, RpcError } from './index.js';

const MOST = 6_400_000n;
const BLOCKS = 150;

/** Transactions of one block, each with the price that it has paid and the accounts that it has locked. */
type Block = { price: number; locks: readonly Address[] }[];

/** A node that tells what Agave does of the same block again and again, and the questions that it was asked. */
function nodeOf(block: Block) {
  const asked: string[] = [];
  const lowest = (prices: number[]) => (prices.length === 0 ? 0 : Math.min(...prices));
  const rpc: Rpc = {
    name: 'node.example',
    async call<T>(method: string, [accounts = []]: [Address[]?]) {
      assert.equal(method, 'getRecentPrioritizationFees');
      asked.push(accounts.join(' '));
      const ofAccounts = accounts.map((account) =>
        lowest(block.filter(({ locks }) => locks.includes(account)).map(({ price }) => price)),
      );
      const prioritizationFee = Math.max(lowest(block.map(({ price }) => price)), ...ofAccounts);
      return Array.from({ length: BLOCKS }, (_, slot) => ({ slot, prioritizationFee })) as T;
    },
  };
  return { rpc, asked };
}

function chainOf(rpc: Rpc, most = MOST) {
  let now = 0;
  const chain = createChain({ rpc, steadyNow: () => now, fees: { percentile: 75, maxMicroLamports: most } });
  return { bid: (bid?: Bid) => chain.computeUnitPrice(undefined, bid), pass: (ms: number) => (now += ms) };
}

const FREE: Block[number] = { price: 0, locks: [] };
const newAddresses = (count: number): Address[] => times(count).map(() => generateKeypair().address);
const times = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('attack: a stranger on the chain outbids what keepers send, for an account that it locks', () => {
  it('what the cheapest of each block has paid is not the bid, but what the dearest of the accounts costs, up to a 64th of the most', async () => {
    const [pool, quiet] = newAddresses(2) as [Address, Address];
    const { rpc } = nodeOf([FREE, { price: 40_000, locks: [pool] }, { price: 900, locks: [quiet] }]);
    const { bid } = chainOf(rpc);
    assert.equal(await bid(), 0n);
    assert.equal(await bid({ contended: [quiet] }), 900n);
    assert.equal(await bid({ contended: [quiet, pool] }), 40_000n);
    assert.equal(await chainOf(rpc, 64_000n).bid({ contended: [pool] }), 1_000n);
  });

  it('what has expired bids more each time, up to the most and never above: whoever outbids that pays for whole blocks', async () => {
    const { bid } = chainOf(nodeOf([FREE]).rpc);
    assert.deepEqual(await Promise.all(times(5).map((expired) => bid({ expired }))), [
      0n,
      MOST / 64n,
      MOST / 16n,
      MOST / 4n,
      MOST,
    ]);
    for (const most of [0n, 1n, 1_000n, MOST]) {
      const { bid: bounded } = chainOf(nodeOf([{ price: 9_000_000, locks: [] }]).rpc, most);
      for (const expired of times(30)) assert.equal(await bounded({ expired }), most);
    }
  });

  it('after an expiry, what the accounts cost counts up to four times as much', async () => {
    const [pool] = newAddresses(1) as [Address];
    const { bid } = chainOf(nodeOf([FREE, { price: 5_000_000, locks: [pool] }]).rpc);
    const bids = await Promise.all(times(5).map((expired) => bid({ contended: [pool], expired })));
    assert.deepEqual(bids, [MOST / 64n, MOST / 16n, MOST / 4n, 5_000_000n, MOST]);
  });

  it('what has expired at the most begins anew', async () => {
    const { bid } = chainOf(nodeOf([FREE]).rpc);
    assert.deepEqual([await bid({ expired: 5 }), await bid({ expired: 6 })], [0n, MOST / 64n]);
  });
});

it('attack: a stranger on the chain makes quiet pools dear with cheap transactions: a 64th of the most for each unit of a fill, until one expires', async () => {
  const [pool] = newAddresses(1) as [Address];
  const { bid } = chainOf(nodeOf([FREE, { price: 1_000_000_000, locks: [pool] }]).rpc);
  assert.equal(await bid({ contended: [pool] }), MOST / 64n);
});

describe('attack: a wallet has many fills due at once, over many pools', () => {
  it('each pool is asked for once in two seconds, however many fills go over it', async () => {
    const pools = newAddresses(3);
    const { rpc, asked } = nodeOf([FREE]);
    const { bid, pass } = chainOf(rpc);
    const fills = () => Promise.all(times(1_000).map((fill) => bid({ contended: [pools[fill % 3]!, pools[0]!] })));
    await fills();
    pass(1_999);
    await fills();
    assert.deepEqual(asked.toSorted(), ['', ...pools].toSorted());
    pass(1);
    await fills();
    assert.equal(asked.length, 8);
  });

  it('those who ask for an account wait by their own purpose, and all know the answer', async () => {
    const [pool] = newAddresses(1) as [Address];
    const calls: string[] = [];
    const chains = createChains(
      (purpose) => ({
        name: 'node.example',
        async call<T>(_: string, [accounts]: [Address[]?]) {
          calls.push(`${purpose} ${accounts?.length ?? 0}`);
          return [{ slot: 1, prioritizationFee: 7 }] as T;
        },
      }),
      { steadyNow: () => 0, fees: { percentile: 75, maxMicroLamports: MOST } },
    );
    for (const chain of [chains.keeper, chains.quotes])
      assert.equal(await chain.computeUnitPrice(undefined, { contended: [pool] }), 7n);
    assert.deepEqual(calls.toSorted(), ['keeper 1', 'landing 0']);
  });
});

describe('attack: a node does not tell what accounts cost', () => {
  const withoutAccounts = (answer: () => Promise<never>) => {
    let refused = 0;
    const rpc: Rpc = {
      name: 'node.example',
      async call<T>(_: string, params: unknown[]) {
        if (params.length === 0) return [{ slot: 1, prioritizationFee: 3 }] as T;
        refused++;
        return answer();
      },
    };
    return { ...chainOf(rpc), refused: () => refused };
  };
  const [pool] = newAddresses(1) as [Address];

  it('it refuses: the bid is the usual one, and it is not asked again for two seconds', async () => {
    const { bid, refused } = withoutAccounts(() => Promise.reject(new RpcError(-32602, 'no accounts here')));
    for (const _ of times(3)) assert.equal(await bid({ contended: [pool] }), 3n);
    assert.equal(refused(), 1);
    assert.equal(await bid({ contended: [pool], expired: 2 }), MOST / 16n);
  });

  it('it does not answer: half a second later the bid is the usual one', async () => {
    const { bid } = withoutAccounts(() => new Promise(() => {}));
    const begun = performance.now();
    assert.equal(await bid({ contended: [pool] }), 3n);
    assert.ok(performance.now() - begun >= 400);
  });
});

describe('attack: a node does not tell what blocks cost', () => {
  const untilTold = (answer: () => Promise<never>) => {
    let price: number | undefined = 3;
    let asked = 0;
    const rpc: Rpc = {
      name: 'node.example',
      async call<T>() {
        asked++;
        return price === undefined ? answer() : ([{ slot: 1, prioritizationFee: price }] as T);
      },
    };
    const tell = (next?: number) => {
      price = next;
    };
    return { ...chainOf(rpc), asked: () => asked, tell };
  };
  const refuses = () => Promise.reject(new RpcError(-32601, 'no such method'));

  it('it refuses: the bid is what it last told, it is asked once in two seconds, and believed again at once', async () => {
    const { bid, pass, asked, tell } = untilTold(refuses);
    assert.equal(await bid(), 3n);
    tell();
    pass(3_600_000);
    for (const _ of times(5)) assert.equal(await bid(), 3n);
    assert.equal(asked(), 2);
    assert.equal(await bid({ expired: 2 }), MOST / 16n);
    tell(5);
    pass(2_000);
    assert.equal(await bid(), 5n);
    assert.equal(asked(), 3);
  });

  it('it does not answer: half a second later the bid is what it last told', async () => {
    const { bid, pass, tell } = untilTold(() => new Promise(() => {}));
    assert.equal(await bid(), 3n);
    tell();
    pass(2_000);
    assert.equal(await bid(), 3n);
  });

  it('it has never told it: nothing is crafted', async () => {
    const { bid, tell } = untilTold(refuses);
    tell();
    await assert.rejects(bid(), Refused);
  });
});
