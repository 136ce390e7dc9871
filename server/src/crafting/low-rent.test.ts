import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillInstruction, ORDER_ENGINE_PROGRAM, readProgram, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { newAddress, succeeded, TestVm } from '@slipway/programs/testing';
import { type Address, SYSTEM_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import { Rent } from 'litesvm/dist/internal.js';
import { craftSwap, type Place, type Swap, temporaryWrappedSol } from './swap.js';

const SOL = 1_000_000_000n;
const AMOUNT = 5_000_000n;
const vm = new TestVm();
vm.addProgram(ORDER_ENGINE_PROGRAM, readProgram('order-engine'));
const mint = vm.mint();
vm.mint({ address: WRAPPED_SOL_MINT, decimals: 9 });

/** Sells or buys SOL with rent that another wallet lends; what both have more in the end, and whoever gets the SOL. */
function changes({ buys }: { buys: boolean }) {
  const rich = (lamports: bigint) => vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, lamports);
  const [taker, maker, lender, receiver] = [rich(SOL), rich(SOL), rich(SOL), rich(SOL)];
  const held = (owner: Address) => vm.tokenAccount({ mint, owner, amount: AMOUNT });
  const [own, makers] = [held(taker), held(maker)];
  const token = { mint, tokenProgram: TOKEN_PROGRAM };
  const sol = { mint: WRAPPED_SOL_MINT, tokenProgram: TOKEN_PROGRAM };
  const wrapped = temporaryWrappedSol(taker, 'a seed');
  const place: Place = { kind: 'token', account: own };
  const [input, output] = buys
    ? ([
        { ...token, place },
        { ...sol, place: wrapped },
      ] as const)
    : ([
        { ...sol, place: wrapped },
        { ...token, place },
      ] as const);
  const fill = fillInstruction({
    taker,
    maker,
    ...(buys
      ? { takerInputAccount: own, makerInputAccount: makers, takerOutputAccount: wrapped.account }
      : { takerInputAccount: wrapped.account, takerOutputAccount: own, makerOutputAccount: makers }),
    inputMint: input.mint,
    inputTokenProgram: TOKEN_PROGRAM,
    outputMint: output.mint,
    outputTokenProgram: TOKEN_PROGRAM,
    inputAmount: AMOUNT,
    outputAmount: AMOUNT,
    expireAt: 2n ** 40n,
  });
  const swap: Swap = {
    taker,
    receiver,
    feePayer: lender,
    rentPayer: lender,
    input: { ...input, amount: AMOUNT },
    output: { ...output, least: AMOUNT, create: false },
    trade: { instructions: [fill], extraSigners: [maker], lookupTables: [] },
    programs: { orderEngine: ORDER_ENGINE_PROGRAM, tokenSwap: TOKEN_SWAP_PROGRAM },
  };
  const { instructions } = craftSwap(swap, newAddress(), { computeUnitLimit: 200_000, computeUnitPrice: 0n });
  succeeded(vm.run(...instructions));
  return { lender: vm.lamports(lender) - SOL, taker: vm.lamports(taker) - SOL, receiver: vm.lamports(receiver) - SOL };
}

test('attack: a wallet whose gas is paid for trades SOL where the chain has lowered its rent: all that was lent goes back', (t) => {
  t.after(() => vm.svm.setRent(Rent.default()));
  for (const lamportsPerByte of [6_960n, 6_333n, 5_080n, 2_575n, 1_322n, 696n]) {
    vm.svm.setRent(new Rent(lamportsPerByte, 1, 50));
    const bought = changes({ buys: true });
    assert.deepEqual(bought, { lender: 0n, taker: 0n, receiver: AMOUNT }, `${lamportsPerByte} lamports a byte`);
    const sold = changes({ buys: false });
    assert.deepEqual(sold, { lender: 0n, taker: -AMOUNT, receiver: 0n }, `${lamportsPerByte} lamports a byte`);
  }
});
