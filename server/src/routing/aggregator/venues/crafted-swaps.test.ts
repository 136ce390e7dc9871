import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ORDER_ENGINE_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import { type Address, generateKeypair, type Instruction } from '@slipway/wire';
import { craftSwap, type Swap } from '../../../crafting/swap.js';
import { CraftCheckFailed } from '../../../crafting/transaction.js';
import type { PoolState, SwapAccounts } from '../venue.js';
import { openFrom } from './testing/lab.js';
import { accountsOf, type RecordedTrade, readRecorded } from './testing/recorded.js';
import { TESTED_VENUES } from './testing/venues.js';

const newAddress = () => generateKeypair().address;
const BUDGET = { computeUnitLimit: 200_000, computeUnitPrice: 1_000n };
const LEAST = 1_000n;

/** A swap of the pool's two tokens by one instruction of the venue, without the router program. */
function swapOf(state: PoolState, { from, offered, parties }: RecordedTrade, instruction: Instruction): Swap {
  const [input, output] = from === 0 ? state.tokens : ([state.tokens[1], state.tokens[0]] as const);
  const place = (account: Address) => ({ kind: 'token' as const, account });
  return {
    taker: parties.owner,
    receiver: parties.owner,
    feePayer: parties.owner,
    rentPayer: parties.owner,
    input: { ...input, place: place(parties.source), amount: BigInt(offered) },
    output: { ...output, place: place(parties.destination), least: LEAST, create: false },
    trade: { instructions: [instruction], extraSigners: [], lookupTables: [] },
    programs: { orderEngine: ORDER_ENGINE_PROGRAM, tokenSwap: TOKEN_SWAP_PROGRAM },
  };
}

for (const { name, venue } of TESTED_VENUES) {
  describe(`a crafted swap by one instruction of ${venue.label}`, () => {
    const trade = readRecorded(name).trades.find(({ done }) => done)!;
    const accounts = accountsOf(trade);
    const { state } = openFrom(venue, trade.pool, (address) => accounts.get(address));
    const craft = (change: Partial<SwapAccounts> = {}, edit = (instruction: Instruction) => instruction) => {
      if (typeof state === 'string') assert.fail(state);
      const asked = { ...trade.parties, amountIn: BigInt(trade.offered), minOut: LEAST };
      const instruction = edit(state.swap(trade.from, { ...asked, ...change }));
      return craftSwap(swapOf(state, trade, instruction), newAddress(), BUDGET);
    };

    it('is understood', () => {
      assert.equal(craft().instructions.at(-1)!.program, venue.program);
    });

    it('is refused where it does anything but what was asked', () => {
      const lessOut = { minOut: LEAST - 1n };
      const moreIn = { amountIn: BigInt(trade.offered) + 1n };
      for (const change of [lessOut, moreIn, { source: newAddress() }, { destination: newAddress() }])
        assert.throws(() => craft(change), CraftCheckFailed);
      assert.throws(() => craft({ owner: newAddress() }), CraftCheckFailed);
    });

    it('is refused where the instruction is another one, or has more behind it', () => {
      const edits: ((data: Uint8Array) => Uint8Array)[] = [
        (data) => Buffer.concat([Buffer.from([data[0]! ^ 1]), data.subarray(1)]),
        (data) => Buffer.concat([data, Buffer.alloc(1)]),
        (data) => data.subarray(0, -1),
      ];
      for (const edit of edits)
        assert.throws(
          () => craft({}, (made) => ({ ...made, data: new Uint8Array(edit(made.data)) })),
          CraftCheckFailed,
        );
    });
  });
}
