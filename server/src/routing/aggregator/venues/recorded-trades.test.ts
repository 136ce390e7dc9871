import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseVenueSwap } from '@slipway/checks';
import { type Address, addressFromBytes } from '@slipway/wire';
import type { PoolState } from '../venue.js';
import { openFrom } from './testing/lab.js';
import { accountsOf, type RecordedTrade, readRecorded, writtenInstruction } from './testing/recorded.js';
import { TESTED_VENUES, type TestedVenue } from './testing/venues.js';

/** No fee moves further: both programs that move theirs stop at 10 %. */
const MOST_MOVED = 0.1;

function open({ venue }: TestedVenue, trade: RecordedTrade, accounts = accountsOf(trade)): PoolState | string {
  return openFrom(venue, trade.pool, (address) => accounts.get(address)).state;
}

function opened(tested: TestedVenue, trade: RecordedTrade): PoolState {
  const state = open(tested, trade);
  if (typeof state === 'string') assert.fail(state);
  return state;
}

/** Of the accounts that a venue reads, those that are its program's: hostile bytes can only be in these. */
const ownAccounts = (tested: TestedVenue, { accounts }: RecordedTrade): Address[] =>
  Object.entries(accounts).flatMap(([address, [owner]]) =>
    owner === tested.venue.program ? [address as Address] : [],
  );

for (const tested of TESTED_VENUES) {
  const { trades } = readRecorded(tested.name);

  describe(`recorded trades of ${tested.venue.label}`, () => {
    it('are quoted as they were executed, or refused', () => {
      assert.ok(trades.filter(({ done }) => done).length >= 20);
      for (const trade of trades) {
        const quoted = opened(tested, trade).quote(trade.from, BigInt(trade.offered));
        const promised = quoted ? { paid: `${quoted.paid}`, received: `${quoted.received}` } : null;
        assert.deepEqual(promised, trade.done, `pool ${trade.pool}`);
      }
    });

    it('have the instruction that was executed, to the byte, and it says what it moves', () => {
      for (const trade of trades) {
        const amountIn = BigInt(trade.offered);
        const instruction = opened(tested, trade).swap(trade.from, { ...trade.parties, amountIn, minOut: 0n });
        assert.equal(instruction.program, tested.venue.program);
        assert.deepEqual(writtenInstruction(instruction), trade.instruction);
        assert.equal(Buffer.from(instruction.data).readBigUInt64LE(tested.venue.amountOffset), amountIn);
        const { owner, ...accounts } = trade.parties;
        const expected = { authority: owner, ...accounts, amountIn, minimumAmountOut: 0n };
        const { vaults, takesAll, ...read } = parseVenueSwap(instruction)!;
        assert.deepEqual(read, expected);
        const { tokens } = opened(tested, trade);
        assert.deepEqual(new Set(vaults), new Set(tokens.map(({ vault }) => vault)));
        assert.ok(!takesAll || !trade.done || trade.done.paid === trade.offered, `pool ${trade.pool}`);
      }
    });

    it('are of pools that name their mints where they are looked for', () => {
      for (const trade of trades) {
        const { data } = accountsOf(trade).get(trade.pool)!;
        const { mintOffsets } = tested.venue;
        const mints = opened(tested, trade).tokens.map(({ mint }) => mint);
        assert.deepEqual(
          mintOffsets.map((at) => addressFromBytes(data, at)),
          mints.slice(0, mintOffsets.length),
        );
      }
    });

    it('are roughly what is estimated, both ways', () => {
      for (const trade of trades) {
        const [paid, received] = [Number(trade.done?.paid ?? 0), Number(trade.done?.received ?? 0)];
        // Rounding matters most for small amounts.
        if (received < 1e6 || paid < 1e6) continue;
        const state = opened(tested, trade);
        const out = state.estimateOut(trade.from, paid);
        // A fee that rises on the way takes a little more at the end than is estimated.
        const isAtEnd = state.estimateOut(trade.from, paid * 0.99) > 0 || tested.feeMoves;
        if (out === 0 && isAtEnd && state.estimateIn(trade.from, received * 1.01) === Number.POSITIVE_INFINITY)
          continue;
        assert.ok(Math.abs(out / received - 1) < 0.01, `${out} for ${received} of pool ${trade.pool}`);
        // What empties a pool may be any amount.
        const isEmptied = received > 0.9 * state.reserves[trade.from === 0 ? 1 : 0];
        if (isEmptied || trade.done!.paid !== trade.offered) continue;
        const into = state.estimateIn(trade.from, received);
        assert.ok(Math.abs(into / paid - 1) < 0.01, `${into} for ${paid} of pool ${trade.pool}`);
      }
    });

    it('name a fee that is the share which the pool says', () => {
      for (const trade of trades) {
        const state = opened(tested, trade);
        const quoted = state.quote(trade.from, BigInt(trade.offered));
        // Of a part that was filled, or of small amounts, it is rounded.
        if (!quoted || quoted.paid < 1_000_000n || quoted.received < 1_000_000n) continue;
        const share = Number(quoted.fee) / Number(quoted.paid);
        assert.ok(
          Math.abs(share - state.feeShare) < (tested.feeMoves ? MOST_MOVED : 1e-4),
          `${share} for ${state.feeShare} of pool ${trade.pool}`,
        );
      }
    });

    it('are no pools when an account is cut off, of another kind, or of another program', () => {
      const trade = trades[0]!;
      for (const address of ownAccounts(tested, trade)) {
        const { data, owner } = accountsOf(trade).get(address)!;
        const changed = [
          ...[0, 7, 8, 100, data.length - 1].map((length) => ({ owner, data: data.subarray(0, length) })),
          { owner, data: Buffer.concat([data, Buffer.alloc(1)]) },
          { owner, data: Buffer.concat([Buffer.alloc(8), data.subarray(8)]) },
          { owner: trade.parties.owner, data },
        ];
        for (const other of changed) {
          const accounts = accountsOf(trade);
          accounts.set(address, { ...other, lamports: 1n, executable: false });
          assert.equal(typeof open(tested, trade, accounts), 'string', `${other.data.length} bytes of ${address}`);
        }
      }
    });

    it('never make anything throw, whatever bytes are in their accounts', () => {
      let seed = 1;
      const random = (below: number) => {
        seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
        return (seed >>> 8) % below;
      };
      for (let round = 0; round < 2_000; round++) {
        const trade = trades[random(trades.length)]!;
        const accounts = accountsOf(trade);
        const addresses = ownAccounts(tested, trade);
        const { data } = accounts.get(addresses[random(addresses.length)]!)!;
        for (let i = 0; i <= random(4); i++) {
          const at = 8 + random(data.length - 8);
          data.subarray(at, at + 1 + random(16)).fill([0, 255, random(256)][random(3)]!);
        }
        const state = open(tested, trade, accounts);
        if (typeof state === 'string') continue;
        for (const from of [0, 1] as const) {
          state.quote(from, BigInt(trade.offered));
          for (const rough of [state.price(from), state.estimateOut(from, 1e9), state.estimateIn(from, 1e9)])
            assert.equal(typeof rough, 'number');
        }
      }
    });
  });
}
