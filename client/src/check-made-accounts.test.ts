import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillInstruction, poolSwap, routeInstruction } from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  createAddressWithSeed,
  generateKeypair,
  type Instruction,
  rentExemptLamports,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemCreateAccountWithSeed,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenTransferChecked,
  WRAPPED_SOL_MINT,
  writableAccount,
} from '@slipway/wire';
import { checkAskedSwap } from './check-swap.js';
import { connect } from './context.js';

const newAddress = () => generateKeypair().address;
const [taker, inputMint, outputMint, thief, program] = Array.from({ length: 5 }, newAddress) as [
  Address,
  Address,
  Address,
  Address,
  Address,
];
const [source, destination] = [associatedTokenAddress(taker, inputMint), associatedTokenAddress(taker, outputMint)];
const SEED = 'seed';
const MUCH = 9_900_000_000n;
const RENT = rentExemptLamports(TOKEN_ACCOUNT_SPACE);
const purse = createAddressWithSeed(taker, SEED, TOKEN_PROGRAM);

const trade = (
  amountIn: bigint,
  change: { mintB?: Address; source?: Address; destination?: Address; minimumAmountOut?: bigint } = {},
) => {
  const { mintB = outputMint, ...ends } = change;
  const pool = { pool: thief, authority: thief, vaultA: thief, vaultB: thief, poolMint: thief, feeAccount: thief };
  const accounts = { ...pool, mintA: inputMint, mintB, programA: TOKEN_PROGRAM, programB: TOKEN_PROGRAM };
  return poolSwap({
    accounts,
    aToB: true,
    authority: taker,
    source,
    destination,
    amountIn,
    minimumAmountOut: 5n,
    ...ends,
  });
};

/** Made by the taker, for the program that it belongs to. */
const made = (owner: Address = TOKEN_PROGRAM, lamports = RENT, space = TOKEN_ACCOUNT_SPACE) => {
  const newAccount = createAddressWithSeed(taker, SEED, owner);
  return systemCreateAccountWithSeed({ payer: taker, base: taker, newAccount, seed: SEED, lamports, space, owner });
};
const opened = (mint: Address = WRAPPED_SOL_MINT, account = purse, tokenProgram: Address = TOKEN_PROGRAM) =>
  tokenInitializeAccount3({ account, mint, owner: taker, tokenProgram });
const closed = (account = purse) => tokenCloseAccount({ account, destination: taker, authority: taker });

/** A transfer whose mint calls a program of the thief's, if it is given one. */
function moved(
  mint: Address,
  amount: bigint,
  from = associatedTokenAddress(taker, mint, TOKEN_2022_PROGRAM),
): Instruction {
  const ends = { source: from, destination: thief, authority: taker };
  const transfer = tokenTransferChecked({ ...ends, mint, amount, decimals: 0, tokenProgram: TOKEN_2022_PROGRAM });
  return { ...transfer, accounts: [...transfer.accounts, ...[purse, program].map(writableAccount)] };
}
const hook = moved(newAddress(), 0n);

/** What the client makes of a swap of 10 with these instructions in it. */
function check(...instructions: Instruction[]): void {
  const asked = { taker, receiver: taker, inputMint, outputMint, amount: 10n, least: 5n, gasless: false };
  const { programs } = connect({ url: '', sandbox: true });
  const limits = { maxFeeLamports: 10_000n, tipLamports: 0n, mayCreate: false, programs };
  const budget = [setComputeUnitLimit(1_000), setComputeUnitPrice(1n)];
  checkAskedSwap({ ...asked, ...limits }, { signers: [taker], instructions: [...budget, ...instructions] });
}

test('accounts that exist only within a swap may be of SOL or of another token, and have their SOL sent after they are made', () => {
  const other = newAddress();
  check(made(), opened(), trade(10n), closed());
  check(made(), opened(other), trade(10n), closed());
  check(
    made(TOKEN_PROGRAM, RENT - 1n),
    systemTransfer({ from: taker, to: purse, lamports: 1n }),
    opened(),
    closed(),
    trade(10n),
  );
});

test('attack: a lying service has the SOL of a wallet put into an account of its own program for the time of a swap: not signed', () => {
  const theirs = createAddressWithSeed(taker, SEED, program);
  const late = /a made account that is not opened at once/;
  assert.throws(() => check(made(program, MUCH), hook, opened(inputMint, theirs), closed(theirs), trade(10n)), late);
  assert.throws(() => check(made(program, MUCH), opened(inputMint, theirs), closed(theirs), trade(10n)), late);
  // Nor one of the other token program, which does not make it an account.
  assert.throws(() => check(made(), opened(inputMint, purse, TOKEN_2022_PROGRAM), closed(), trade(10n)), late);
});

test('attack: a lying service has the hook of its token open an account that a swap has made, before the wallet does: not signed', () => {
  const late = /a made account that is not opened at once/;
  assert.throws(() => check(made(TOKEN_PROGRAM, MUCH), hook, closed(), trade(10n)), late);
  assert.throws(() => check(made(TOKEN_PROGRAM, RENT), hook, opened(), closed(), trade(10n)), late);
  assert.throws(() => check(made(), closed(), trade(10n)), late);
  const funded = systemTransfer({ from: taker, to: purse, lamports: 1n });
  assert.throws(() => check(made(), funded, hook, opened(), closed(), trade(10n)), late);
  assert.throws(() => check(made(), funded, funded, opened(), closed(), trade(10n)), late);
});

