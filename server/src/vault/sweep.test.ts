import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import {
  type Address,
  address,
  associatedTokenAddress,
  decodeTokenAccount,
  encodeMint,
  encodeTokenAccount,
  encodeTransaction,
  generateKeypair,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type TokenAccount,
  transactionSignature,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { type Chain, createChain, createLocalRpc } from '../chain/index.js';
import { steadyNow } from '../lib/clock.js';
import { openSigner, type Signer } from '../signer/index.js';
import { type SweepDeps, sweepVault } from './sweep.js';

const RENT = rentExemptLamports(165);
const USDC = address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
const NEW_MINT = generateKeypair().address;

let folder: string;
let localnet: Localnet;
let chain: Chain;
let signer: Signer;
let deps: SweepDeps;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-sweep-'));
  localnet = await startLocalnet({ rpcPort: 0 });
  signer = await openSigner({ file: join(folder, 'signer.json'), passphrase: 'of the test', create: true });
  const rpc = createLocalRpc((method, params) => localnet.call(method, params));
  chain = createChain({ rpc, steadyNow, fees: { percentile: 50, maxMicroLamports: 0n } });
  deps = {
    chain,
    signer,
    explain: (error) => JSON.stringify(error),
    async land(transaction) {
      const signature = transactionSignature(transaction);
      const wire = Buffer.from(encodeTransaction(transaction)).toString('base64');
      await rpc.call('sendTransaction', [wire, { encoding: 'base64', skipPreflight: true }]);
      for (;;) {
        const [status] = (await chain.statuses([signature], { history: true })).found;
        if (status) return { event: status.err === null ? 'landed' : 'failed' };
        await sleep(20);
      }
    },
  };
  await write(signer.address('gas'), SYSTEM_PROGRAM, 10_000_000_000n);
  const supply = { decimals: 4, supply: 10n ** 12n, initialized: true };
  await write(NEW_MINT, TOKEN_2022_PROGRAM, RENT, encodeMint(supply));
});
after(async () => {
  await localnet?.close();
  await rm(folder, { recursive: true, force: true });
});

async function write(at: Address, owner: Address, lamports: bigint, data: Uint8Array = new Uint8Array()) {
  const account = { lamports: Number(lamports), owner, executable: false, data: Buffer.from(data).toString('base64') };
  await localnet.call('localnet_setAccount', [at, account]);
}

/** A token account at a fresh address, as an order's is. */
async function hold(
  owner: Address,
  mint: Address,
  amount: bigint,
  changes: Partial<TokenAccount> = {},
  program = TOKEN_PROGRAM,
) {
  const { address: at } = generateKeypair();
  const native = mint === WRAPPED_SOL_MINT;
  const tokens: TokenAccount = {
    mint,
    owner,
    amount,
    state: 'initialized',
    delegatedAmount: 0n,
    isNative: native,
    ...(native && { rentExemptReserve: RENT }),
    ...changes,
  };
  await write(at, program, native ? RENT + amount : RENT, encodeTokenAccount(tokens));
  return at;
}

async function tokensOf(owner: Address, mint: Address, program = TOKEN_PROGRAM): Promise<bigint> {
  const account = await chain.account(associatedTokenAddress(owner, mint, program));
  return account ? decodeTokenAccount(account.data)!.amount : 0n;
}

const lamportsOf = async (at: Address): Promise<bigint> => (await chain.account(at))?.lamports ?? 0n;

async function newVault(): Promise<{ wallet: Address; vault: Address }> {
  const wallet = generateKeypair().address;
  return { wallet, vault: await signer.publicKey(`vault:${wallet}`) };
}

