import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkTransfer } from '@slipway/checks';
import {
  type Address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  generateKeypair,
  type Instruction,
  MAX_TRANSACTION_SIZE,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenTransferChecked,
} from '@slipway/wire';
import { checkReclaim, craftReclaim, MAX_CLOSINGS, type Reclaim } from './reclaim.js';
import { CraftCheckFailed, TransactionTooLarge } from './transaction.js';
import { craftTransfer, type Transfer } from './transfer.js';

const newAddress = (): Address => generateKeypair().address;
const blockhash = newAddress();
const budget = { computeUnitLimit: 50_000, computeUnitPrice: 7n };
const [sender, receiver, mint, thief] = [newAddress(), newAddress(), newAddress(), newAddress()] as const;
const source = associatedTokenAddress(sender, mint);
const destination = associatedTokenAddress(receiver, mint);

const native: Transfer = { kind: 'native', sender, receiver, amount: 5n };
const token: Transfer = {
  kind: 'token',
  sender,
  source,
  destination,
  createFor: receiver,
  mint,
  tokenProgram: TOKEN_PROGRAM,
  decimals: 6,
  amount: 5n,
};
const limits = [setComputeUnitLimit(budget.computeUnitLimit), setComputeUnitPrice(budget.computeUnitPrice)];

it('a transfer of anything else than was asked is not handed out', () => {
  const sol = systemTransfer({ from: sender, to: receiver, lamports: 5n });
  const create = createAssociatedTokenIdempotent({ payer: sender, owner: receiver, mint });
  const moved = { source, mint, destination, authority: sender, amount: 5n, decimals: 6 };
  const move = tokenTransferChecked(moved);
  const wrong: [Transfer, Address[], Instruction[]][] = [
    [native, [sender], [...limits]],
    [native, [sender], [...limits, sol, sol]],
    [native, [sender], [...limits, systemTransfer({ from: sender, to: receiver, lamports: 6n })]],
    [native, [sender], [...limits, systemTransfer({ from: sender, to: thief, lamports: 5n })]],
    [native, [sender], [...limits, sol, systemTransfer({ from: sender, to: thief, lamports: 1n })]],
    [native, [sender], [...limits, sol, move]],
    [native, [sender, thief], [...limits, sol]],
    [native, [thief], [...limits, sol]],
    [native, [sender], [setComputeUnitLimit(1), limits[1]!, sol]],
    [native, [sender], [limits[0]!, setComputeUnitPrice(8n), sol]],
    [token, [sender], [...limits, create]],
    [token, [sender], [...limits, move]],
    [token, [sender], [...limits, create, create, move]],
    [token, [sender], [...limits, create, move, sol]],
    [
      token,
      [sender],
      [...limits, create, move, tokenCloseAccount({ account: source, destination: thief, authority: sender })],
    ],
    [token, [sender], [...limits, createAssociatedTokenIdempotent({ payer: sender, owner: thief, mint }), move]],
    [token, [sender], [...limits, createAssociatedTokenIdempotent({ payer: thief, owner: receiver, mint }), move]],
    ...[
      { source: thief },
      { destination: thief },
      { authority: thief },
      { mint: thief },
      { amount: 6n },
      { decimals: 9 },
      { tokenProgram: TOKEN_2022_PROGRAM },
    ].map((changes): [Transfer, Address[], Instruction[]] => [
      token,
      [sender],
      [...limits, create, tokenTransferChecked({ ...moved, ...changes })],
    ]),
  ];
  for (const [index, [transfer, signers, instructions]] of wrong.entries()) {
    assert.throws(() => checkTransfer({ signers, instructions }, transfer, budget), CraftCheckFailed, `${index}`);
  }
  checkTransfer({ signers: [sender], instructions: [...limits, sol] }, native, budget);
  checkTransfer({ signers: [sender], instructions: [...limits, create, move] }, token, budget);
  for (const transfer of [native, token]) {
    const crafted = craftTransfer(transfer, blockhash, budget);
    assert.deepEqual(crafted.signers, [sender]);
    assert.deepEqual(craftTransfer(transfer, blockhash, budget).wire, crafted.wire);
  }
});

it('a closing of anything else than was asked is not handed out', () => {
  const [account, other] = [newAddress(), newAddress()];
  const reclaim: Reclaim = { owner: sender, closings: [{ account, tokenProgram: TOKEN_PROGRAM }] };
  const close = (changes: object = {}) =>
    tokenCloseAccount({ account, destination: sender, authority: sender, ...changes });
  const wrong: [Address[], Instruction[]][] = [
    [[sender], [...limits]],
    [[sender], [...limits, close(), close()]],
    [[sender], [...limits, close({ account: other })]],
    [[sender], [...limits, close(), close({ account: other })]],
    [[sender], [...limits, close({ destination: thief })]],
    [[sender], [...limits, close({ authority: thief })]],
    [[sender], [...limits, close({ tokenProgram: TOKEN_2022_PROGRAM })]],
    [[sender], [...limits, close(), systemTransfer({ from: sender, to: thief, lamports: 1n })]],
    [
      [sender, thief],
      [...limits, close()],
    ],
    [[sender], [limits[0]!, close()]],
  ];
  for (const [index, [signers, instructions]] of wrong.entries()) {
    assert.throws(() => checkReclaim({ signers, instructions }, reclaim, budget), CraftCheckFailed, `${index}`);
  }
  checkReclaim({ signers: [sender], instructions: [...limits, close()] }, reclaim, budget);
});

it('as many closings as are put into a transaction fit, of both token programs, and one more does not', () => {
  const closings = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      account: newAddress(),
      tokenProgram: index % 2 === 0 ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM,
    }));
  const { wire } = craftReclaim({ owner: sender, closings: closings(MAX_CLOSINGS) }, blockhash, budget);
  assert.ok(wire.length <= MAX_TRANSACTION_SIZE);
  assert.throws(
    () => craftReclaim({ owner: sender, closings: closings(MAX_CLOSINGS + 1) }, blockhash, budget),
    TransactionTooLarge,
  );
});