test('attack: a lying service has an account of a swap made again that its hook has closed to itself: not signed', () => {
  const again = /the same account is made twice/;
  assert.throws(() => check(made(), opened(), closed(), made(), opened(), closed(), trade(10n)), again);
  const late = /a made account that is not opened at once/;
  assert.throws(() => check(made(TOKEN_PROGRAM, MUCH), hook, made(), opened(), closed(), trade(10n)), late);
});

test('attack: a lying service sells a token of its own into an account of a swap, and has that pay SOL of the wallet to itself: not signed', () => {
  const token = newAddress();
  const paid = systemTransfer({ from: taker, to: thief, lamports: MUCH });
  const sold = trade(1n, { mintB: token, destination: purse, minimumAmountOut: MUCH });
  const late = /a made account that is not opened at once/;
  const end = [made(), opened(), closed(), trade(9n)];
  assert.throws(() => check(paid, made(), hook, sold, hook, closed(), ...end), late);
  assert.throws(() => check(paid, made(), opened(token), sold, closed(), trade(9n)), /is closed with \d+ tokens/);
});

test('attack: a lying service puts more into an account of a swap than its rent, or makes it larger than a token account: not signed', () => {
  const more = /a temporary account with more than its rent/;
  for (const mint of [WRAPPED_SOL_MINT, inputMint, newAddress()]) {
    assert.throws(() => check(made(TOKEN_PROGRAM, MUCH), opened(mint), closed(), trade(10n)), more);
    assert.throws(() => check(made(TOKEN_PROGRAM, 0n), opened(mint), closed(), trade(10n)), more);
  }
  assert.throws(() => check(made(TOKEN_PROGRAM, RENT, 10_000), opened(), closed(), trade(10n)), /of another size/);
});

test('attack: a lying service has a swap transfer nothing of a token whose hook is its own program: not signed', () => {
  check(trade(9n), moved(inputMint, 1n, source));
  for (const amount of [0n, 1n])
    assert.throws(() => check(trade(10n), moved(newAddress(), amount)), /a transfer of \w+/);
  const idle = /a transfer that moves nothing/;
  assert.throws(() => check(trade(10n), moved(inputMint, 0n, source)), idle);
  assert.throws(() => check(trade(10n), moved(outputMint, 1n, thief)), idle);
});

test('attack: a lying service moves a token of which each transfer keeps a part to and fro between accounts of the wallet: not signed', () => {
  const [spare, fee] = [newAddress(), newAddress()];
  const move = (mint: Address, from: Address, to: Address, amount = MUCH) =>
    tokenTransferChecked({ source: from, destination: to, authority: taker, mint, amount, decimals: 0 });
  const refused = /a transfer from \w+ to \w+/;
  const paid = move(inputMint, source, fee, 1n);
  check(paid, trade(9n));
  for (const [mint, own] of [
    [inputMint, source],
    [outputMint, destination],
  ] as const) {
    assert.throws(() => check(paid, move(mint, own, spare), move(mint, spare, own), trade(9n)), refused);
    assert.throws(() => check(paid, move(mint, fee, own), move(mint, own, fee), trade(9n)), refused);
  }
  // What is bought arrives at once: by way of another account, less of it would.
  const passed = move(outputMint, spare, destination, 5n);
  assert.throws(() => check(trade(10n, { destination: spare }), passed), refused);
});

test('attack: a lying service has a wallet pay a fee to another account of its own, and sells what is there back, to and fro: not signed', () => {
  const [spare, other] = [newAddress(), newAddress()];
  const paid = (amount: bigint) =>
    tokenTransferChecked({ source, destination: spare, authority: taker, mint: inputMint, amount, decimals: 0 });
  const sold = (from: Address, to: Address, amount = MUCH) =>
    trade(amount, { source: from, destination: to, minimumAmountOut: amount });
  const back = [sold(spare, other), sold(other, source)];
  const refused = /a trade with what was paid as a fee/;
  check(paid(1n), trade(9n));
  assert.throws(() => check(paid(1n), paid(MUCH), ...back, trade(9n)), refused);
  assert.throws(() => check(paid(MUCH), ...back, trade(10n)), refused);
  // Nor where the fee is within a route.
  const hop = { ...trade(0n), amountOffset: 1, from: source, to: destination, shareBps: 10_000 };
  const token = { mint: inputMint, tokenProgram: TOKEN_PROGRAM, decimals: 0 };
  const fee = { account: spare, bps: 1, from: source, ...token };
  const route = routeInstruction({ taker, source, destination, amountIn: 10n, minOut: 5n, hops: [hop], fee });
  check(route);
  assert.throws(() => check(route, paid(MUCH), ...back), refused);
});

test('attack: a lying service trades a token of which each transfer keeps a part to and fro with a market maker: not signed', () => {
  const programs = { inputTokenProgram: TOKEN_PROGRAM, outputTokenProgram: TOKEN_PROGRAM };
  const fill = (from: Address, to: Address, inputAmount = MUCH, outputAmount = MUCH) => {
    const ends = { takerInputAccount: from, makerInputAccount: newAddress() };
    const others = { takerOutputAccount: to, makerOutputAccount: newAddress(), inputMint, outputMint, ...programs };
    return fillInstruction({ taker, maker: thief, ...ends, ...others, inputAmount, outputAmount, expireAt: 1n });
  };
  const asked = fill(source, destination, 10n, 5n);
  const second = /a second trade/;
  check(asked);
  assert.throws(() => check(fill(source, destination), fill(destination, source), asked), second);
  const sold = trade(MUCH, { minimumAmountOut: MUCH });
  assert.throws(() => check(sold, fill(destination, source), trade(10n)), second);
  assert.throws(() => check(fill(destination, source), sold, trade(10n)), second);
});