test('all that a vault and its order accounts hold goes to the wallet, to the unit, with the rent', async () => {
  const { wallet, vault } = await newVault();
  await write(vault, SYSTEM_PROGRAM, 1_500_000n);
  const accounts = [
    await hold(vault, USDC, 7_000_001n),
    await hold(vault, USDC, 5n),
    await hold(vault, WRAPPED_SOL_MINT, 2_000_000_000n),
    await hold(vault, NEW_MINT, 123n, {}, TOKEN_2022_PROGRAM),
    await hold(vault, USDC, 0n),
  ];
  const { sent, left } = await sweepVault(deps, wallet);
  assert.deepEqual(left, []);
  assert.deepEqual(new Set(sent.map(({ account }) => account)), new Set([...accounts, vault]));
  assert.equal(await tokensOf(wallet, USDC), 7_000_006n);
  assert.equal(await tokensOf(wallet, NEW_MINT, TOKEN_2022_PROGRAM), 123n);
  // The rent of two is in the accounts that the wallet has got for these mints.
  assert.equal(await lamportsOf(wallet), 1_500_000n + 2_000_000_000n + 3n * RENT);
  for (const account of [...accounts, vault]) assert.equal(await chain.account(account), undefined);
  const again = await sweepVault(deps, wallet);
  assert.deepEqual([again.sent, again.left], [[], []]);
});

test('the vaults and accounts of others are left alone', async () => {
  const [mine, other] = [await newVault(), await newVault()];
  await hold(mine.vault, USDC, 10n);
  const theirs = await hold(other.vault, USDC, 20n);
  const owned = await hold(mine.wallet, USDC, 30n);
  await sweepVault(deps, mine.wallet);
  assert.equal(decodeTokenAccount((await chain.account(theirs))!.data)!.amount, 20n);
  assert.equal(decodeTokenAccount((await chain.account(owned))!.data)!.amount, 30n);
  assert.equal(await tokensOf(other.wallet, USDC), 0n);
});

test('what cannot be sent is named with its reason, and does not stop the rest', async () => {
  const { wallet, vault } = await newVault();
  const frozen = await hold(vault, USDC, 10n, { state: 'frozen' });
  const orphan = await hold(vault, generateKeypair().address, 10n);
  // Can be emptied, but closed by somebody else only.
  const shared = await hold(vault, USDC, 11n, { closeAuthority: generateKeypair().address });
  await hold(vault, USDC, 12n);
  await write(vault, SYSTEM_PROGRAM, 1_000_000n);
  const first = await sweepVault(deps, wallet);
  // Its rent would not pay for the account of the wallet, which another one may have made meanwhile.
  const isSharedLeft = first.left.some(({ account }) => account === shared);
  const { sent, left } = await sweepVault(deps, wallet);
  assert.equal(await tokensOf(wallet, USDC), 23n);
  assert.equal(decodeTokenAccount((await chain.account(shared))!.data)!.amount, 0n);
  assert.deepEqual([first.sent.length, sent.length], isSharedLeft ? [2, 1] : [3, 0]);
  assert.deepEqual(new Set(left.map(({ account }) => account)), new Set([frozen, orphan]));
  assert.match(left.find(({ account }) => account === frozen)!.reason, /17/);
  assert.match(left.find(({ account }) => account === orphan)!.reason, /mint/);
});

test('attack: a wallet fills its vault with accounts of mints of its own: sent home, for the fees alone', async () => {
  const { wallet, vault } = await newVault();
  const supply = { decimals: 0, supply: 1n, initialized: true };
  const mints = Array.from({ length: 5 }, () => generateKeypair().address);
  for (const mint of mints) {
    await write(mint, TOKEN_PROGRAM, RENT, encodeMint(supply));
    await hold(vault, mint, 1n);
    // Which it alone can close: the wallet's account would be made for nothing.
    await hold(vault, NEW_MINT, 1n, { closeAuthority: wallet }, TOKEN_2022_PROGRAM);
  }
  const gas = signer.address('gas');
  const before = await lamportsOf(gas);
  const { sent, left } = await sweepVault(deps, wallet);
  for (const mint of mints) assert.equal(await tokensOf(wallet, mint), 1n);
  assert.deepEqual([sent.length, left.length], [5, 5]);
  assert.equal(before - (await lamportsOf(gas)), 5n * 2n * 5_000n);
});

test('an empty gas wallet is said to be the reason, and nothing is lost by it', async () => {
  const { wallet, vault } = await newVault();
  await hold(vault, USDC, 10n);
  const gas = signer.address('gas');
  const lamports = await lamportsOf(gas);
  await write(gas, SYSTEM_PROGRAM, 0n);
  const refused = await sweepVault(deps, wallet);
  assert.match(refused.left[0]!.reason, new RegExp(`gas wallet ${gas}`));
  await write(gas, SYSTEM_PROGRAM, lamports);
  assert.equal((await sweepVault(deps, wallet)).sent.length, 1);
  assert.equal(await tokensOf(wallet, USDC), 10n);
});

