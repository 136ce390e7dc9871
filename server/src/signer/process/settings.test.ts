import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { routeInstruction } from '@slipway/programs';
import { type Address, generateKeypair, TOKEN_PROGRAM, tokenTransferChecked } from '@slipway/wire';
import { SANDBOX_PROGRAMS } from '../cosign.js';
import { readTrade } from '../policies/trade.js';
import { readSignerSettings } from './settings.js';

/** Reads settings with one caller of these roles. */
function reader(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-settings-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'slipway.signer.json');
  return (roles: string[], more: object = {}) => {
    writeFileSync(
      path,
      JSON.stringify({ file: 'signer.json', callers: { one: { roles, socket: 'one.sock' } }, ...more }),
    );
    return readSignerSettings(path);
  };
}

test('attack: a copy that was broken into has a vault trade by a program of his at the address of the sandboxes’ router, whose key everybody has: only the signer of a sandbox knows that one', async (t) => {
  const read = reader(t);
  const [vault, source, destination, mint] = Array.from({ length: 4 }, () => generateKeypair().address) as [
    Address,
    Address,
    Address,
    Address,
  ];
  const transfer = {
    source,
    destination,
    authority: vault,
    mint,
    amount: 0n,
    decimals: 6,
    tokenProgram: TOKEN_PROGRAM,
  };
  const hop = { ...tokenTransferChecked(transfer), amountOffset: 1, from: source, to: destination, shareBps: 10_000 };
  const route = routeInstruction({ taker: vault, source, destination, amountIn: 5n, minOut: 1n, hops: [hop] });
  const tradeOf = async (roles: string[], more = {}) => readTrade(route, vault, (await read(roles, more)).programs);
  assert.equal(await tradeOf(['keeper']), undefined);
  assert.deepEqual(await tradeOf(['keeper', 'sandbox']), {
    source,
    destination,
    most: 5n,
    least: 1n,
    takesAll: true,
    left: [],
  });
  const { router: _, ...others } = SANDBOX_PROGRAMS;
  assert.equal(await tradeOf(['keeper'], { programs: others }), undefined);
  assert.deepEqual({ ...(await read(['keeper'])).programs }, { ...others, router: undefined });
});

test('a signer whose callers have logins must be told which service it is', async (t) => {
  const read = reader(t);
  await assert.rejects(
    read(['keeper', 'api']),
    /publicUrl: expected that of the service, because one has the role api/,
  );
  for (const publicUrl of ['api.example.com', 'https://', 'https://a b'])
    await assert.rejects(read(['api'], { publicUrl }), /publicUrl/, publicUrl);
  assert.equal((await read(['keeper'])).service, undefined);
  const { service } = await read(['api'], { publicUrl: 'https://api.example.com/x' });
  assert.match(service!.challengePrefix(), /at api\.example\.com that you are the owner of$/);
  assert.deepEqual([service!.host(), service!.maxUnsignedSlippageBps], ['api.example.com', 2_000]);
  const own = await read(['api'], {
    publicUrl: 'https://a.example',
    challengePrefix: 'Log in',
    maxUnsignedSlippageBps: 5,
  });
  assert.deepEqual([own.service!.challengePrefix(), own.service!.maxUnsignedSlippageBps], ['Log in', 5]);
});
