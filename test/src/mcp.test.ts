import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { associatedTokenAddress, generateKeypair, type Keypair } from '@slipway/wire';
import { inheritedEnvironment, SLIPWAY } from './command.js';
import { request, type Service, startService } from './service.js';
import { infoOf, newWallet, rpc } from './wallet.js';

const SOL = 'So11111111111111111111111111111111111111112';

describe('slipway mcp', () => {
  let service: Service;
  let folder: string;
  let wallet: Keypair;
  let usdc: string;
  before(async () => {
    service = await startService();
    folder = mkdtempSync(join(tmpdir(), 'slipway-mcp-'));
    wallet = await newWallet(service, 10_000_000_000n, 0n);
    usdc = (await infoOf(service)).mints.find(({ symbol }) => symbol === 'USDC')!.mint;
  });
  after(async () => {
    await service?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  function keyFile(): string {
    const file = join(folder, 'key.json');
    writeFileSync(file, JSON.stringify([...wallet.secretKey]), { mode: 0o600 });
    return file;
  }

  /** An assistant that has started the program with these arguments. */
  async function start(...args: string[]) {
    const client = new Client({ name: 'test', version: '1' });
    const command = [SLIPWAY, 'mcp', '--url', service.url, '--sandbox', ...args];
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: command,
        env: inheritedEnvironment() as Record<string, string>,
      }),
    );
    const call = async (name: string, given: object = {}) => {
      const { content, isError } = await client.callTool({ name, arguments: { ...given } });
      const [{ text }] = content as [{ text: string }];
      return isError ? { error: text } : (JSON.parse(text) as Record<string, string>);
    };
    const tools = async () => (await client.listTools()).tools.map(({ name }) => name);
    return { call, tools, close: () => client.close() };
  }

  const lamports = async () => (await rpc<{ value: number }>(service, 'getBalance', wallet.address)).value;
  const tokens = async () => {
    const account = associatedTokenAddress(wallet.address, usdc as Keypair['address']);
    return BigInt((await rpc<{ value: { amount: string } }>(service, 'getTokenAccountBalance', account)).value.amount);
  };

  it('only reads without a key', async () => {
    const { call, tools, close } = await start();
    assert.deepEqual(await tools(), ['wallet', 'find_tokens', 'price_of_swap']);
    const price = await call('price_of_swap', { sell: 'SOL', buy: 'USDC', amount: '1' });
    assert.match(price.for!, /^\d+(\.\d+)? USDC$/);
    assert.match((await call('execute', { quoteId: 'x' })).error!, /not found/);
    await close();
  });

  it('swaps what was quoted, once, and within its limit', async () => {
    const { call, close } = await start('--key-file', keyFile(), '--limit', 'SOL=3');
    const quote = await call('quote_swap', { sell: 'SOL', buy: 'USDC', amount: '2' });
    assert.match(quote.atLeast!, /^\d+(\.\d+)? USDC$/);
    assert.equal(await lamports(), 10_000_000_000, 'a quote spends nothing');
    const done = await call('execute', { quoteId: quote.quoteId });
    assert.match(done.signature!, /^\w{80,}$/);
    const got = await tokens();
    assert.equal(Number(done.got!.replace(' USDC', '')), Number(got) / 1e6);
    assert.ok(got > 0n && Number(got) / 1e6 >= Number(quote.atLeast!.replace(' USDC', '')));

    assert.match((await call('execute', { quoteId: quote.quoteId })).error!, /no such quote/);
    const left = await lamports();
    const second = await call('quote_swap', { sell: 'SOL', buy: 'USDC', amount: '1' });
    assert.match((await call('execute', { quoteId: second.quoteId })).error!, /above what is left/);
    const third = await call('quote_swap', { sell: 'USDC', buy: 'SOL', amount: '1' });
    assert.match((await call('execute', { quoteId: third.quoteId })).error!, /no limit/);
    assert.deepEqual([await lamports(), await tokens()], [left, got], 'nothing was spent');
    await close();
  });

  it('places an order that waits for a price, cancels it, and sends money for a code', async () => {
    const { call, close } = await start('--key-file', keyFile(), '--limit', 'SOL=5');
    const asked = { sell: 'SOL', buy: 'USDC', amount: '1', condition: 'below', priceUsd: 50 };
    const quote = await call('quote_price_order', asked);
    const placed = await call('execute', { quoteId: quote.quoteId });
    const { orders } = (await call('price_orders')) as unknown as { orders: { id: string; orderState: string }[] };
    assert.deepEqual(
      orders.map(({ id, orderState }) => [id, orderState]),
      [[placed.id, 'open']],
    );
    assert.match((await call('cancel_price_order', { orderId: placed.id })).signature!, /^\w{80,}$/);
    const send = await call('quote_send', { token: 'SOL', amount: '0.5' });
    const before = await lamports();
    const sent = await call('execute', { quoteId: send.quoteId });
    assert.match(sent.code!, /^\w{12}$/);
    assert.ok(before - (await lamports()) >= 500_000_000);
    await close();
  });

  it('takes nothing from its limit for what was never signed', async () => {
    const { call, close } = await start('--key-file', keyFile(), '--limit', 'SOL=2');
    const left = async () => ((await call('wallet')) as unknown as { limits: { left: string }[] }).limits[0]!.left;
    const quote = await call('quote_swap', { sell: 'SOL', buy: 'USDC', amount: '1' });
    await request(`${service.url}/sandbox/prices`, { body: { mint: SOL, usd: 20 } });
    const refused = await call('execute', { quoteId: quote.quoteId });
    assert.match(refused.error!, /were asked/, 'less than was quoted');
    assert.equal(await left(), '2');
    await request(`${service.url}/sandbox/prices`, { body: { mint: SOL, usd: 150 } });
    await close();
  });

  it('does not start with a key that others can read, or without a limit', async () => {
    const file = join(folder, 'open.json');
    writeFileSync(file, JSON.stringify([...generateKeypair().secretKey]), { mode: 0o644 });
    await assert.rejects(start('--key-file', file, '--limit', 'SOL=1'));
    await assert.rejects(start('--key-file', keyFile()));
  });

  it('llms.txt names every operation, and where the document is', async () => {
    const response = await fetch(`${service.url}/llms.txt`);
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
    const text = await response.text();
    const { paths } = (await request<{ paths: Record<string, object> }>(`${service.url}/openapi.json`)).body;
    for (const [path, methods] of Object.entries(paths)) {
      for (const method of Object.keys(methods)) assert.ok(text.includes(`\`${method.toUpperCase()} ${path}\``), path);
    }
    assert.ok(text.includes(`${service.url}/openapi.json`));
    assert.doesNotMatch(text, /undefined/);
  });
});
