// What a service in production finds outside of itself, for tests.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createSocketServer } from 'node:net';
import { JUPUSD, SOL, USDC } from './swap.js';
import { JUP } from './wallet.js';

/** Prices as Pyth's Hermes publishes them, each a moment old. */
export async function startHermes() {
  const usd = new Map<string, number>([
    [SOL, 150],
    [USDC, 1],
    [JUP, 0.42],
    [JUPUSD, 1],
  ]);
  const feeds = Object.fromEntries([...usd.keys()].map((mint, index) => [mint, `${index + 1}`.padStart(64, '0')]));
  const server = createServer((incoming, response) => {
    const wanted = new URL(incoming.url ?? '', 'http://hermes').searchParams.getAll('ids[]');
    const publish_time = Math.floor(Date.now() / 1_000);
    const parsed = Object.entries(feeds).flatMap(([mint, id]) => {
      const price = { price: String(Math.round(usd.get(mint)! * 1e8)), conf: '1000', expo: -8, publish_time };
      const metadata = { slot: 1, proof_available_time: publish_time, prev_publish_time: publish_time - 1 };
      return wanted.some((each) => each.replace(/^0x/, '') === id) ? [{ id, price, ema_price: price, metadata }] : [];
    });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ binary: { encoding: 'hex', data: ['504e4155'] }, parsed }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    feeds,
    setPrice: (mint: string, price: number) => void usd.set(mint, price),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Leads each connection to the next copy. */
export async function startProxy() {
  let ports: readonly number[] = [];
  let next = 0;
  const server = createSocketServer((client) => {
    const copy = connect(ports[next++ % ports.length]!, '127.0.0.1');
    client.pipe(copy).pipe(client);
    client.on('error', () => copy.destroy());
    copy.on('error', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(copies: readonly number[]) {
      ports = copies;
    },
    close: () => void server.close(),
  };
}
