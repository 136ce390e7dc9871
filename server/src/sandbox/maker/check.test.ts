import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Fill, fillInstruction, ORDER_ENGINE_PROGRAM } from '@slipway/programs';
import {
  type Address,
  address,
  associatedTokenAddress,
  compileMessage,
  createAssociatedTokenIdempotent,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  type Instruction,
  readonlyAccount,
  SYSTEM_PROGRAM,
  setComputeUnitLimit,
  setComputeUnitPrice,
  sign,
  systemTransfer,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenSyncNative,
  tokenTransferChecked,
  unsignedTransaction,
  WRAPPED_SOL_MINT,
  withSignature,
  writableAccount,
  writableSigner,
} from '@slipway/wire';
import { isObjection, readForSigning, type Terms } from './check.js';

const [taker, maker, stranger] = [generateKeypair(), generateKeypair(), generateKeypair()];
const mint = generateKeypair().address;
const blockhash = generateKeypair().address;
const LIGHTHOUSE = address('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95');
const account = (owner: Address, of = mint) => associatedTokenAddress(owner, of);

const terms: Terms = {
  taker: taker.address,
  maker: maker.address,
  inputMint: WRAPPED_SOL_MINT,
  outputMint: mint,
  inAmount: 1_000n,
  outAmount: 2_000n,
  notBefore: 1_000,
  notAfter: 1_060,
  orderEngine: ORDER_ENGINE_PROGRAM,
  makerInput: account(maker.address, WRAPPED_SOL_MINT),
  makerOutput: account(maker.address),
};
const quoted: Fill = {
  taker: taker.address,
  maker: maker.address,
  inputMint: WRAPPED_SOL_MINT,
  outputMint: mint,
  inputTokenProgram: TOKEN_PROGRAM,
  outputTokenProgram: TOKEN_PROGRAM,
  inputAmount: 1_000n,
  outputAmount: 2_000n,
  makerInputAccount: terms.makerInput,
  makerOutputAccount: terms.makerOutput,
  takerOutputAccount: account(taker.address),
  expireAt: 1_055n,
};
const budget = [setComputeUnitLimit(60_000), setComputeUnitPrice(1_000n)];
const fill = (changes: Partial<Fill> = {}) => fillInstruction({ ...quoted, ...changes });

function read(
  instructions: Instruction[],
  changes: { feePayer?: Address; signers?: Address[]; by?: typeof taker } = {},
) {
  const { feePayer = maker.address, signers = [taker.address], by = taker } = changes;
  const message = compileMessage({ version: 0, feePayer, signers, instructions, blockhash });
  const unsigned = decodeTransaction(unsignedTransaction(message));
  const signed = withSignature(unsigned, taker.address, sign(by, message));
  return readForSigning(encodeTransaction(signed), terms);
}

const taken = (result: ReturnType<typeof read>) => assert.ok(!isObjection(result), JSON.stringify(result));

