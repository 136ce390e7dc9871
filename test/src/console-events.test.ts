import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page, WebSocketRoute } from 'playwright-core';
import { launchBrowser, withoutBrowser } from './browser.js';
import { openConsole } from './console-page.js';
import { request, type Service, startService } from './service.js';
import { infoOf, rpc } from './wallet.js';

/** For how long events come; a few thousand of them by default. */
const SOAK_SECONDS = Number(process.env.SLIPWAY_CONSOLE_SOAK_SECONDS ?? 20);
const EVERY_MS = 100;
const A_TIME = 10;
const MOST_GROWTH_BYTES = 4 * 1024 * 1024;
const WARM_EVENTS = 600;

interface Call {
  id: number;
  method: string;
  params: unknown[];
}
type Parsed = { slot: number; transaction: { signatures: string[] } };

describe('the console while much happens', { skip: withoutBrowser }, () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    [service, browser] = await Promise.all([startService(), launchBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** A node that tells of as many transactions as it is made to; each is like one that there was. */
  async function busyNode(page: Page): Promise<{ happen: (count: number) => void; told: () => number }> {
    const { address } = (await infoOf(service)).wallets[0]!;
    const body = { wallet: address, amount: '1000000000' };
    const { signature } = (await request<{ signature: string }>(`${service.url}/sandbox/airdrop`, { body })).body;
    const config = { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 };
    const like = await rpc<Parsed>(service, 'getTransaction', signature, config);
    let sockets: WebSocketRoute[] = [];
    let told = 0;
    await page.context().routeWebSocket(/.*/, (socket) => {
      sockets.push(socket);
      socket.onClose(() => {
        sockets = sockets.filter((each) => each !== socket);
      });
    });
    await page.context().route(`${service.rpcUrl}/**`, async (route) => {
      const calls = route.request().postDataJSON() as Call[];
      if (!Array.isArray(calls) || calls[0]?.method !== 'getTransaction') return route.continue().catch(() => {});
      const results = calls.map(({ id, params }) => {
        const [asked] = params as [string];
        const result = { ...like, slot: like.slot + told, transaction: { ...like.transaction, signatures: [asked] } };
        return { jsonrpc: '2.0', id, result };
      });
      return route.fulfill({ json: results, headers: { 'access-control-allow-origin': '*' } }).catch(() => {});
    });
    const happen = (count: number) => {
      for (let number = 0; number < count; number++) {
        told++;
        const value = { signature: `${signature.slice(0, -8)}${String(10_000_000 + told).replaceAll('0', 'z')}` };
        const note = { jsonrpc: '2.0', method: 'logsNotification', params: { result: { value }, subscription: 1 } };
        for (const socket of sockets) socket.send(JSON.stringify(note));
      }
    };
    return { happen, told: () => told };
  }

  it('keeps its memory flat over thousands of events, and shows the last of them', async (test) => {
    const { page, complaints } = await openConsole(browser, `${service.url}/launch`);
    const { happen, told } = await busyNode(page);
    await page.goto(`${service.url}/chain`);
    await page.getByText(/\d followed$/).waitFor();
    const session = await page.context().newCDPSession(page);
    const heap = async (): Promise<number> => {
      for (let times = 0; times < 3; times++) await session.send('HeapProfiler.collectGarbage');
      return (await session.send('Runtime.getHeapUsage')).usedSize;
    };
    const rows = page.getByRole('region', { name: 'Last transactions' }).getByRole('listitem');
    // Of what comes while the page stands still, it reads only the last ones.
    while (told() < WARM_EVENTS || (await rows.count()) < 40) {
      happen(A_TIME);
      await sleep(EVERY_MS);
    }
    const warm = await heap();
    await page.evaluate(`
      globalThis.frames = 0;
      (function count() { frames++; requestAnimationFrame(count); })();
    `);
    // In time of the processor: what else the machine does is not counted.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const busy = async (): Promise<number> => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
    };
    const idle = await busy();
    const begin = performance.now();
    const counted = { events: told(), frames: await page.evaluate<number>('frames') };
    while (performance.now() - begin < SOAK_SECONDS * 1_000) {
      happen(A_TIME);
      await sleep(EVERY_MS);
    }
    const seconds = (performance.now() - begin) / 1_000;
    const frames = (await page.evaluate<number>('frames')) - counted.frames;
    const worked = (await busy()) - idle;
    const grown = (await heap()) - warm;
    const events = told() - counted.events;
    test.diagnostic(
      `${events} events in ${Math.round(seconds)} s, ${Math.round(events / seconds)} a second: ${Math.round(frames / seconds)} frames a second, the page at work ${Math.round((worked / seconds) * 100)} % of the time, ${Math.round(grown / 1024)} kB more memory`,
    );
    assert.equal(await rows.count(), 40);
    assert.ok(grown < MOST_GROWTH_BYTES, `${grown} bytes more after ${events} events`);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
});
