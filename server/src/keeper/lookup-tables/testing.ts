import { ADDRESS_LOOKUP_TABLE_PROGRAM, type Address, decodeLookupTable } from '@slipway/wire';
import { Registry } from 'prom-client';
import { type Chain, createChain, type Rpc } from '../../chain/index.js';
import { Landing } from '../../landing/index.js';
import { createClock, steadyNow } from '../../lib/clock.js';
import { createTableBook } from '../../routing/aggregator/index.js';
import { openAggregator, openWorld, silent } from '../../routing/aggregator/testing.js';
import { testSigner } from '../../sandbox/maker/testing.js';
import type { Signer } from '../../signer/index.js';
import { storedTables, storeTableWishes } from '../../store/lookup-tables.js';
import { openAnyStore } from '../../store/testing.js';
import { createMortal, type Mortal } from '../testing.js';
import { KeeperWallet } from '../wallet.js';
import { createTableKeeper, TABLE_AREA, tableSettlement } from './index.js';

const SOL = 1_000_000_000n;
const DAY_MS = 24 * 60 * 60_000;

/** A chain, a store, a funded keeper wallet, and keepers that are other instances of the service. */
export async function openTableWorld(signer: Signer = testSigner()) {
  const world = await openWorld();
  const store = await openAnyStore();
  const clock = createClock();
  const wallet = signer.address('keeper');
  await world.rpc.call('requestAirdrop', [wallet, Number(100n * SOL)]);
  const closing: (() => unknown)[] = [];
  const chains: { forget(): void }[] = [];
  const newChain = (rpc: Rpc) => {
    const chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 1_000_000n } });
    chains.push(chain);
    return chain;
  };

  /** An instance with its own landing; `mortal` may kill it. */
  function newKeeper(options: { budget?: bigint; mortal?: Mortal; steadyNow?: () => number } = {}) {
    const { budget = SOL, mortal = createMortal(), steadyNow: keeperNow = steadyNow } = options;
    const rpc = mortal.rpc(world.rpc);
    const chain = newChain(rpc);
    const own = { store: mortal.store(store), chain, clock, steadyNow, log: silent };
    const landing = new Landing({
      ...own,
      sendRpcs: [rpc],
      signer: mortal.signer(signer),
      settlements: { [TABLE_AREA]: tableSettlement },
      observe: () => {},
    });
    const registry = new Registry();
    const keeper = createTableKeeper({
      ...own,
      steadyNow: keeperNow,
      landing,
      registry,
      wallet: walletOf(signer, own),
      budget,
    });
    const close = async () => {
      landing.close();
      // A turn of a killed instance never ends.
      if (!mortal.isDead()) await keeper.close();
    };
    closing.push(close);
    return { keeper, landing, registry, close };
  }

  /** The chain's clock and the service's. */
  async function advance(seconds: number): Promise<void> {
    await world.rpc.call('localnet_advanceClock', [seconds]);
    clock.setOffset(clock.offsetMs + seconds * 1_000);
    for (const chain of chains) chain.forget();
  }

  return {
    world,
    store,
    clock,
    wallet,
    newKeeper,
    bookOf: (takesWishes: boolean) => createTableBook({ store, clock, log: silent, takesWishes }),
    async newAggregator(options: Parameters<typeof openAggregator>[1]) {
      // Tables are exchanged when the test says so.
      const opened = await openAggregator(world, { tablesMs: DAY_MS, ...options });
      closing.push(() => opened.close());
      return opened;
    },
    wish: (pair: string, addresses: readonly Address[], asks = 1) =>
      store.transaction((tx) =>
        storeTableWishes(tx, [{ pair, addresses, asks, askedAt: new Date(clock.now()) }], new Date(0)),
      ),
    tables: () => storedTables(store),
    /** What the chain has of this wallet. */
    async onChain(): Promise<Map<string, readonly Address[]>> {
      const filters = [{ memcmp: { offset: 22, bytes: wallet } }];
      type Entry = { pubkey: string; account: { data: [string, string] } };
      const found = await world.rpc.call<Entry[]>('getProgramAccounts', [
        ADDRESS_LOOKUP_TABLE_PROGRAM,
        { encoding: 'base64', filters },
      ]);
      const read = ({ account }: Entry) => decodeLookupTable(Buffer.from(account.data[0], 'base64'))!;
      return new Map(found.map((entry) => [entry.pubkey, read(entry).addresses]));
    },
    lamports: () => world.lamports(wallet),
    async spent(): Promise<bigint> {
      const { rows } = await store.query<{ sum: bigint }>(
        'select coalesce(sum(lamports), 0)::bigint as sum from lookup_table_spending',
      );
      return rows[0]!.sum;
    },
    /** Nobody else has spent or wished anything, and no table is of this slot, which is a part of its address. */
    async forgetAll(): Promise<void> {
      await advance(1);
      for (const table of ['lookup_tables', 'lookup_table_changes', 'lookup_table_spending', 'lookup_table_wishes'])
        await store.query(`delete from ${table}`);
      await store.query(`delete from settings where key like 'lease.%'`);
    },
    advance,
    async close(): Promise<void> {
      for (const close of closing.reverse()) await close();
      await store.close();
      await world.close();
    },
  };
}
/** The keeper's wallet, whose key may be exchanged. */
function walletOf(signer: Signer, own: { chain: Chain; steadyNow: () => number; log: typeof silent }) {
  const wallet = new KeeperWallet({
    ...own,
    get address() {
      return signer.address('keeper');
    },
  });
  return {
    get address() {
      return wallet.address;
    },
    get earlier() {
      const { addresses, current } = signer.wallets().keeper;
      return addresses.slice(0, current).filter((address) => address !== null);
    },
    read: () => wallet.read(),
    canPay: () => wallet.canPay(),
  };
}
export type TableWorld = Awaited<ReturnType<typeof openTableWorld>>;
