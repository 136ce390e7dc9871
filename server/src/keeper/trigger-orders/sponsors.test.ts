import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  encodeMint,
  encodeTokenAccount,
  generateKeypair,
  type Keypair,
  TOKEN_2022_PROGRAM,
  tokenCloseAccount,
  tokenTransferChecked,
  WRAPPED_SOL_2022_MINT,
} from '@slipway/wire';
import type { TestTerms } from '../../areas/trigger-v2/testing.js';
import { AppError } from '../../errors/index.js';
import type { Token } from '../../routing/router.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const MINUTE_MS = 60_000;
const DEEP = 10n ** 13n;
const FEE = 5_000n;
/** "NonNativeHasBalance" and "OwnerMismatch" of the token programs. */
const [NOT_EMPTY, NOT_OWNER] = [11, 4];

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
let client: ReturnType<typeof world.newClient>;
let sponsor: Keypair;
before(async () => {
  world = await openTriggerWorld();
  client = world.newClient();
  sponsor = await world.world.wallet();
});
after(() => world?.close());

/** The account of a wallet as a swap has made it whose sponsor may close it. */
function sponsored(wallet: Address, token: Token, amount: bigint): Promise<Address> {
  const held = { mint: token.mint, owner: wallet, amount, delegatedAmount: 0n, isNative: false } as const;
  const data = encodeTokenAccount({ ...held, state: 'initialized', closeAuthority: sponsor.address });
  return world.world.put(associatedTokenAddress(wallet, token.mint, token.tokenProgram), token.tokenProgram, data);
}

/** The sponsor closes the account, and has what the chain says to that: undefined where it does it. */
async function closes(account: Address, { tokenProgram }: Token): Promise<unknown> {
  // Elsewhere each time: the same bytes would not run twice.
  const close = { account, destination: generateKeypair().address, authority: sponsor.address, tokenProgram };
  const err = await world.world.run([sponsor], [tokenCloseAccount(close)]);
  return err === null
    ? undefined
    : (err as { InstructionError: [number, { Custom: number }] }).InstructionError[1].Custom;
}

/** The sponsor sends a unit of what is sold to the account of an order, which no fill closes then. */
async function sendsUnit({ mint, tokenProgram, decimals }: Token, destination: Address): Promise<void> {
  const source = await world.world.holding(world.sold, sponsor.address, 1n);
  const unit = { source, mint, destination, authority: sponsor.address, amount: 1n, decimals, tokenProgram };
  assert.equal(await world.world.run([sponsor], [tokenTransferChecked(unit)]), null);
}

const stop = (): TestTerms => ({
  inputMint: world.sold.mint,
  outputMint: world.bought.mint,
  triggerMint: world.sold.mint,
  orderType: 'single',
  triggerCondition: 'below',
  triggerPriceUsd: 0.95,
});

async function newWallet(): Promise<Keypair> {
  await world.world.setReserves(world.pool, [DEEP, DEEP]);
  world.setPrice(world.sold.mint, 1);
  const wallet = await client.register();
  await world.fund(wallet.address, world.sold, AMOUNT);
  return wallet;
}

/** The price falls, and the keeper looks at it. */
async function fall(): Promise<void> {
  await world.world.setReserves(world.pool, [DEEP, (DEEP * 9n) / 10n]);
  world.clock.setOffset(world.clock.offsetMs + MINUTE_MS);
  world.setPrice(world.sold.mint, 0.9);
  world.setPrice(world.bought.mint, 1);
  await (await world.newKeeper()).runDue();
}

const refusal = (field: string, account: Address, way: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError);
  assert.equal(error.code, 'INVALID_REQUEST');
  for (const part of [field, account, sponsor.address]) assert.ok(error.message.includes(part), error.message);
  assert.match(error.message, way);
  return true;
};

