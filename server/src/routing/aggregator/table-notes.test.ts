import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTER_PROGRAM } from '@slipway/programs';
import { newAddress, randomNumbers } from '@slipway/programs/testing';
import type { Address, LookupTable } from '@slipway/wire';
import type { QuoteRequest, Surroundings } from '../router.js';
import { createMarket } from './market.js';
import { search } from './search.js';
import { createSizing } from './size.js';
import type { TableBook } from './table-book.js';
import { TableNotes } from './table-notes.js';
import { tableFor } from './table-wish.js';
import { Lab } from './venues/testing/lab.js';
import { writeStock, writeTokens } from './venues/testing/stock.js';

const TURN_MS = 10_000;
const HONEST_MS = 10;
const [A, B] = [newAddress(), newAddress()];

/** Notes on a clock that goes on by itself only while something is looked into. */
function openNotes(costOf: (pair: string) => number) {
  let now = 0;
  let lookedMs = 0;
  const wished: string[] = [];
  const book = {
    takesWishes: true,
    tell: async (wishes) => void wished.push(...wishes.map(({ pair }) => pair)),
  } as Partial<TableBook> as TableBook;
  const nameOf = ({ input, output }: QuoteRequest) => `${input.mint} ${output.mint}`;
  const notes = new TableNotes({
    book,
    steadyNow: () => now,
    *wishOf(request) {
      const cost = costOf(nameOf(request)) / 2;
      for (let step = 0; step < 2; step++) {
        if (step > 0) yield;
        now += cost;
        lookedMs += cost;
      }
      return [A];
    },
  });
  const ask = (from: string, to: string = B) =>
    notes.asked({ mode: 'exact-in', input: { mint: from }, output: { mint: to } } as QuoteRequest);
  /** One of the timer's, and what was wished for in it. */
  async function turn(): Promise<string[]> {
    now += TURN_MS;
    wished.length = 0;
    await notes.tell();
    return [...wished];
  }
  return { ask, turn, looked: () => lookedMs, passed: () => now };
}

test('attack: a free key asks for ever more pairs that are slow to look into, over and over: that is 2 % of the time, and another pair has its turn within minutes', async () => {
  const honest = `${A} ${B}`;
  const notes = openNotes((pair) => (pair === honest ? HONEST_MS : 150));
  const attack = () => {
    for (let i = 0; i < 500 * 2; i++) notes.ask(`slow ${i % 500}`);
  };
  attack();
  await notes.turn();
  let turns = 0;
  for (let met: string[] = []; !met.includes(honest); turns++) {
    assert.ok(turns < 60, 'it has no turn within ten minutes');
    notes.ask(A);
    attack();
    met = await notes.turn();
  }
  for (let i = 0; i < 100; i++) {
    attack();
    await notes.turn();
  }
  const share = notes.looked() / notes.passed();
  assert.ok(share < 0.022, `${share} of all time`);
});

test('looks into as many quick pairs as there is time for, and into the others in the turn after', async () => {
  const notes = openNotes(() => HONEST_MS);
  for (let i = 0; i < 30; i++) notes.ask(`quick ${i}`);
  const [first, second] = [await notes.turn(), await notes.turn()];
  assert.ok(first.length >= 20 && first.length < 30, `${first.length} in one turn`);
  assert.equal(new Set([...first, ...second]).size, 30);
});

/** Four tokens in a row with as many pools between two each, and a trade over all of them beside what takes much room. */
function openRow(count: number, others: number, tables: readonly LookupTable[] = []) {
  const lab = new Lab();
  const tokens = writeTokens(lab, 4);
  const random = randomNumbers(3);
  const pools = tokens.slice(1).flatMap((token, i) => writeStock(lab, random, [tokens[i]!, token], { count }));
  const owner = newAddress();
  const accounts = Array.from({ length: others }, () => ({ address: newAddress(), signer: false, writable: true }));
  const surroundings: Surroundings = {
    owner,
    receiver: owner,
    feePayer: owner,
    rentPayer: owner,
    inFull: [],
    instructions: [{ program: newAddress(), accounts, data: new Uint8Array(100) }],
  };
  const request: QuoteRequest = {
    mode: 'exact-in',
    input: tokens[0]!,
    output: tokens[3]!,
    amount: 10n ** 9n,
    excludeVenues: new Set(),
    surroundings,
  };
  let asked = 0;
  const builder = {
    router: ROUTER_PROGRAM,
    lookupTables: () => tables,
    used: () => {},
    tokenOf(mint: Address) {
      asked += 1;
      return tokens.find((token) => token.mint === mint)!;
    },
  };
  const room = createSizing(builder)(request);
  const options = { market: createMarket(pools), request, now: 0, routed: true, maxPools: 5, room };
  // Each plan that is built asks for the two tokens between its steps.
  return { options, builder, built: () => asked / 2 };
}

test('attack: a free key asks for a trade of which nothing fits, not even with a lookup table: the search for one ends after some dozens of plans', () => {
  const { options, builder, built } = openRow(5, 22);
  const steps = tableFor(options, builder);
  while (!steps.next().done);
  assert.ok(built() > 20 && built() <= 121, `${built()} plans`);
});

test('attack: a free key asks for a trade of which nothing fits, where there are so many lookup tables that this is not told by weight: the search ends after some dozens of plans', () => {
  const tables = Array.from({ length: 60 }, () => ({ address: newAddress(), addresses: [newAddress()] }));
  const { options, built } = openRow(8, 20, tables);
  assert.equal(search(options), undefined);
  assert.ok(built() > 20 && built() <= 161, `${built()} plans`);
});
