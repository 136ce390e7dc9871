import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poolSwap } from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  createAddressWithSeed,
  createAssociatedTokenIdempotent,
  findProgramAddress,
  generateKeypair,
  type Instruction,
  rentExemptLamports,
  systemCreateAccountWithSeed,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenUnwrapLamports,
  WRAPPED_SOL_2022_MINT,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { SANDBOX_PROGRAMS } from '../cosign.js';
import { orderAccount } from '../order-accounts.js';
import type { SealedOrder } from '../order-seal.js';
import { swapOfAll } from './testing.js';
import { checkVault } from './vault.js';

const newAddress = () => generateKeypair().address;
const DEPOSIT = '0199f0a0-0000-7000-8000-000000000001';
const HELD = 1_000_000n;
type Five = [Address, Address, Address, Address, Address];

/** A fill that sells `amount` of an order's deposit, and closes the account of it to the keeper, who makes one for the wallet. */
function fill(inputMint: Address, amount: bigint, tokenProgram: Address, closes = true): void {
  const [vault, wallet, keeper, outputMint] = [0, 1, 2, 3, 4].map(newAddress) as Five;
  const source = orderAccount(vault, DEPOSIT, 'in', tokenProgram);
  const destination = associatedTokenAddress(wallet, outputMint);
  const order = {
    wallet,
    vault,
    depositRequestId: DEPOSIT,
    inputMint,
    outputMint,
    inputAccount: source,
    outputAccount: null,
    progress: { type: 'single', entry: { initial: HELD } },
  } as unknown as SealedOrder;
  const instructions = [
    createAssociatedTokenIdempotent({ payer: keeper, owner: wallet, mint: outputMint }),
    swapOfAll({ authority: vault, source, destination, amountIn: amount }),
    ...(closes ? [tokenCloseAccount({ account: source, destination: keeper, authority: vault, tokenProgram })] : []),
  ];
  const parties = { vault: vault, wallet: wallet, keeper: keeper, order, programs: SANDBOX_PROGRAMS };
  checkVault(parties, { signers: [keeper, vault], feeLamports: 10_000n, instructions });
}

test('attack: a copy that was broken into sells a unit of a deposit of SOL, and closes the rest to the keeper, also where it is SOL of Token-2022: the vault does not sign', () => {
  const seeds = [new TextEncoder().encode('native-mint')];
  assert.equal(findProgramAddress(seeds, TOKEN_2022_PROGRAM).address, WRAPPED_SOL_2022_MINT);
  for (const [mint, program] of [
    [WRAPPED_SOL_MINT, TOKEN_PROGRAM],
    [WRAPPED_SOL_2022_MINT, TOKEN_2022_PROGRAM],
  ] as const) {
    assert.throws(() => fill(mint, 1n, program), /the keeper would take the rent/);
    fill(mint, HELD, program);
  }
  // Of any other token, only an emptied account is closed.
  fill(newAddress(), 1n, TOKEN_PROGRAM);
});

test('attack: a copy that was broken into sells more than an order has: the vault signs that only where the order’s account ends with it, as with what others have sent there', () => {
  for (const mint of [WRAPPED_SOL_MINT, newAddress()]) {
    fill(mint, HELD, TOKEN_PROGRAM, false);
    assert.throws(() => fill(mint, HELD + 1n, TOKEN_PROGRAM, false), /more than the order has/);
    fill(mint, HELD + 1n, TOKEN_PROGRAM);
  }
});

test('attack: a copy that was broken into has the SOL that a fill has bought unwrapped for the keeper, as if it were its rent: the vault does not sign', () => {
  const [vault, wallet, keeper, inputMint, other] = [0, 1, 2, 3, 4].map(newAddress) as Five;
  const [source, account] = [
    orderAccount(vault, DEPOSIT, 'in', TOKEN_PROGRAM),
    createAddressWithSeed(vault, 'a seed', TOKEN_PROGRAM),
  ];
  const order = {
    wallet,
    vault,
    depositRequestId: DEPOSIT,
    inputMint,
    outputMint: WRAPPED_SOL_MINT,
    inputAccount: source,
    outputAccount: null,
    progress: { type: 'single', entry: { initial: HELD } },
  } as unknown as SealedOrder;
  const pool = { pool: other, authority: other, vaultA: other, vaultB: other, poolMint: other, feeAccount: other };
  const mints = { mintA: inputMint, mintB: WRAPPED_SOL_MINT, programA: TOKEN_PROGRAM, programB: TOKEN_PROGRAM };
  const ends = { authority: vault, source, destination: account, amountIn: HELD, minimumAmountOut: 1n };
  const lent = { payer: keeper, newAccount: account, base: vault, seed: 'a seed', owner: TOKEN_PROGRAM, space: 165 };
  const open = [
    systemCreateAccountWithSeed({ ...lent, lamports: rentExemptLamports(165) }),
    tokenInitializeAccount3({ account, mint: WRAPPED_SOL_MINT, owner: vault }),
  ];
  const trade = poolSwap({ accounts: { ...pool, ...mints }, aToB: true, ...ends });
  const unwrap = (destination: Address, from = account) =>
    tokenUnwrapLamports({ source: from, destination, authority: vault });
  const close = tokenCloseAccount({ account, destination: keeper, authority: vault });
  const check = (...instructions: Instruction[]) =>
    checkVault(
      { vault, wallet, keeper, order, programs: SANDBOX_PROGRAMS },
      { signers: [keeper, vault], feeLamports: 10_000n, instructions: [...open, ...instructions] },
    );
  // What is in the account before the trade is the keeper's own.
  check(unwrap(keeper), trade, unwrap(wallet), close);
  assert.throws(() => check(unwrap(keeper), trade, unwrap(keeper), close), /SOL goes elsewhere/);
  assert.throws(() => check(trade, unwrap(wallet), trade, unwrap(keeper), close), /SOL goes elsewhere/);
  assert.throws(() => check(unwrap(keeper, source), trade, unwrap(wallet), close), /SOL goes elsewhere/);
  assert.throws(() => check(unwrap(other), trade, unwrap(wallet), close), /SOL goes elsewhere/);
});