describe('what the sandbox maker signs', () => {
  test('the fill that it has quoted, with what the taker can do alone around it', () => {
    taken(read([...budget, fill()]));
    const { address: owner } = taker;
    taken(
      read([
        ...budget,
        createAssociatedTokenIdempotent({ payer: owner, owner, mint }),
        systemTransfer({ from: owner, to: stranger.address, lamports: 5n }),
        tokenSyncNative({ account: account(stranger.address, WRAPPED_SOL_MINT) }),
        fill(),
        tokenTransferChecked({
          source: account(owner),
          mint,
          destination: account(stranger.address),
          authority: owner,
          amount: 7n,
          decimals: 6,
        }),
        tokenCloseAccount({ account: account(owner), destination: owner, authority: owner }),
        ...[5, 6, 9, 10].map((kind) => ({
          program: LIGHTHOUSE,
          accounts: [readonlyAccount(mint)],
          data: Uint8Array.of(kind, 1),
        })),
      ]),
    );
  });

  const { address: makers } = maker;
  const refused: [string, () => ReturnType<typeof read>][] = [
    ['more output', () => read([...budget, fill({ outputAmount: 2_001n })])],
    ['less input', () => read([...budget, fill({ inputAmount: 999n })])],
    ['another output mint', () => read([...budget, fill({ outputMint: stranger.address })])],
    ['another input mint', () => read([...budget, fill({ inputMint: stranger.address })])],
    ['the maker’s own SOL for the input', () => read([...budget, fill({ makerInputAccount: undefined! })])],
    ['another account of the maker', () => read([...budget, fill({ makerOutputAccount: stranger.address })])],
    ['another taker', () => read([...budget, fill({ taker: stranger.address })])],
    ['an expiry that is too late', () => read([...budget, fill({ expireAt: 1_061n })])],
    ['an expiry before the quote', () => read([...budget, fill({ expireAt: 999n })])],
    ['an expiry that no number holds', () => read([...budget, fill({ expireAt: 2n ** 62n })])],
    ['no fill', () => read(budget)],
    ['two fills', () => read([...budget, fill(), fill()])],
    ['a fill of another program', () => read([...budget, fillInstruction(quoted, stranger.address)])],
    ['no compute unit limit', () => read([budget[1]!, fill()])],
    ['no compute unit price', () => read([budget[0]!, fill()])],
    ['a price set twice', () => read([...budget, budget[1]!, fill()])],
    ['a fee beyond bounds', () => read([budget[0]!, setComputeUnitPrice(17_000_000n), fill()])],
    ['another fee payer', () => read([...budget, fill()], { feePayer: taker.address, signers: [] })],
    [
      'the taker as third signer',
      () =>
        read([...budget, systemTransfer({ from: stranger.address, to: mint, lamports: 1n }), fill()], {
          signers: [stranger.address],
        }),
    ],
    [
      'a transfer of the maker’s SOL',
      () => read([...budget, systemTransfer({ from: makers, to: mint, lamports: 1n }), fill()]),
    ],
    [
      'a transfer of the maker’s tokens',
      () =>
        read([
          ...budget,
          fill(),
          tokenTransferChecked({
            source: account(makers),
            mint,
            destination: account(stranger.address),
            authority: makers,
            amount: 1n,
            decimals: 6,
          }),
        ]),
    ],
    [
      'an account that the maker pays for',
      () => read([...budget, createAssociatedTokenIdempotent({ payer: makers, owner: taker.address, mint }), fill()]),
    ],
    [
      'closing an account of the maker',
      () =>
        read([
          ...budget,
          fill(),
          tokenCloseAccount({ account: account(makers), destination: mint, authority: makers }),
        ]),
    ],
    [
      'an instruction of a program that is not known',
      () => read([...budget, fill(), { program: stranger.address, accounts: [], data: Uint8Array.of(1) }]),
    ],
    [
      'an instruction of Lighthouse that can write',
      () => read([...budget, fill(), { program: LIGHTHOUSE, accounts: [], data: Uint8Array.of(0) }]),
    ],
    [
      'an assertion of Lighthouse that gets the maker’s signature',
      () =>
        read([...budget, fill(), { program: LIGHTHOUSE, accounts: [writableSigner(makers)], data: Uint8Array.of(5) }]),
    ],
    [
      'another instruction of the System program',
      () =>
        read([
          ...budget,
          fill(),
          { program: SYSTEM_PROGRAM, accounts: [writableAccount(mint)], data: Uint8Array.of(1, 0, 0, 0) },
        ]),
    ],
    [
      'an approval of the taker’s tokens',
      () =>
        read([
          ...budget,
          fill(),
          {
            program: TOKEN_PROGRAM,
            accounts: [writableAccount(account(taker.address)), readonlyAccount(mint), writableSigner(taker.address)],
            data: Uint8Array.of(4, 1, 0, 0, 0, 0, 0, 0, 0),
          },
        ]),
    ],
    ['garbage', () => readForSigning(Buffer.from('garbage'), terms)],
  ];
  for (const [what, attempt] of refused) {
    test(`not: ${what}`, () => {
      const result = attempt();
      assert.ok(isObjection(result), 'it was signed');
      assert.equal(result.about, 'payload');
    });
  }

  test('not: what the taker has not signed', () => {
    const result = read([...budget, fill()], { by: stranger });
    assert.ok(isObjection(result) && result.about === 'signature');
  });
});