it('attack: a sponsor may close the account that a stop pays into, and sends a unit to that of the order, so that no fill makes another: no deposit is made while it is empty, and one unit in it keeps it open', async () => {
  const { sold, bought } = world;
  const wallet = await newWallet();
  const account = await sponsored(wallet.address, bought, 0n);
  await assert.rejects(client.open(wallet, AMOUNT, stop()), refusal('outputMint', account, /smallest unit/));
  assert.equal(await world.held(wallet.address, sold), AMOUNT);

  await sponsored(wallet.address, bought, 1n);
  const id = await client.open(wallet, AMOUNT, stop());
  const before = await world.world.lamports(sponsor.address);
  assert.equal(await closes(account, bought), NOT_EMPTY);
  await sendsUnit(sold, (await world.rowOf(id)).inputAccount as Address);
  assert.equal(before - (await world.world.lamports(sponsor.address)), 2n * FEE);
  await fall();
  const { state, entry } = (await world.rowOf(id)).progress;
  assert.deepEqual([state, entry.remaining], ['fill_success', 0n]);
  assert.ok(entry.received > (AMOUNT * 89n) / 100n);
  assert.equal(await world.held(wallet.address), entry.received + 1n);
});

it('attack: a sponsor has closed the account that a stop pays into: the deposit makes one that he cannot close, and it is filled whatever lies in that of the order', async () => {
  const { sold, bought } = world;
  const wallet = await newWallet();
  const account = await sponsored(wallet.address, bought, 0n);
  assert.equal(await closes(account, bought), undefined);
  const id = await client.open(wallet, AMOUNT, stop());
  assert.equal(await closes(account, bought), NOT_OWNER);
  await sendsUnit(sold, (await world.rowOf(id)).inputAccount as Address);
  await fall();
  const { state, entry } = (await world.rowOf(id)).progress;
  assert.deepEqual([state, await world.held(wallet.address)], ['fill_success', entry.received]);
});

it('attack: a sponsor may close the account that the exits of an order pay into: no deposit takes the last unit out of it', async () => {
  const { sold, bought } = world;
  const wallet = await newWallet();
  const account = await sponsored(wallet.address, sold, AMOUNT);
  const terms = { ...stop(), orderType: 'otoco', tpPriceUsd: 2, slPriceUsd: 0.5 } as const;
  await assert.rejects(client.open(wallet, AMOUNT, terms), refusal('inputMint', account, /smallest unit/));
  // What it buys first stays in the vault.
  await sponsored(wallet.address, bought, 0n);
  await sponsored(wallet.address, sold, AMOUNT + 1n);
  await client.open(wallet, AMOUNT, terms);
  assert.equal(await closes(account, sold), NOT_EMPTY);
  assert.equal(await world.held(wallet.address, sold), 1n);
});

it('attack: a page has a wallet let it close its account for SOL of Token-2022, with all that an order has paid into it: no deposit is made, and nothing is paid into it', async () => {
  const sol: Token = { mint: WRAPPED_SOL_2022_MINT, tokenProgram: TOKEN_2022_PROGRAM, decimals: 9 };
  const mint = encodeMint({ decimals: 9, supply: 0n, initialized: true });
  await world.world.put(sol.mint, sol.tokenProgram, mint);
  await world.world.pool(world.sold, sol, [DEEP, DEEP]);
  await world.aggregator.discover();
  world.setPrice(sol.mint, 1_000);
  const wallet = await newWallet();
  const account = await sponsored(wallet.address, sol, 1_000n);
  const terms = { ...stop(), outputMint: sol.mint };
  await assert.rejects(client.open(wallet, AMOUNT, terms), refusal('outputMint', account, /with all that is in it/));

  await world.world.remove(account);
  const id = await client.open(wallet, AMOUNT, terms);
  const made = (await world.chain.account(account))!;
  await sponsored(wallet.address, sol, 0n);
  await fall();
  const { state, entry } = (await world.rowOf(id)).progress;
  assert.deepEqual([state, entry.received, await world.held(wallet.address, sol)], ['open', 0n, 0n]);
  await world.world.put(account, sol.tokenProgram, made.data);
  await fall();
  const after = (await world.rowOf(id)).progress;
  assert.deepEqual([after.state, await world.held(wallet.address, sol)], ['fill_success', after.entry.received]);
});
