import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import {
  type Address,
  associatedTokenAddress,
  encodeMint,
  encodeTokenAccount,
  generateKeypair,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type TokenAccount,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import type { FastifyInstance } from 'fastify';
import { createChain, createLocalRpc } from '../../chain/index.js';
import { createTokenList } from '../../config/index.js';
import { startTestServer } from '../../http/testing.js';
import { steadyNow } from '../../lib/clock.js';
import { insertLaunch } from '../../store/launches.js';
import { insertCrafted } from '../../store/ledger.js';
import type { Store } from '../../store/sql.js';
import { openAnyStore } from '../../store/testing.js';
import { confirmReserved, decide, reserve } from '../../store/verifications.js';
import { registerTokens } from './index.js';
import type { BalancesAnswer, HoldingsAnswer, SearchAnswer, ShieldAnswer } from './schema.js';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' as Address;
const JUP = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN' as Address;
const newAddress = (): Address => generateKeypair().address;
/** In the operator's list; all but the last exist on the chain. */
const LISTED = [
  {
    mint: newAddress(),
    symbol: 'USDX',
    name: 'Dollar of the X',
    tags: ['stable', 'verified'],
    icon: 'https://x/i.png',
  },
  { mint: newAddress(), symbol: 'X', name: 'usdc lookalike', tags: [] },
  { mint: newAddress(), symbol: 'aUSDC', name: 'Lent', tags: [] },
  { mint: newAddress(), symbol: 'Dollar', name: 'Another', tags: [] },
  { mint: newAddress(), symbol: 'USDGONE', name: 'Not on the chain', tags: [] },
];
/** Every token whose symbol begins with it exists. */
const MANY = Array.from({ length: 30 }, (_, index) => ({
  mint: newAddress(),
  symbol: `MANY${index}`,
  name: `Number ${index}`,
  tags: [],
}));

let localnet: Localnet;
let app: FastifyInstance;
let store: Store;
before(async () => {
  localnet = await startLocalnet({ rpcPort: 0 });
  for (const { mint } of [...LISTED.slice(0, -1), ...MANY]) await setMint(mint);
  const rpc = createLocalRpc(localnet.call);
  const usd = new Map<string, number>([[USDC, 1], [WRAPPED_SOL_MINT, 150]]); // biome-ignore format: short
  store = await openAnyStore();
  ({ app } = await startTestServer((server) =>
    registerTokens(server, {
      chain: createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 1n } }),
      shownUsd: (mint) => usd.get(mint),
      store,
      tokens: createTokenList({
        tokens: { usdc: { symbol: 'USDC', mint: USDC }, platform: { symbol: 'JUP', mint: JUP } },
        tokenList: [...LISTED, ...MANY],
      }),
    }),
  ));
});
after(async () => {
  await app?.close();
  await store?.close();
  await localnet?.close();
});

async function get<T>(url: string): Promise<T> {
  const answer = await app.inject({ url, headers: { 'x-api-key': 'good-key' } });
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json() as T;
}

async function setAccount(address: Address, owner: Address, data: Uint8Array): Promise<void> {
  const encoded = Buffer.from(data).toString('base64');
  const account = { lamports: 10_000_000, owner, executable: false, data: encoded };
  await localnet.call('localnet_setAccount', [address, account]);
}

const setMint = (mint: Address, decimals = 6, tokenProgram: Address = TOKEN_PROGRAM) =>
  setAccount(mint, tokenProgram, encodeMint({ decimals, supply: 2n ** 64n - 1n, initialized: true }));

interface Held extends Partial<TokenAccount> {
  mint: Address;
  owner: Address;
  amount: bigint;
}

/** A token account of the wallet; its associated one unless another address is given. */
async function hold(held: Held, tokenProgram = TOKEN_PROGRAM, address?: Address): Promise<Address> {
  const at = address ?? associatedTokenAddress(held.owner, held.mint, tokenProgram);
  const plain = { state: 'initialized', delegatedAmount: 0n, isNative: false } as const;
  await setAccount(at, tokenProgram, encodeTokenAccount({ ...plain, ...held }));
  return at;
}

