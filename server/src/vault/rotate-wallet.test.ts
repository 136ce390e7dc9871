import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import {
  type Address,
  associatedTokenAddress,
  decodeTokenAccount,
  decodeTransaction,
  encodeMint,
  encodeTokenAccount,
  encodeTransaction,
  generateKeypair,
  type Keypair,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  sign,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type Transaction,
  transactionSignature,
  WRAPPED_SOL_MINT,
  withSignature,
} from '@slipway/wire';
import { type Chain, createChain, createLocalRpc, type Rpc } from '../chain/index.js';
import { craftTransaction } from '../crafting/transaction.js';
import { createMortal, type Mortal } from '../keeper/testing.js';
import { steadyNow } from '../lib/clock.js';
import { openSigner, SignerRefused, type WalletRole } from '../signer/index.js';
import { deriveCheaply } from '../signer/testing.js';
import { type RotationDeps, rotateWallet } from './rotate-wallet.js';

const SOL = 1_000_000_000n;
const RENT = rentExemptLamports(165);
const MINTS = [
  { mint: generateKeypair().address, tokenProgram: TOKEN_PROGRAM, amount: 5_000_001n },
  { mint: generateKeypair().address, tokenProgram: TOKEN_2022_PROGRAM, amount: 77n },
  { mint: generateKeypair().address, tokenProgram: TOKEN_PROGRAM, amount: 0n },
];

let folder: string;
let localnet: Localnet;
let rpc: Rpc;
let files = 0;

before(async () => {
  await deriveCheaply();
  folder = await mkdtemp(join(tmpdir(), 'slipway-rotate-'));
  localnet = await startLocalnet({ rpcPort: 0 });
  rpc = createLocalRpc((method, params) => localnet.call(method, params));
  for (const { mint, tokenProgram } of MINTS) {
    await write(mint, tokenProgram, RENT, encodeMint({ decimals: 6, supply: 10n ** 12n, initialized: true }));
  }
});
after(async () => {
  await localnet?.close();
  await rm(folder, { recursive: true, force: true });
});

async function write(at: Address, owner: Address, lamports: bigint, data: Uint8Array = new Uint8Array()) {
  const account = { lamports: Number(lamports), owner, executable: false, data: Buffer.from(data).toString('base64') };
  await localnet.call('localnet_setAccount', [at, account]);
}

async function hold(owner: Address, mint: Address, tokenProgram: Address, amount: bigint, at?: Address) {
  const native = mint === WRAPPED_SOL_MINT;
  const data = encodeTokenAccount({
    mint,
    owner,
    amount,
    state: 'initialized',
    delegatedAmount: 0n,
    isNative: native,
    ...(native && { rentExemptReserve: RENT }),
  });
  const account = at ?? associatedTokenAddress(owner, mint, tokenProgram);
  await write(account, tokenProgram, native ? RENT + amount : RENT, data);
}

function newFile(): string {
  files += 1;
  return join(folder, `signer-${files}.json`);
}
const open = (file: string) => openSigner({ file, passphrase: 'of the test', create: true });

/** A process that rotates, and may be killed; its clock is the chain's. */
async function newProcess(file: string, mortal: Mortal = createMortal()): Promise<RotationDeps & { chain: Chain }> {
  const signer = await open(file);
  const own = mortal.rpc(rpc);
  const chain = createChain({ rpc: own, steadyNow, fees: { percentile: 50, maxMicroLamports: 0n } });
  const mortalSigner = mortal.signer(signer);
  return {
    chain,
    signer: {
      ...mortalSigner,
      rotate: (role, step) => mortal.call(() => signer.rotate(role, step)),
      reload: signer.reload,
    },
    explain: (error) => JSON.stringify(error),
    feeMints: new Set(MINTS.map(({ mint }) => mint)),
    tell() {},
    async pause() {
      await own.call('localnet_advanceClock', [20]);
      chain.forget();
    },
    land: (transaction) => land(transaction, own),
  };
}

async function land(transaction: Transaction, by: Rpc = rpc): Promise<{ event: 'landed' | 'failed' }> {
  const wire = Buffer.from(encodeTransaction(transaction)).toString('base64');
  await by.call('sendTransaction', [wire, { encoding: 'base64', skipPreflight: true }]);
  return { event: (await statusOf(transactionSignature(transaction))) ? 'failed' : 'landed' };
}

async function statusOf(signature: string): Promise<unknown> {
  for (;;) {
    const { value } = await rpc.call<{ value: ({ err: unknown } | null)[] }>('getSignatureStatuses', [[signature]]);
    if (value[0]) return value[0].err;
    await sleep(10);
  }
}

