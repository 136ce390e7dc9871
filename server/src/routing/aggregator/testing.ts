import assert from 'node:assert/strict';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import { encodePool, type PoolFees, poolAuthority, ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import {
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  type Address,
  addressToBytes,
  compileMessage,
  decodeTokenAccount,
  decodeTransaction,
  encodeMint,
  encodeTokenAccount,
  encodeTransaction,
  generateKeypair,
  holdsSol,
  type Instruction,
  type Keypair,
  type LookupTable,
  readonlyAccount,
  readonlySigner,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  setComputeUnitLimit,
  sign,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type Transaction,
  unsignedTransaction,
  WRAPPED_SOL_MINT,
  withSignature,
  writableAccount,
  writableSigner,
} from '@slipway/wire';
import { type Logger, pino } from 'pino';
import { createChain, createLiveAccounts, createLocalRpc, type LiveAccounts, type Rpc } from '../../chain/index.js';
import { PATIENCE_MS, runningNow } from '../../lib/testing.js';
import { isRefused, type Quote, type Refusal, type Router, type Token } from '../router.js';
import { type Aggregator, type AggregatorDeps, createAggregator } from './index.js';

const NONE = { numerator: 0n, denominator: 0n };
export const FREE: PoolFees = { trade: NONE, ownerTrade: NONE, ownerWithdraw: NONE, host: NONE };
export const fees = (trade: [bigint, bigint], ownerTrade: [bigint, bigint] = [0n, 0n]): PoolFees => ({
  ...FREE,
  trade: { numerator: trade[0], denominator: trade[1] },
  ownerTrade: { numerator: ownerTrade[0], denominator: ownerTrade[1] },
});

export interface TestPool {
  address: Address;
  tokens: [Token, Token];
  vaults: [Address, Address];
  poolMint: Address;
}

export const silent: Logger = pino({ level: 'silent' });
export const newAddress = (): Address => generateKeypair().address;

/** A chain of its own, whose accounts the test writes as it likes. */
interface TestMint {
  program?: Address;
  decimals?: number;
  extensions?: Uint8Array;
  freezeAuthority?: Address;
}

export interface World {
  rpc: Rpc;
  rpcUrl: string;
  wsUrl: string;
  put(address: Address, owner: Address, data: Uint8Array, lamports?: bigint): Promise<Address>;
  remove(address: Address): Promise<void>;
  token(options?: TestMint): Promise<Token>;
  holding(token: Token, owner: Address, amount?: bigint, at?: Address): Promise<Address>;
  pool(a: Token, b: Token, reserves: [bigint, bigint], terms?: PoolFees): Promise<TestPool>;
  setReserves(pool: TestPool, reserves: [bigint, bigint]): Promise<void>;
  lookupTable(addresses: Address[]): Promise<Address>;
  wallet(): Promise<Keypair>;
  lamports(address: Address): Promise<bigint>;
  /** Tokens in an account; 0 where there is none. */
  amount(address: Address): Promise<bigint>;
  /** Sends the instructions as one transaction; the error of the chain, or null. */
  run(signers: Keypair[], instructions: Instruction[], lookupTables?: LookupTable[]): Promise<unknown>;
  close(): Promise<void>;
}

export const WRAPPED_SOL: Token = { mint: WRAPPED_SOL_MINT, tokenProgram: TOKEN_PROGRAM, decimals: 9 };

/** The account of a table that is in force and that nobody may extend. */
export function lookupTableData(addresses: readonly Address[]): Uint8Array {
  const data = Buffer.alloc(56 + 32 * addresses.length);
  data.writeUInt32LE(1, 0);
  data.writeBigUInt64LE(2n ** 64n - 1n, 4);
  for (const [i, address] of addresses.entries()) data.set(addressToBytes(address), 56 + 32 * i);
  return data;
}

export async function openWorld(options: { programsDir?: string } = {}): Promise<World> {
  return worldOver(await startLocalnet({ rpcPort: 0, inWorker: false, ...options }));
}

/** The same over a chain that runs already. */
export function worldOver(localnet: Localnet): World {
  const rpc = createLocalRpc(localnet.call);

  const put: World['put'] = async (address, owner, data, lamports = rentExemptLamports(data.length)) => {
    const account = { lamports, owner, executable: false, data: Buffer.from(data).toString('base64') };
    await localnet.call('localnet_setAccount', [address, account]);
    return address;
  };
  const read = async (address: Address) => {
    type Value = { value: { lamports: number; data: [string, string] } | null };
    const { value } = (await localnet.call('getAccountInfo', [address, { encoding: 'base64' }])) as Value;
    return value;
  };
  const holding: World['holding'] = async ({ mint, tokenProgram }, owner, amount = 0n, at = newAddress()) => {
    const native = holdsSol(mint);
    const rent = rentExemptLamports(165);
    const base = { mint, owner, amount, state: 'initialized' as const, delegatedAmount: 0n, isNative: native };
    const data = encodeTokenAccount(native ? { ...base, rentExemptReserve: rent } : base);
    return put(at, tokenProgram, data, native ? rent + amount : rent);
  };
  // Deriving one takes longer than a test's trade.
  const authorities = new Map<Address, Address>();
  const setReserves: World['setReserves'] = async ({ address, tokens, vaults }, reserves) => {
    const authority = authorities.get(address)!;
    const write = (side: 0 | 1) => holding(tokens[side], authority, reserves[side], vaults[side]);
    await Promise.all([write(0), write(1)]);
  };

  return {
    rpc,
    rpcUrl: localnet.rpcUrl,
    wsUrl: localnet.wsUrl,
    put,
    holding,
    setReserves,
    remove: async (address) => void (await localnet.call('localnet_setAccount', [address, null])),
    async token({ program = TOKEN_PROGRAM, decimals = 6, extensions, freezeAuthority } = {}) {
      const base = encodeMint({
        decimals,
        supply: 2n ** 63n,
        initialized: true,
        ...(freezeAuthority && { freezeAuthority }),
      });
      const data = extensions ? new Uint8Array(166 + extensions.length) : base;
      if (extensions) {
        data.set(base);
        data[165] = 1;
        data.set(extensions, 166);
      }
      return { mint: await put(newAddress(), program, data), tokenProgram: program, decimals };
    },
    async pool(a, b, reserves, terms = fees([25n, 10_000n], [5n, 10_000n])) {
      const address = newAddress();
      const authority = poolAuthority(address);
      authorities.set(address, authority.address);
      const mint = { decimals: 8, supply: 10n ** 9n, initialized: true, mintAuthority: authority.address };
      const poolMint = await put(newAddress(), TOKEN_PROGRAM, encodeMint(mint));
      const lp: Token = { mint: poolMint, tokenProgram: TOKEN_PROGRAM, decimals: 8 };
      const feeAccount = await holding(lp, newAddress());
      const vaults: [Address, Address] = [newAddress(), newAddress()];
      const pool: TestPool = { address, tokens: [a, b], vaults, poolMint };
      await setReserves(pool, reserves);
      const state = {
        bump: authority.bump,
        tokenProgram: TOKEN_PROGRAM,
        vaultA: vaults[0],
        vaultB: vaults[1],
        poolMint,
        mintA: a.mint,
        mintB: b.mint,
        feeAccount,
        fees: terms,
      };
      await put(address, TOKEN_SWAP_PROGRAM, encodePool(state));
      return pool;
    },
    lookupTable: (addresses) => put(newAddress(), ADDRESS_LOOKUP_TABLE_PROGRAM, lookupTableData(addresses)),
    async wallet() {
      const keypair = generateKeypair();
      await put(keypair.address, SYSTEM_PROGRAM, new Uint8Array(0), 10n ** 10n);
      return keypair;
    },
    lamports: async (address) => BigInt((await read(address))?.lamports ?? 0),
    async amount(address) {
      const account = await read(address);
      return account ? (decodeTokenAccount(Buffer.from(account.data[0], 'base64'))?.amount ?? 0n) : 0n;
    },
    async run(signers, instructions, lookupTables = []) {
      type Latest = { value: { blockhash: string } };
      const { value } = (await localnet.call('getLatestBlockhash')) as Latest;
      const all = [setComputeUnitLimit(1_400_000), ...instructions];
      const feePayer = signers[0]!.address;
      const parts = { feePayer, instructions: all, blockhash: value.blockhash, lookupTables };
      const message = compileMessage({ version: 0, ...parts });
      let transaction: Transaction = decodeTransaction(unsignedTransaction(message));
      for (const keypair of signers) transaction = withSignature(transaction, keypair.address, sign(keypair, message));
      const wire = Buffer.from(encodeTransaction(transaction)).toString('base64');
      const signature = await localnet.call('sendTransaction', [wire, { encoding: 'base64', skipPreflight: true }]);
      type Statuses = { value: ({ err: unknown } | null)[] };
      const statuses = (await localnet.call('getSignatureStatuses', [[signature]])) as Statuses;
      return statuses.value[0] === null ? 'dropped' : statuses.value[0]!.err;
    },
    close: () => localnet.close(),
  };
}

/** As `ExtensionType` of the Token-2022 program numbers them, and its instructions for each. */
const EXTENSIONS = { memo: { type: 8, tag: 30 }, 'cpi-guard': { type: 11, tag: 34 } } as const;

/** Has the wallet turn on an extension of its token account, of Token-2022. */
export async function turnOn(
  world: Pick<World, 'run'>,
  wallet: Keypair,
  account: Address,
  extension: keyof typeof EXTENSIONS,
): Promise<void> {
  const { type, tag } = EXTENSIONS[extension];
  const [its, program, owner] = [writableAccount(account), TOKEN_2022_PROGRAM, readonlySigner(wallet.address)];
  const payer = writableSigner(wallet.address);
  const makeRoom = {
    program,
    accounts: [its, payer, readonlyAccount(SYSTEM_PROGRAM), owner],
    data: Buffer.of(29, type, 0),
  };
  const enable = { program, accounts: [its, owner], data: Buffer.of(tag, 0) };
  assert.equal(await world.run([wallet], [makeRoom, enable]), null);
}

export interface Routing {
  aggregator: Aggregator;
  live: LiveAccounts;
  close(): void;
}

/**
 * Opens the aggregator over the pools of a world. It only polls accounts, so that a test decides when they are read.
 */
export async function openAggregator(world: World, options: Partial<AggregatorDeps> = {}): Promise<Routing> {
  const deps = { rpc: world.rpc, steadyNow: runningNow, log: silent };
  const live = options.live ?? createLiveAccounts(deps);
  const programs = { router: ROUTER_PROGRAM, tokenSwap: TOKEN_SWAP_PROGRAM };
  const chain = createChain({ ...deps, fees: { percentile: 50, maxMicroLamports: 0n } });
  const { address } = await world.wallet();
  const given = { ...deps, chain, payer: () => address, live, programs, pools: [] };
  const aggregator = await createAggregator({ ...given, ...options });
  return {
    aggregator,
    live,
    close() {
      aggregator.close();
      live.close();
    },
  };
}

/** All accounts that a transaction over these pools may take from a lookup table. */
export const tableOf = (pools: TestPool[]): Address[] => [
  ...new Set([
    ...pools.flatMap(({ address, vaults, poolMint, tokens }) => [
      ...[address, poolAuthority(address).address, ...vaults, poolMint],
      ...tokens.map(({ mint }) => mint),
    ]),
    ...[TOKEN_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_SWAP_PROGRAM],
  ]),
];

/** A router that nobody gives up after the seconds that keepers and orders wait: a busy machine may have no turn in them. */
export function unhurried<R extends Router>(router: R): R {
  const patience = () => AbortSignal.timeout(PATIENCE_MS);
  const patient = (quote: Quote | Refusal): Quote | Refusal => {
    if (isRefused(quote)) return quote;
    const { simpler, without } = quote;
    return {
      ...quote,
      ...(simpler && { simpler: async () => patient(await simpler(patience())) }),
      ...(without && { without: async (hops) => patient(await without(hops, patience())) }),
    };
  };
  return { ...router, quote: async (request) => patient(await router.quote(request, patience())) };
}