describe('holdings', () => {
  it('are nothing for a wallet that the chain does not know', async () => {
    const wallet = newAddress();
    const nothing = { amount: '0', uiAmount: 0, uiAmountString: '0' };
    assert.deepEqual(await get(`/ultra/v1/holdings/${wallet}`), { ...nothing, tokens: {} });
    assert.deepEqual(await get(`/ultra/v1/holdings/${wallet}/native`), nothing);
    const { SOL, ...rest } = await get<BalancesAnswer>(`/ultra/v1/balances/${wallet}`);
    assert.deepEqual([SOL?.amount, SOL?.uiAmount, SOL?.isFrozen, rest], ['0', 0, false, {}]);
  });

  it('tell SOL apart from wrapped SOL, and every token account with what it is', async () => {
    const owner = newAddress();
    await localnet.call('requestAirdrop', [owner, 1_500_000_001]);
    const sol = { amount: '1500000001', uiAmount: 1.500000001, uiAmountString: '1.500000001' };
    const wrapped = await hold({
      owner,
      mint: WRAPPED_SOL_MINT,
      amount: 7_960_720n,
      isNative: true,
      rentExemptReserve: 2_039_280n,
    });
    const usdc = await hold({ owner, mint: USDC, amount: 1_000_000n });
    const other = await hold({ owner, mint: USDC, amount: 10n, state: 'frozen' }, TOKEN_PROGRAM, newAddress());
    const huge = newAddress();
    await setMint(huge, 0, TOKEN_2022_PROGRAM);
    const hugeAccount = await hold({ owner, mint: huge, amount: 2n ** 64n - 1n }, TOKEN_2022_PROGRAM);

    const { tokens, ...native } = await get<HoldingsAnswer>(`/ultra/v1/holdings/${owner}`);
    assert.deepEqual(native, sol);
    assert.deepEqual(await get(`/ultra/v1/holdings/${owner}/native`), sol);
    const plain = {
      isFrozen: false,
      isAssociatedTokenAccount: true,
      decimals: 6,
      programId: TOKEN_PROGRAM,
      lamports: '10000000',
    };
    const usdcAccounts = [
      { account: usdc, amount: '1000000', uiAmount: 1, uiAmountString: '1', ...plain },
      {
        account: other,
        amount: '10',
        uiAmount: 0.00001,
        uiAmountString: '0.00001',
        ...plain,
        isFrozen: true,
        isAssociatedTokenAccount: false,
      },
    ];
    const byAccount = (a: { account: string }, b: { account: string }) => (a.account < b.account ? -1 : 1);
    tokens[USDC]?.sort(byAccount);
    assert.deepEqual(tokens, {
      [WRAPPED_SOL_MINT]: [
        {
          account: wrapped,
          amount: '7960720',
          uiAmount: 0.00796072,
          uiAmountString: '0.00796072',
          ...plain,
          decimals: 9,
        },
      ],
      [USDC]: usdcAccounts.sort(byAccount),
      [huge]: [
        {
          account: hugeAccount,
          amount: '18446744073709551615',
          uiAmount: 18446744073709552000,
          uiAmountString: '18446744073709551615',
          ...plain,
          decimals: 0,
          programId: TOKEN_2022_PROGRAM,
        },
      ],
    });

    const balances = await get<BalancesAnswer>(`/ultra/v1/balances/${owner}`);
    const slot = balances.SOL!.slot;
    assert.ok(Number.isInteger(slot));
    assert.deepEqual(balances, {
      SOL: { amount: '1500000001', uiAmount: 1.500000001, slot, isFrozen: false },
      [WRAPPED_SOL_MINT]: { amount: '7960720', uiAmount: 0.00796072, slot, isFrozen: false },
      [USDC]: { amount: '1000010', uiAmount: 1.00001, slot, isFrozen: true },
      [huge]: { amount: '18446744073709551615', uiAmount: 18446744073709552000, slot, isFrozen: false },
    });
  });

  it('read accounts with extensions, and leave out those of a mint that is closed', async () => {
    const [owner, mint, closed] = [newAddress(), newAddress(), newAddress()];
    await setMint(mint, 2, TOKEN_2022_PROGRAM);
    const plain = { state: 'initialized', delegatedAmount: 0n, isNative: false } as const;
    const base = encodeTokenAccount({ ...plain, owner, mint, amount: 5n });
    // Type: token account; one extension, ImmutableOwner, without content.
    await setAccount(newAddress(), TOKEN_2022_PROGRAM, Buffer.concat([base, Buffer.of(2, 7, 0, 0, 0)]));
    await hold({ owner, mint: closed, amount: 0n }, TOKEN_2022_PROGRAM);
    const { tokens } = await get<HoldingsAnswer>(`/ultra/v1/holdings/${owner}`);
    assert.deepEqual(Object.keys(tokens), [mint]);
    assert.equal(tokens[mint]![0]!.uiAmountString, '0.05');
    assert.deepEqual(Object.keys(await get(`/ultra/v1/balances/${owner}`)).sort(), ['SOL', mint].sort());
  });

  it('say of each account what its owner gets by closing it, if that is possible', async () => {
    const owner = newAddress();
    const mint = newAddress();
    await setMint(mint, 2, TOKEN_2022_PROGRAM);
    const empty = { owner, mint: USDC, amount: 0n };
    const closable = await hold(empty);
    await hold({ ...empty, state: 'frozen' }, TOKEN_PROGRAM, newAddress());
    await hold({ ...empty, closeAuthority: newAddress() }, TOKEN_PROGRAM, newAddress());
    await hold({ ...empty, amount: 1n }, TOKEN_PROGRAM, newAddress());
    const plain = { state: 'initialized', delegatedAmount: 0n, isNative: false } as const;
    const base = encodeTokenAccount({ ...plain, owner, mint, amount: 0n });
    // One extension, TransferFeeAmount: 5 units are withheld, or none.
    const withheld = (units: number) => Buffer.concat([base, Buffer.of(2, 2, 0, 8, 0, units, 0, 0, 0, 0, 0, 0, 0)]);
    await setAccount(newAddress(), TOKEN_2022_PROGRAM, withheld(5));
    const second = newAddress();
    await setAccount(second, TOKEN_2022_PROGRAM, withheld(0));
    const { tokens } = await get<HoldingsAnswer>(`/ultra/v1/holdings/${owner}`);
    const all = Object.values(tokens).flat();
    assert.equal(all.length, 6);
    assert.deepEqual(
      new Map(all.flatMap((held) => (held.reclaimableLamports ? [[held.account, held.reclaimableLamports]] : []))),
      new Map([
        [closable, '10000000'],
        [second, '10000000'],
      ]),
    );
  });

  it('are whole for a wallet of 1,200 tokens', async () => {
    const owner = newAddress();
    const mints = Array.from({ length: 1_200 }, newAddress);
    await Promise.all(mints.map((mint) => setMint(mint, 3)));
    await Promise.all(mints.map((mint, index) => hold({ owner, mint, amount: BigInt(index) })));
    const { tokens } = await get<HoldingsAnswer>(`/ultra/v1/holdings/${owner}`);
    assert.equal(Object.keys(tokens).length, mints.length);
    for (const [index, mint] of mints.entries()) {
      assert.equal(tokens[mint]![0]!.amount, String(index));
      assert.equal(tokens[mint]![0]!.isAssociatedTokenAccount, true);
    }
  });
});