interface Account {
  lamports: number;
  data: [string, string];
}
const accountAt = async (address: Address): Promise<Account | null> =>
  (await rpc.call<{ value: Account | null }>('getAccountInfo', [address, { encoding: 'base64' }])).value;
const lamportsOf = async (address: Address) => BigInt((await accountAt(address))?.lamports ?? 0);
const tokensAt = async (address: Address) => {
  const found = await accountAt(address);
  return found ? decodeTokenAccount(Buffer.from(found.data[0], 'base64'))?.amount : undefined;
};

/** What all transactions that name one of these accounts have paid. */
async function feesOf(addresses: readonly Address[]): Promise<bigint> {
  const lists = await Promise.all(
    addresses.map((address) => rpc.call<{ signature: string }[]>('getSignaturesForAddress', [address])),
  );
  const signatures = [...new Set(lists.flat().map(({ signature }) => signature))];
  type Found = { meta: { fee: number } };
  const found = await Promise.all(
    signatures.map((signature) =>
      rpc.call<Found>('getTransaction', [signature, { maxSupportedTransactionVersion: 0 }]),
    ),
  );
  return found.reduce((sum, { meta }) => sum + BigInt(meta.fee), 0n);
}

/** Gives a wallet SOL, tokens, an empty token account, and SOL in a token account; returns all lamports of it. */
async function fund(wallet: Address, lamports: bigint): Promise<bigint> {
  if (lamports > 0n) await write(wallet, SYSTEM_PROGRAM, lamports);
  for (const { mint, tokenProgram, amount } of MINTS) await hold(wallet, mint, tokenProgram, amount);
  await hold(wallet, MINTS[0]!.mint, TOKEN_PROGRAM, 9n, generateKeypair().address);
  await hold(wallet, WRAPPED_SOL_MINT, TOKEN_PROGRAM, 300_000_000n);
  return lamports + 5n * RENT + 300_000_000n;
}

/** What a wallet holds: SOL with all rents, and tokens. */
async function holdings(wallet: Address) {
  const atas = MINTS.map(({ mint, tokenProgram }) => associatedTokenAddress(wallet, mint, tokenProgram));
  const native = associatedTokenAddress(wallet, WRAPPED_SOL_MINT, TOKEN_PROGRAM);
  const lamports = await Promise.all([wallet, ...atas, native].map(lamportsOf));
  return {
    lamports: lamports.reduce((sum, each) => sum + each, 0n),
    tokens: await Promise.all(atas.map(tokensAt)),
  };
}

const fundsOf = (role: WalletRole): bigint => ({ gas: 10n * SOL, keeper: 3n * SOL + 1n, tracker: 0n })[role];
const TOKENS = [5_000_010n, 77n];

/** A signer file whose wallets have something, and what they have together. */
async function newWallets(role: WalletRole) {
  const file = newFile();
  const signer = await open(file);
  const [old, gas] = [signer.address(role), signer.address('gas')];
  if (role !== 'gas') await write(gas, SYSTEM_PROGRAM, SOL);
  const had = (await fund(old, fundsOf(role))) + (role === 'gas' ? 0n : SOL);
  return { file, signer, role, old, gas, had };
}

/** All that it had is at the address now, but for the fees, and the one before holds nothing. */
async function assertMoved({ role, old, gas, had }: Awaited<ReturnType<typeof newWallets>>, address: Address) {
  const now = await holdings(address);
  const fees = await feesOf([old, address, gas]);
  const ofGas = role === 'gas' ? 0n : await lamportsOf(gas);
  assert.equal(now.lamports + ofGas, had - fees);
  assert.deepEqual(now.tokens.slice(0, 2), TOKENS);
  assert.deepEqual(await holdings(old), { lamports: 0n, tokens: [undefined, undefined, undefined] });
}

for (const role of ['gas', 'keeper', 'tracker'] as const) {
  test(`the next ${role} wallet has all that the one before had, to the unit`, async () => {
    const wallets = await newWallets(role);
    const { file, old } = wallets;
    const { address, before: had, left } = await rotateWallet(await newProcess(file), role, true);
    assert.deepEqual([left, had], [[], [old]]);
    assert.notEqual(address, old);
    assert.equal((await open(file)).address(role), address);
    await assertMoved(wallets, address);
    const again = await rotateWallet(await newProcess(file), role, false);
    assert.deepEqual([again.moved, again.left, again.address], [[], [], address]);
    // What arrives at the old address later is moved, too.
    await write(old, SYSTEM_PROGRAM, SOL);
    const late = await rotateWallet(await newProcess(file), role, false);
    assert.deepEqual(
      late.moved.map(({ account, amount }) => [account, amount]),
      [[old, SOL]],
    );
    assert.equal(await lamportsOf(old), 0n);
  });
}