test('attack: a stranger on the chain sends SOL to the address of a token account that the wallet does not have: it is made, and gets what the vault holds', async () => {
  const { wallet, vault } = await newVault();
  await hold(vault, USDC, 10n);
  await write(associatedTokenAddress(wallet, USDC), SYSTEM_PROGRAM, rentExemptLamports(0));
  const { sent, left } = await sweepVault(deps, wallet);
  assert.deepEqual([sent.length, left], [1, []]);
  assert.equal(await tokensOf(wallet, USDC), 10n);
});

test('attack: a page has a wallet give away its token account: what its vault holds is left there, and told', async () => {
  const { wallet, vault } = await newVault();
  const account = await hold(vault, USDC, 7n);
  const given: TokenAccount = {
    mint: USDC,
    owner: generateKeypair().address,
    amount: 0n,
    state: 'initialized',
    delegatedAmount: 0n,
    isNative: false,
  };
  await write(associatedTokenAddress(wallet, USDC), TOKEN_PROGRAM, RENT, encodeTokenAccount(given));
  const { sent, left } = await sweepVault(deps, wallet);
  assert.deepEqual([sent, left.map((each) => each.account)], [[], [account]]);
  assert.equal(await tokensOf(wallet, USDC), 0n);
});

test('attack: a stranger on the chain sends SOL to the accounts of a vault: the wallet gets it, also one that has none, and the gas wallet the rent of now', async () => {
  const gas = signer.address('gas');
  for (const program of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
    const mint = program === TOKEN_PROGRAM ? USDC : NEW_MINT;
    for (const more of [1n, 1_000_000_000n]) {
      const { wallet, vault } = await newVault();
      const account = await hold(vault, mint, 7n, {}, program);
      await write(account, program, RENT + more, (await chain.account(account))!.data);
      const before = await lamportsOf(gas);
      assert.deepEqual((await sweepVault(deps, wallet)).left, []);
      const theirs = associatedTokenAddress(wallet, mint, program);
      const rent = await chain.rpc.call<number>('getMinimumBalanceForRentExemption', [
        (await chain.account(theirs))!.data.length,
      ]);
      assert.equal((await lamportsOf(wallet)) + (await lamportsOf(theirs)), BigInt(rent) + more);
      assert.equal(before - (await lamportsOf(gas)), 2n * 5_000n + BigInt(rent) - RENT);
      assert.equal(await tokensOf(wallet, mint, program), 7n);
    }
  }
});

test('attack: a node says that a wallet has, or has not, its token account: nothing is sent to whom the wallet has given it, and no rent to the gas wallet', async () => {
  const [one, two] = [await newVault(), await newVault()];
  const [given, own] = [one, two].map(({ wallet }) => associatedTokenAddress(wallet, USDC)) as [Address, Address];
  const held = { mint: USDC, amount: 0n, state: 'initialized', delegatedAmount: 0n, isNative: false } as const;
  const thief = generateKeypair().address;
  await write(given, TOKEN_PROGRAM, RENT, encodeTokenAccount({ ...held, owner: thief }));
  await write(own, TOKEN_PROGRAM, RENT, encodeTokenAccount({ ...held, owner: two.wallet }));
  const accounts = [await hold(one.vault, USDC, 7n), await hold(two.vault, USDC, 8n)];
  const lying: Chain = {
    ...chain,
    async account(at) {
      const found = await chain.account(at);
      if (at === given) return { ...found!, data: encodeTokenAccount({ ...held, owner: one.wallet }) };
      return at === own ? undefined : found;
    },
  };
  const gas = signer.address('gas');
  const before = await lamportsOf(gas);
  for (const [i, { wallet }] of [one, two].entries()) {
    const { sent, left } = await sweepVault({ ...deps, chain: lying }, wallet);
    assert.deepEqual([sent, left.map(({ account }) => account)], [[], [accounts[i]]]);
  }
  assert.deepEqual([await tokensOf(one.wallet, USDC), await lamportsOf(gas)], [0n, before]);
  assert.deepEqual((await sweepVault(deps, two.wallet)).left, []);
  assert.equal(await tokensOf(two.wallet, USDC), 8n);
});