describe('search', () => {
  const symbols = async (query: string, path = '/tokens/v2/search') =>
    (await get<SearchAnswer>(`${path}?query=${encodeURIComponent(query)}`)).map(({ symbol }) => symbol);

  it('finds a symbol before a name, the whole before its beginning, and that before any part', async () => {
    assert.deepEqual(await symbols('usdc'), ['USDC', 'X', 'aUSDC']);
    assert.deepEqual(await symbols('USD'), ['USDC', 'USDX', 'X', 'aUSDC']);
    assert.deepEqual(await symbols('dollar'), ['Dollar', 'USDX']);
    assert.deepEqual(await symbols('dollar of the x'), ['USDX']);
    assert.deepEqual(await symbols(' sol '), ['SOL']);
    assert.deepEqual(await symbols('no such token'), []);
  });

  it('answers alike on both paths', async () => {
    assert.deepEqual(await get('/ultra/v1/search?query=usd'), await get('/tokens/v2/search?query=usd'));
  });

  it('gives at most 20 tokens for names, and every mint that is asked for', async () => {
    assert.deepEqual(
      await symbols('many'),
      MANY.slice(0, 20).map(({ symbol }) => symbol),
    );
    assert.equal((await symbols('many,number')).length, 20);
    const mints = [USDC, ...MANY.map(({ mint }) => mint), newAddress(), USDC];
    assert.deepEqual(await symbols(mints.join(',')), ['USDC', ...MANY.map(({ symbol }) => symbol)]);
    assert.deepEqual(await symbols(`${JUP}, usdx`), ['JUP', 'USDX']);
  });

  it("tells what the operator's list and the chain know, and no supply of SOL", async () => {
    const [sol, usdx] = await get<SearchAnswer>('/tokens/v2/search?query=SOL,USDX');
    const audit = { mintAuthorityDisabled: true, freezeAuthorityDisabled: true };
    assert.deepEqual(sol, {
      id: WRAPPED_SOL_MINT,
      name: 'Wrapped SOL',
      symbol: 'SOL',
      decimals: 9,
      tokenProgram: TOKEN_PROGRAM,
      usdPrice: 150,
      audit,
      isVerified: true,
      tags: ['verified'],
    });
    const { tags, mint, ...listed } = LISTED[0]!;
    assert.deepEqual(usdx, {
      id: mint,
      ...listed,
      decimals: 6,
      tokenProgram: TOKEN_PROGRAM,
      audit,
      isVerified: true,
      circSupply: 18446744073709.55,
      totalSupply: 18446744073709.55,
      tags: ['verified', 'stable'],
    });
    const [usdc] = await get<SearchAnswer>('/tokens/v2/search?query=USDC');
    const { value } = (await localnet.call('getTokenSupply', [USDC])) as { value: { uiAmount: number } };
    const { totalSupply, mcap, fdv, name } = usdc!;
    assert.deepEqual([totalSupply, mcap, fdv, name], [value.uiAmount, value.uiAmount, value.uiAmount, 'USDC']);
    assert.equal(usdc!.audit.mintAuthorityDisabled, false);
  });
});

