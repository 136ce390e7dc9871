import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RUNS } from '../arbitraries.js';
import type { Instruction } from '../message.js';
import { associatedTokenAddress } from '../pda.js';
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM, MEMO_V1_PROGRAM } from '../programs.js';
import { createAssociatedTokenIdempotent, parseCreateAssociatedTokenIdempotent } from './associated-token.js';
import { anyValues, pairs } from './client-pairs.js';
import {
  parseComputeUnitLimit,
  parseComputeUnitPrice,
  setComputeUnitLimit,
  setComputeUnitPrice,
} from './compute-budget.js';
import { memo, parseMemo } from './memo.js';
import {
  parseSystemCreateAccountWithSeed,
  parseSystemTransfer,
  systemCreateAccountWithSeed,
  systemTransfer,
} from './system.js';
import {
  parseCloseAccount,
  parseInitializeAccount3,
  parseRevoke,
  parseSetCloseAuthority,
  parseSyncNative,
  parseTransferChecked,
  parseUnwrapLamports,
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenRevoke,
  tokenSetCloseAuthority,
  tokenSyncNative,
  tokenTransferChecked,
  tokenUnwrapLamports,
} from './token.js';

test('parsing gives back what was built', () => {
  fc.assert(
    fc.property(anyValues, ({ a, b, c, d, amount, space, decimals, units, seed, tokenProgram }) => {
      const transfer = { from: a, to: b, lamports: amount };
      assert.deepEqual(parseSystemTransfer(systemTransfer(transfer)), transfer);
      const checked = { source: a, mint: b, destination: c, authority: d, amount, decimals, tokenProgram };
      assert.deepEqual(parseTransferChecked(tokenTransferChecked(checked)), checked);
      const seeded = { payer: a, newAccount: b, base: c, seed, lamports: amount, space, owner: d };
      assert.deepEqual(parseSystemCreateAccountWithSeed(systemCreateAccountWithSeed(seeded)), seeded);
      const own = { ...seeded, base: a };
      assert.deepEqual(parseSystemCreateAccountWithSeed(systemCreateAccountWithSeed(own)), own);
      const account = { account: a, mint: b, owner: c, tokenProgram };
      assert.deepEqual(parseInitializeAccount3(tokenInitializeAccount3(account)), account);
      const close = { account: a, destination: b, authority: c, tokenProgram };
      assert.deepEqual(parseCloseAccount(tokenCloseAccount(close)), close);
      const unwrap = { source: a, destination: b, authority: c };
      assert.deepEqual(parseUnwrapLamports(tokenUnwrapLamports(unwrap)), unwrap);
      const named = { account: a, authority: b, closeAuthority: c, tokenProgram };
      assert.deepEqual(parseSetCloseAuthority(tokenSetCloseAuthority(named)), named);
      const revoked = { account: a, authority: b, tokenProgram };
      assert.deepEqual(parseRevoke(tokenRevoke(revoked)), revoked);
      assert.deepEqual(parseSyncNative(tokenSyncNative({ account: a })), { account: a });
      assert.equal(parseComputeUnitLimit(setComputeUnitLimit(units)), units);
      assert.equal(parseComputeUnitPrice(setComputeUnitPrice(amount)), amount);
      assert.equal(parseMemo(memo(seed)), seed);
      assert.equal(parseMemo({ ...memo(seed), program: MEMO_V1_PROGRAM }), seed);
      const create = { payer: a, owner: b, mint: c, tokenProgram };
      assert.deepEqual(parseCreateAssociatedTokenIdempotent(createAssociatedTokenIdempotent(create)), {
        ...create,
        account: associatedTokenAddress(b, c, tokenProgram),
      });
    }),
    RUNS,
  );
});

const parsers: Record<string, (instruction: Instruction) => unknown> = {
  systemCreateAccountWithSeed: parseSystemCreateAccountWithSeed,
  'systemCreateAccountWithSeed of the payer': parseSystemCreateAccountWithSeed,
  tokenCloseAccount: parseCloseAccount,
  tokenUnwrapLamports: parseUnwrapLamports,
  tokenSetCloseAuthority: parseSetCloseAuthority,
  tokenRevoke: parseRevoke,
  tokenSyncNative: parseSyncNative,
  tokenInitializeAccount3: parseInitializeAccount3,
  systemTransfer: parseSystemTransfer,
  tokenTransferChecked: parseTransferChecked,
  setComputeUnitLimit: parseComputeUnitLimit,
  setComputeUnitPrice: parseComputeUnitPrice,
  memo: parseMemo,
  createAssociatedTokenIdempotent: parseCreateAssociatedTokenIdempotent,
};

test('a parser knows its own instruction only: not another, not one of another program, not a shortened one', () => {
  fc.assert(
    fc.property(anyValues, (values) => {
      for (const [parserName, parse] of Object.entries(parsers)) {
        for (const [name, pair] of Object.entries(pairs)) {
          const [instruction] = pair(values);
          assert.equal(parse(instruction) !== undefined, parsers[name] === parse, `${parserName} on ${name}`);
        }
        const [own] = pairs[parserName]!(values);
        assert.equal(parse({ ...own, program: values.d }), undefined, parserName);
        if (own.accounts.length > 0) {
          assert.equal(parse({ ...own, accounts: own.accounts.slice(0, -1) }), undefined, parserName);
        }
        if (parse === parseMemo) continue;
        for (let length = 0; length < own.data.length; length++) {
          assert.equal(parse({ ...own, data: own.data.subarray(0, length) }), undefined, parserName);
        }
        assert.equal(parse({ ...own, data: Uint8Array.of(...own.data, 0) }), undefined, parserName);
      }
    }),
    { numRuns: 100 },
  );
});

test('a memo that is no UTF-8 is no text, and a byte order mark is part of one', () => {
  assert.equal(parseMemo({ program: MEMO_PROGRAM, accounts: [], data: Uint8Array.of(0xff, 0xfe) }), undefined);
  assert.equal(parseMemo(memo('\u{feff}a')), '\u{feff}a');
});

test('data that is a view into a larger buffer is read at its place', () => {
  const within = Uint8Array.of(9, 9, 9, ...setComputeUnitPrice(77n).data);
  const instruction = { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: within.subarray(3) };
  assert.equal(parseComputeUnitPrice(instruction), 77n);
});
