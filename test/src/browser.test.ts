import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, servePage, withoutBrowser } from './browser.js';
import { type Service, startService } from './service.js';
import { infoOf } from './wallet.js';

describe('in a browser', { skip: withoutBrowser }, () => {
  let service: Service;
  let browser: Browser;
  let app: { server: Server; port: number };
  before(async () => {
    [service, app] = await Promise.all([startService(), servePage()]);
    browser = await launchBrowser({ 'elsewhere.example': '127.0.0.1' });
  });
  after(async () => {
    await browser?.close();
    app?.server.close();
    await service?.close();
  });

  const pageAt = async (host: string): Promise<Page> => {
    const page = await browser.newPage();
    await page.goto(`http://${host}:${app.port}/`);
    return page;
  };

  /** A call made by the page itself: its status, one header and its body, or the name of what was thrown. */
  const callFrom = (page: Page, url: string, headers: Record<string, string>, body?: unknown) =>
    page.evaluate(
      async ({ url, headers, text }) => {
        try {
          const response = await fetch(url, { headers, ...(text !== undefined && { method: 'POST', body: text }) });
          const header = (name: string) => response.headers.get(name);
          const [requestId, remaining] = [header('x-api-gateway-request-id'), header('x-ratelimit-remaining')];
          return { status: response.status, requestId, remaining, body: (await response.json()) as unknown };
        } catch (error) {
          return { thrown: (error as Error).name };
        }
      },
      { url, headers, text: body === undefined ? undefined : JSON.stringify(body) },
    );

  const key = { 'x-api-key': 'sandbox' };
  const json = { ...key, 'content-type': 'application/json' };

  it('a page on this machine calls the API with its key and JSON, and reads the answers', async () => {
    const { wallets } = await infoOf(service);
    const wallet = wallets[0]!.address;
    for (const host of ['localhost', '127.0.0.1', 'my-app.localhost']) {
      const page = await pageAt(host);
      const craft = `${service.url}/tokens/v2/verify/express/craft-txn?senderAddress=${wallet}`;
      const crafted = await callFrom(page, craft, key);
      assert.equal(crafted.status, 200, host);
      assert.equal((crafted.body as { code: number }).code, 0);
      assert.match(crafted.requestId ?? '', /./);
      assert.ok(Number(crafted.remaining) > 0);
      const dropped = await callFrom(page, `${service.url}/sandbox/airdrop`, json, { wallet, amount: '1' });
      assert.equal(dropped.status, 200, host);
      const refused = await callFrom(page, `${service.url}/tx/v1/submit`, json, { signedTransaction: 'x' });
      assert.equal(refused.status, 400, 'errors can be read too');
      const keyless = await callFrom(page, `${service.url}/sandbox/info`, {});
      assert.equal(keyless.status, 401);
      await page.close();
    }
  });

  it("a page on this machine calls the chain's RPC and hears from its WebSocket", async () => {
    const page = await pageAt('localhost');
    const body = { jsonrpc: '2.0', id: 1, method: 'getHealth' };
    const answer = await callFrom(
      page,
      service.rpcUrl,
      { 'content-type': 'application/json', 'solana-client': 'js/1' },
      body,
    );
    assert.deepEqual(answer.body, { jsonrpc: '2.0', result: 'ok', id: 1 });
    const heard = await page.evaluate(
      (url) =>
        new Promise<string>((resolve, reject) => {
          const socket = new WebSocket(url);
          socket.onopen = () => socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'slotSubscribe' }));
          socket.onmessage = ({ data }) => resolve(data);
          socket.onerror = () => reject(new Error('the socket failed'));
        }),
      service.wsUrl,
    );
    assert.equal(typeof (JSON.parse(heard) as { result: number }).result, 'number');
    await page.close();
  });

  it('a page from anywhere else reads nothing of the API and moves nothing', async () => {
    const [wallet] = (await infoOf(service)).wallets;
    const lamports = async () => {
      const response = await fetch(service.rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getBalance', params: [wallet!.address] }),
      });
      return ((await response.json()) as { result: { value: number } }).result.value;
    };
    const before = await lamports();
    const page = await pageAt('elsewhere.example');
    const drop = { wallet: wallet!.address, amount: '1' };
    assert.deepEqual(await callFrom(page, `${service.url}/sandbox/info`, key), { thrown: 'TypeError' });
    assert.deepEqual(await callFrom(page, `${service.url}/livez`, {}), { thrown: 'TypeError' });
    assert.deepEqual(await callFrom(page, `${service.url}/sandbox/airdrop`, json, drop), { thrown: 'TypeError' });
    assert.deepEqual(await callFrom(page, `${service.url}/sandbox/airdrop`, {}, drop), { thrown: 'TypeError' });
    assert.equal(await lamports(), before);
    await page.close();
  });

  it('opens the address of the service, and the wallets and their keys, without a key', async () => {
    const page = await browser.newPage();
    await page.goto(service.url);
    assert.equal(page.url(), `${service.url}/`);
    assert.match(await page.title(), /Slipway/);
    const opened = await page.goto(`${service.url}/sandbox/info`);
    assert.equal(opened?.status(), 200);
    assert.match(String(await page.textContent('body')), /"secretKey"/);
    await page.close();
    // A page elsewhere may open it in a tab, too, but it gets nothing there.
    const other = await pageAt('elsewhere.example');
    const popup = other.waitForEvent('popup');
    await other.evaluate(`void window.open('${service.url}/sandbox/info')`);
    const tab = await popup;
    await tab.waitForLoadState();
    assert.match(String(await tab.textContent('body')), /Unauthorized/);
    await other.close();
  });

  it('/docs shows every operation, asks nobody else for anything, and complains of nothing', async () => {
    const page = await browser.newPage();
    const asked: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => {
      // Where no router had time for a quote, it is asked again.
      if (['error', 'warning'].includes(message.type()) && !message.text().includes('status of 503'))
        complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('requestfailed', (request) => complaints.push(`${request.url()} failed`));
    await page.goto(`${service.url}/docs`);
    await page.locator('.opblock').first().waitFor();

    const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods));
    assert.equal(await page.locator('.opblock').count(), operations.length);
    assert.equal(await page.title(), 'Slipway API');
    await page.locator('.opblock-summary').filter({ hasText: '/livez' }).click();
    await page.getByRole('button', { name: 'Execute', exact: true }).click();
    await page.locator('.live-responses-table').getByText('"live"').waitFor({ timeout: 60_000 });

    // The first call works as it stands: the key, the mints and alice are filled in.
    await page.locator('.opblock-summary').filter({ hasText: '/ultra/v1/order' }).first().click();
    const order = page.locator('#operations-Swap-getUltraV1Order');
    let isBusy = true;
    const answer = order.locator('.live-responses-table');
    // Again, as its reader does, where no router had time for a quote.
    do {
      const answered = page.waitForResponse(/\/ultra\/v1\/order\?/, { timeout: 60_000 });
      await order.getByRole('button', { name: 'Execute', exact: true }).click();
      isBusy = (await answered).status() === 503;
    } while (isBusy);
    await answer.getByText('"requestId"').waitFor({ timeout: 60_000 });
    await page.locator('.opblock-summary').filter({ hasText: '/getTriggerOrders' }).click();
    const choices = page.locator('tr[data-param-name="orderStatus"] option');
    assert.deepEqual(await choices.allInnerTexts(), ['active', 'history']);
    await page.setViewportSize({ width: 390, height: 800 });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, 'it fits on a phone');

    for (const url of asked) assert.ok(url.startsWith(service.url) || url.startsWith('data:'), url);
    assert.deepEqual(complaints, []);
    await page.close();
  });
});