describe('a launched token', () => {
  /** Its launch has landed, unless another state is given. */
  async function launch(symbol: string, name: string, state = 'landed'): Promise<Address> {
    const mint = newAddress();
    await setMint(mint);
    const request = { id: `request of ${mint}`, area: 'studio', wallet: 'creator', messageHash: Buffer.alloc(32) };
    const times = { createdAt: new Date(1_000), expiresAt: new Date(2_000) };
    const texts = { creator: 'creator', config: 'config', pool: 'pool', quoteMint: USDC, sniperSlots: null };
    await store.transaction(async (tx) => {
      await insertCrafted(tx, [{ ...request, ...times, cosigners: [], lastValidBlockHeight: 1n, payload: null }]);
      await tx.query('update ledger set state = $2 where id = $1', [request.id, state]);
      await insertLaunch(tx, { mint, requestId: request.id, ...texts, name, symbol, createdAt: times.createdAt });
    });
    return mint;
  }

  const found = async (query: string) =>
    (await get<SearchAnswer>(`/tokens/v2/search?query=${encodeURIComponent(query)}`)).map(({ id }) => id);

  it('is found by the beginning of its symbol or name, once it has landed', async () => {
    const rocket = await launch('ROCKT', 'To the moon 100%_\\');
    await launch('ROCKT', 'Never landed', 'expired');
    for (const query of ['rockt', 'ROC', 'to the MOON', 'To the moon 100%_\\', rocket]) {
      assert.deepEqual(await found(query), [rocket], query);
    }
    for (const query of ['r_ckt', '%ockt', 'the moon 100_']) assert.deepEqual(await found(query), [], query);
  });

  it("comes after the operator's tokens of the same name", async () => {
    const copy = await launch('USDX', 'Dollar of the X');
    assert.deepEqual(await found('usdx'), [LISTED[0]!.mint, copy]);
  });
});

