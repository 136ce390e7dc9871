import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, SOL } from '@slipway/client';
import { type Token, tokenOf } from './mcp-tools.js';

const OTHER = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN';

const find = (name: string, ...found: Partial<Token>[]) =>
  tokenOf({ api: { get: async () => found } } as unknown as Client, name);

test('attack: a lying service says that SOL is something else, or has more decimals, so that limits in it mean more: refused', async () => {
  assert.equal((await find('SOL', { id: SOL, symbol: 'SOL', decimals: 9 })).id, SOL);
  assert.equal((await find('JUP', { id: OTHER, symbol: 'JUP', decimals: 6 })).id, OTHER);
  await assert.rejects(find('SOL', { id: SOL, symbol: 'SOL', decimals: 12 }), /which is not SOL/);
  await assert.rejects(find(SOL, { id: SOL, symbol: 'SOL', decimals: 12 }), /which is not SOL/);
  await assert.rejects(find('sol', { id: OTHER, symbol: 'SOL', decimals: 9 }), /which is not SOL/);
});

test('attack: a lying service gives another token for a mint than was asked for: none is found', async () => {
  await assert.rejects(find(OTHER, { id: SOL, symbol: 'SOL', decimals: 9 }), /no token is called/);
});
