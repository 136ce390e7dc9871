import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext } from 'playwright-core';
import { adminTokenOf } from './admin.js';
import { launchBrowser, withoutBrowser } from './browser.js';
import { openConsole } from './console-page.js';
import { type Service, startService } from './service.js';
import { infoOf, rpc } from './wallet.js';

const OPERATOR = new Set(['/overview', '/operate/keys']);
const SCREENS = ['/', '/swap', '/orders', '/orders/limit', '/launch', '/send', '/chain', ...OPERATOR];
/** A page that moves less than this under its reader is good; browsers call 0.1 good. */
const MOST_SHIFT = 0.02;

/** Adds up how much of the page has moved by itself: not within half a second of a click or key. */
const MEASURE_SHIFT = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) shifts.push({ value, what: sources.map(({ node }) => String(node?.textContent).slice(0, 60)) });
  }).observe({ type: 'layout-shift', buffered: true });
`;

describe('the console over a bad network', { skip: withoutBrowser }, () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    [service, browser] = await Promise.all([startService(), launchBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /**
   * A context in which whatever is asked of the service and the chain is answered late, out of turn; and what is `held`, by
   * its method and path, for as long as it is.
   */
  async function slowly(context: BrowserContext, held: ReadonlySet<string> = new Set()) {
    let asked = 0;
    const counts = new Map<string, number>();
    await context.route('**', async (route) => {
      const { pathname } = new URL(route.request().url());
      const name = `${route.request().method()} ${pathname}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const isPage = route.request().resourceType() === 'document' || pathname.startsWith('/assets/');
      await sleep(isPage ? 100 : 300 + 700 * (asked++ % 3));
      while (held.has(name)) await sleep(50);
      // The page may be closed by now.
      await route.continue().catch(() => {});
    });
    return { counts };
  }
  /** How much of a screen moves until all of it is there, and what does. */
  async function shiftOf(path: string, width: number) {
    const context = await browser.newContext({ viewport: { width, height: 900 } });
    await context.addInitScript(MEASURE_SHIFT);
    const page = await context.newPage();
    if (OPERATOR.has(path)) {
      await page.goto(`${service.url}${path}`);
      await page.getByLabel('Admin token').fill(adminTokenOf(service));
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('button', { name: 'Log out' }).waitFor();
    }
    await slowly(context);
    await page.goto(`${service.url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
    // Longer than three answers, one after the other.
    await sleep(6_000);
    while ((await page.getByText('Reading …').count()) > 0) await sleep(100);
    const shifts = await page.evaluate<{ value: number; what: string[] }[]>('shifts');
    await context.close();
    return { path, sum: shifts.reduce((total, { value }) => total + value, 0), shifts };
  }
  const addressOf = async (name: string) => (await infoOf(service)).wallets.find((each) => each.name === name)!.address;
  const lamportsOf = async (name: string): Promise<bigint> =>
    BigInt((await rpc<{ value: number }>(service, 'getBalance', await addressOf(name))).value);

  it('nothing moves under its reader while answers come late and out of turn', async () => {
    for (const width of [1440, 390]) {
      const moved = await Promise.all(SCREENS.map((path) => shiftOf(path, width)));
      const bad = moved.filter(({ sum }) => sum >= MOST_SHIFT);
      assert.deepEqual(bad, [], `${width} pixels wide`);
    }
  });

  it('a click twice, and a key held down, do something once', async () => {
    const { page, complaints } = await openConsole(browser, `${service.url}/`);
    const [payment, trade, gift] = [
      'POST /ultra/v1/transfer/execute',
      'POST /ultra/v1/execute',
      'POST /send/v1/craft-send',
    ] as const;
    // Each is under way until all clicks and keys have come: one that comes later would rightly do it once more.
    const held = new Set<string>([payment, trade, gift]);
    const { counts } = await slowly(page.context(), held);
    const before = await lamportsOf('dave');
    await page.getByLabel('Acting as').selectOption('carol');
    await page.getByRole('button', { name: 'Pay somebody' }).click();
    await page.getByLabel('to', { exact: true }).selectOption('dave');
    const pay = page.getByRole('button', { name: 'Pay', exact: true });
    await pay.dblclick();
    await pay.click({ force: true });
    for (let times = 0; times < 5; times++) await page.keyboard.press('Enter');
    held.delete(payment);
    await page.getByText('dave has it').waitFor();
    assert.equal((await lamportsOf('dave')) - before, 1_000_000_000n);
    assert.equal(counts.get(payment), 1);

    await page.getByRole('link', { name: 'Swap', exact: true }).first().click();
    const swap = page.getByRole('button', { name: 'Sign as carol and swap' });
    await page.getByText(/of 1232 bytes/).waitFor();
    await swap.dblclick();
    await page.keyboard.press('Enter');
    held.delete(trade);
    await page.getByText(/^Got [\d,.]+ USDC/).waitFor();
    assert.equal(counts.get(trade), 1);

    await page.getByRole('link', { name: 'Send', exact: true }).first().click();
    await page.getByRole('button', { name: 'Make an invite of 0.1 SOL' }).dblclick();
    held.delete(gift);
    await page.getByRole('img', { name: "The invite's link as a QR code" }).waitFor();
    assert.equal(counts.get(gift), 1);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('says that it waits where nothing answers, and shows what comes when something does', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    let answers = false;
    const held: (() => void)[] = [];
    await context.route('**/sandbox/info', async (route) => {
      if (!answers) await new Promise<void>((resolve) => held.push(resolve));
      await route.continue().catch(() => {});
    });
    await page.goto(`${service.url}/`);
    await page.getByRole('status').getByText('Reading … The answer takes long.').waitFor();
    answers = true;
    for (const release of held) release();
    await page.getByRole('list', { name: 'Prices' }).waitFor();
    await page.getByText('Reading …').waitFor({ state: 'detached' });
    await context.close();
  });

  it('a tab that nobody looks at holds no stream, of which a browser has few for all of its tabs', async () => {
    const context = await browser.newContext();
    await context.addInitScript(`
      globalThis.away = true;
      Object.defineProperty(document, 'hidden', { get: () => away });
    `);
    const page = await context.newPage();
    const streams: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/events/v1/stream')) streams.push(request.url());
    });
    await page.goto(`${service.url}/orders`);
    await page.getByRole('slider', { name: 'Price of SOL' }).waitFor();
    await page.getByText('None yet. Place a stop loss').waitFor();
    assert.deepEqual(streams, []);
    const opened = page.waitForRequest(/events\/v1\/stream/);
    await page.evaluate(`globalThis.away = false; document.dispatchEvent(new Event('visibilitychange'))`);
    await opened;
    await context.close();
  });

  it('asks again when a request is never answered, and says so meanwhile', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    let isHung = true;
    let asked = 0;
    await context.route('**/console.json', (route) => {
      asked++;
      // Neither answered nor refused.
      return isHung ? undefined : route.continue();
    });
    await page.goto(`${service.url}/swap`);
    await page.getByRole('alert').getByText('The service does not answer').waitFor();
    isHung = false;
    await page.getByLabel('Amount of SOL to sell').waitFor();
    assert.ok(asked > 1);
    await page.getByRole('alert').first().waitFor({ state: 'detached' });
    await context.close();
  });
});