test('an exchange that is killed at any call and run again ends with one new wallet, which has everything', async (t) => {
  const role = 'keeper';
  let deaths = 0;
  for (let fatal = 1; ; fatal += 1) {
    const wallets = await newWallets(role);
    const mortal = createMortal(fatal);
    const first = rotateWallet(await newProcess(wallets.file, mortal), role, true);
    const isDead = await Promise.race([mortal.died.then(() => true), first.then(() => false)]);
    if (!isDead) break;
    deaths += 1;
    const process = await newProcess(wallets.file);
    // Killed after its last call, it has ended: nothing must begin anew.
    const hasEnded = process.signer.wallets()[role].oldest === 1;
    const { address, left } = await rotateWallet(process, role, !hasEnded);
    assert.deepEqual(left, []);
    assert.equal((await open(wallets.file)).wallets()[role].addresses[1], address, `killed at call ${fatal}`);
    assert.deepEqual((await open(wallets.file)).wallets()[role].addresses.length, 2);
    await assertMoved(wallets, address);
  }
  t.diagnostic(`killed at ${deaths} calls`);
  assert.ok(deaths > 20);
});

/** A payment of nothing by somebody whose fee the gas wallet pays. */
async function gasless(payer: Address): Promise<{ user: Keypair; message: Uint8Array; signed: Transaction }> {
  const user = generateKeypair();
  const { value } = await rpc.call<{ value: { blockhash: string } }>('getLatestBlockhash', []);
  const { wire } = craftTransaction({
    feePayer: payer,
    instructions: [systemTransfer({ from: user.address, to: user.address, lamports: 0n })],
    blockhash: value.blockhash,
    budget: { computeUnitLimit: 10_000, computeUnitPrice: 0n },
  });
  const { decoded: _, ...unsigned } = decodeTransaction(wire);
  return {
    user,
    message: unsigned.message,
    signed: withSignature(unsigned, user.address, sign(user, unsigned.message)),
  };
}

test('what was crafted before lands as long as it can, by any copy; then the old key signs nothing', async () => {
  const { file, old } = await newWallets('gas');
  // Another copy, which learns of the steps as all copies do.
  const copy = await open(file);
  const process = await newProcess(file);
  const [early, late, never] = [await gasless(old), await gasless(old), await gasless(old)];
  const landed: string[] = [];
  const execute = async ({ signed, message }: Awaited<ReturnType<typeof gasless>>) => {
    const [cosigned] = await copy.cosign({ keys: ['gas'], message });
    const { event } = await land(withSignature(signed, cosigned!.address, cosigned!.signature));
    landed.push(event);
  };
  const steps: string[] = [];
  const { address } = await rotateWallet(
    {
      ...process,
      signer: {
        ...process.signer,
        async rotate(role, step) {
          const after = await process.signer.rotate(role, step);
          steps.push(step);
          await copy.reload();
          if (step === 'make') await execute(early);
          if (step === 'use') {
            await execute(late);
            const fresh = await gasless(copy.address('gas'));
            await execute(fresh);
          }
          return after;
        },
      },
    },
    'gas',
    true,
  );
  assert.deepEqual(steps, ['make', 'use', 'retire']);
  assert.deepEqual(landed, ['landed', 'landed', 'landed']);
  assert.equal(copy.address('gas'), address);
  await assert.rejects(copy.cosign({ keys: ['gas'], message: never.message }), (error: Error) => {
    assert.ok(error instanceof SignerRefused);
    assert.match(error.reason, /exchanged for another/);
    return true;
  });
  assert.equal(await lamportsOf(old), 0n);
});

test('a wallet whose gas wallet is empty pays for its move itself', async () => {
  const file = newFile();
  const old = (await open(file)).address('keeper');
  await write(old, SYSTEM_PROGRAM, SOL);
  const { address, left } = await rotateWallet(await newProcess(file), 'keeper', true);
  assert.deepEqual(left, []);
  assert.equal(await lamportsOf(old), 0n);
  assert.equal(await lamportsOf(address), SOL - (await feesOf([old, address])));
});

test('attack: an issuer of a token gives the gas wallet an account of a mint that is closed then, or another program’s: its key is exchanged all the same', async () => {
  const file = newFile();
  const old = (await open(file)).address('gas');
  await write(old, SYSTEM_PROGRAM, SOL);
  const [closed, other] = [generateKeypair().address, generateKeypair().address];
  await write(other, TOKEN_PROGRAM, RENT, encodeMint({ decimals: 6, supply: 0n, initialized: true }));
  for (const mint of [closed, other]) await hold(old, mint, TOKEN_2022_PROGRAM, 0n);
  const process = { ...(await newProcess(file)), feeMints: new Set([closed, other]) };
  const { address, left } = await rotateWallet(process, 'gas', true);
  assert.deepEqual(left, []);
  assert.equal(await lamportsOf(old), 0n);
  assert.equal(await lamportsOf(address), SOL + 2n * RENT - (await feesOf([old, address])));
});