it('an approved verification makes a token verified in search and shield', async () => {
  const mint = newAddress();
  await setMint(mint);
  const state = async () => {
    const [token] = await get<SearchAnswer>(`/tokens/v2/search?query=${mint}`);
    const { warnings } = await get<ShieldAnswer>(`/ultra/v1/shield?mints=${mint}`);
    return [token!.isVerified, token!.tags, warnings[mint]!.map(({ type }) => type)];
  };
  const unverified = [false, [], ['NOT_VERIFIED']];
  assert.deepEqual(await state(), unverified);
  const texts = { twitterHandle: '@x', senderTwitterHandle: null, description: null, metadata: null };
  const paid = { paymentCurrency: 'SOL', paymentAmount: 1n, createdAt: new Date(1_000) };
  const wanted = { id: 'v', tokenId: mint, kind: 'verification' as const, requestId: 'r', payer: 'p' };
  await store.transaction((tx) => reserve(tx, [{ ...wanted, ...texts, ...paid }]));
  await store.transaction((tx) => confirmReserved(tx, [{ requestId: 'r', signature: 's', paidAt: new Date(2_000) }]));
  assert.deepEqual(await state(), unverified);
  await store.transaction((tx) => decide(tx, 'v', 'approved', { at: new Date(3_000), note: null, paid: 's' }));
  assert.deepEqual(await state(), [true, ['verified'], []]);
});

it('shield answers for up to 100 mints at once', async () => {
  const mints = [...MANY.map(({ mint }) => mint), ...Array.from({ length: 70 }, newAddress)];
  const { warnings } = await get<ShieldAnswer>(`/ultra/v1/shield?mints=${mints.join(',')}`);
  assert.deepEqual(Object.keys(warnings).sort(), [...mints].sort());
  assert.deepEqual(warnings[MANY[0]!.mint], []);
});

describe('bad input', () => {
  const tooMany = Array.from({ length: 101 }, newAddress).join(',');
  const cases: [string, RegExp][] = [
    ['/ultra/v1/holdings/alice', /^address: expected a public key/],
    [`/ultra/v1/holdings/${USDC}1/native`, /^address: expected a public key/],
    ['/ultra/v1/balances/0x00', /^address: expected a public key/],
    ['/ultra/v1/shield', /^mints: /],
    ['/ultra/v1/shield?mints=', /^mints: expected the addresses/],
    ['/ultra/v1/shield?mints=,%20,', /^mints: expected the addresses/],
    [`/ultra/v1/shield?mints=${USDC},usdc`, /^mints: expected a public key .*, or several/],
    [`/ultra/v1/shield?mints=${tooMany}`, /^mints: expected at most 100/],
    [`/ultra/v1/shield?mints=${USDC}&mints=${JUP}`, /^mints: /],
    ['/ultra/v1/search', /^query: /],
    ['/ultra/v1/search?query=', /^query: expected a symbol/],
    ['/tokens/v2/search?query=%20', /^query: expected a symbol/],
    [`/tokens/v2/search?query=${tooMany}`, /^query: expected at most 100/],
  ];
  for (const [url, expected] of cases) {
    it(`is refused by the name of the field: ${url.slice(0, 60)}`, async () => {
      const answer = await app.inject({ url, headers: { 'x-api-key': 'good-key' } });
      assert.equal(answer.statusCode, 400, answer.body);
      assert.match((answer.json() as { error: string }).error, expected);
    });
  }
});
