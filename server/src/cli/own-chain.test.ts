import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { generateKeypair, systemTransfer } from '@slipway/wire';
import type { Config } from '../config/index.js';
import { FEES, openWorld, signedBy } from '../landing/testing.js';
import { withChain } from './own-chain.js';

it('attack: a node refuses once what it has taken of an operator who moves money: that is no failure, after which he moves it again', async (t) => {
  const world = await openWorld();
  t.after(() => world.close());
  let lies = 1;
  const node = createServer(async (request, response) => {
    const asked: Buffer[] = [];
    for await (const part of request) asked.push(part);
    const { id, method, params } = JSON.parse(`${Buffer.concat(asked)}`);
    const result = await world.rpc.call(method, params);
    const refused = { code: -32002, message: 'Transaction simulation failed' };
    const isLie = method === 'sendTransaction' && lies-- > 0;
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(isLie ? { error: refused } : { result }) }));
  });
  await new Promise<void>((done) => node.listen(0, '127.0.0.1', done));
  t.after(() => node.close());
  const { port } = node.address() as AddressInfo;
  const chain = { kind: 'outside', rpcUrl: `http://127.0.0.1:${port}`, sendUrls: [] };
  const fees = { percentile: FEES.percentile, maxMicroLamports: 1_000_000 };
  const [payer, payee] = [await world.wallet(1_000_000_000), generateKeypair().address];
  const { event } = await withChain({ chain, fees } as unknown as Config, async (own) => {
    const { blockhash, lastValidBlockHeight } = await own.chain.latestBlockhash();
    const transfer = systemTransfer({ from: payer.address, to: payee, lamports: 10_000_000n });
    return own.land(signedBy([transfer], blockhash, payer).transaction, lastValidBlockHeight);
  });
  assert.equal(event, 'landed');
  assert.equal((await world.chain.account(payee))?.lamports, 10_000_000n);
});

it('says how to name the chain of a service that has another port', async (t) => {
  const other = createServer((_request, response) => response.writeHead(501).end());
  await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const config = { chain: { kind: 'embedded', rpcPort: port }, fees: { percentile: 0, maxMicroLamports: 0 } };
  const asked = withChain(config as unknown as Config, ({ chain }) => chain.account(generateKeypair().address));
  await assert.rejects(asked, new RegExp(`127\\.0\\.0\\.1:${port} answered 501 .*or set SLIPWAY_RPC_PORT`));
});