test('attack: a stranger on the chain gives the gas wallet accounts of more mints than it could pay the rent of: its key is exchanged, and he has paid', async () => {
  const file = newFile();
  const old = (await open(file)).address('gas');
  await write(old, SYSTEM_PROGRAM, 10n * RENT);
  const many = Array.from({ length: 12 }, () => generateKeypair().address);
  for (const mint of many) {
    await write(mint, TOKEN_PROGRAM, RENT, encodeMint({ decimals: 0, supply: 1n, initialized: true }));
    await hold(old, mint, TOKEN_PROGRAM, 0n);
  }
  const { address, left } = await rotateWallet(await newProcess(file), 'gas', true);
  assert.deepEqual(left, []);
  const now = await lamportsOf(address);
  assert.equal(now, 22n * RENT - (await feesOf([old, address])));
  assert.ok(now > 10n * RENT);
});

test('attack: an issuer of a token keeps the next gas wallet from an account of a token in which fees are taken: it is told, and the key is exchanged', async () => {
  const { file, old } = await newWallets('gas');
  const process = await newProcess(file);
  const told: string[] = [];
  const { mint } = MINTS[0]!;
  const rotate: RotationDeps['signer']['rotate'] = async (role, step) => {
    const after = await process.signer.rotate(role, step);
    // What he does to the mint meanwhile.
    const isOpen = step !== 'make';
    const data = encodeMint({ decimals: 6, supply: 10n ** 12n, initialized: isOpen });
    if (step !== 'retire') await write(mint, TOKEN_PROGRAM, RENT, data);
    return after;
  };
  const known = await process.chain.mint(mint);
  const chain = {
    ...process.chain,
    mint: async (asked: Address) => (asked === mint ? known : process.chain.mint(asked)),
  };
  const changes = { chain, signer: { ...process.signer, rotate }, tell: (text: string) => void told.push(text) };
  const { address, left } = await rotateWallet({ ...process, ...changes }, 'gas', true);
  assert.deepEqual(left, []);
  assert.notEqual(address, old);
  assert.match(told.join('\n'), new RegExp(`takes no fees in ${mint} yet .*"slipway wallets fee-accounts"`));
});

test('attack: a stranger on the chain sends SOL to the addresses of the token accounts of the next gas wallet: it has those that fees come into', async () => {
  const { file } = await newWallets('gas');
  const process = await newProcess(file);
  const places = (wallet: Address) =>
    MINTS.map(({ mint, tokenProgram }) => associatedTokenAddress(wallet, mint, tokenProgram));
  const rotate: RotationDeps['signer']['rotate'] = async (role, step) => {
    const after = await process.signer.rotate(role, step);
    const next = after.gas.addresses[1]!;
    if (step === 'make') for (const at of places(next)) await write(at, SYSTEM_PROGRAM, rentExemptLamports(0));
    if (step === 'use') for (const at of places(next)) assert.notEqual(await tokensAt(at), undefined);
    return after;
  };
  const { left } = await rotateWallet({ ...process, signer: { ...process.signer, rotate } }, 'gas', true);
  assert.deepEqual(left, []);
});

test('attack: a stranger on the chain gives the keeper accounts of mints of his own that only he can close: their exchange makes none for the next one', async () => {
  const file = newFile();
  const signer = await open(file);
  const [old, gas] = [signer.address('keeper'), signer.address('gas')];
  for (const wallet of [old, gas]) await write(wallet, SYSTEM_PROGRAM, SOL);
  const accounts = [generateKeypair().address, generateKeypair().address];
  const { mint, tokenProgram } = MINTS[0]!;
  for (const at of accounts) {
    const tokens = {
      mint,
      owner: old,
      amount: 1n,
      state: 'initialized',
      delegatedAmount: 0n,
      isNative: false,
    } as const;
    await write(at, tokenProgram, RENT, encodeTokenAccount({ ...tokens, closeAuthority: generateKeypair().address }));
  }
  const { address, left } = await rotateWallet(await newProcess(file), 'keeper', true);
  assert.deepEqual(new Set(left.map(({ account }) => account)), new Set(accounts));
  const fees = await feesOf([old, address, gas]);
  assert.equal((await lamportsOf(address)) + (await lamportsOf(gas)), 2n * SOL - fees);
});
