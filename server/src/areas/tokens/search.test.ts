import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newAddress } from '@slipway/programs/testing';
import type { Address } from '@slipway/wire';
import type { ListedToken, TokenList } from '../../config/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import type { TokensDeps } from './deps.js';
import { registerSearch } from './search.js';

type Handler = (request: object) => Promise<unknown>;

it("attack: a free key searches for a hundred names of which the first finds all that may be found: the operator's list is gone through once", async () => {
  let looks = 0;
  class Counted extends Map<Address, ListedToken> {
    override values() {
      looks += 1;
      return super.values();
    }
  }
  const list = Array.from({ length: 30 }, (_, i) => ({ mint: newAddress(), symbol: `TOKEN${i}`, tags: [] }));
  const tokens: TokenList = new Counted(list.map((token) => [token.mint, token]));
  let handler: Handler = () => assert.fail('no route');
  const app = { get: (_: string, __: object, own: Handler) => (handler = own) } as unknown as TypedServer;
  const nothing = { query: async () => ({ rows: [] }), account: async () => undefined, by: () => nothing };
  registerSearch(app, { tokens, store: nothing, chain: nothing, shownUsd: () => undefined } as unknown as TokensDeps);
  const names = ['token', ...Array.from({ length: 99 }, (_, i) => `other${i}`)];
  await handler({ query: { query: names.join(',') }, charge: async () => undefined });
  assert.equal(looks, 1);
});
