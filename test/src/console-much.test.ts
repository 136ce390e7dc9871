import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { adminTokenOf } from './admin.js';
import { launchBrowser, withoutBrowser } from './browser.js';
import { assertAccessible, openConsole } from './console-page.js';
import { type Service, startService } from './service.js';

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** Like an address, and another one for each number. */
const numbered = (address: string, number: number): string =>
  address.slice(0, -2) + BASE58[Math.floor(number / 58) % 58] + BASE58[number % 58];

/** What strangers call their tokens: like others, from right to left, with signs that hide, in heaps, as markup. */
const HOSTILE = [
  'USDC',
  'UЅDС',
  '\u202eCDSU',
  'US\u200bDC',
  'Z̷̢̛͎̲a̸l̵g̶o̷̡̤',
  '<script>alert(1)</script>',
  '𝕌𝕊𝔻ℂ',
  '🚢'.repeat(40),
  'W'.repeat(60),
];

describe('the console with much, and with what strangers have made', { skip: withoutBrowser }, () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    [service, browser] = await Promise.all([startService(), launchBrowser()]);
    // The order that many others are like.
    const { page } = await openConsole(browser, `${service.url}/orders`);
    await page.getByRole('button', { name: 'Sign as alice, deposit and place' }).click();
    await page.getByText('Placed: it waits on the chart').waitFor();
    await page.context().close();
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** Opens a screen on which an answer of the service is another one. */
  async function opened<T>(path: string, answer: string, change: (body: T) => unknown, width = 1440) {
    const { page, complaints } = await openConsole(browser, `${service.url}/launch`, { width });
    await page.context().route(answer, async (route) => {
      const response = await route.fetch();
      return route.fulfill({ response, json: change((await response.json()) as T) });
    });
    await page.goto(`${service.url}${path}`);
    return { page, complaints };
  }
  /** Not before nothing of it is under way: an answer that comes when its page is gone is an error. */
  async function close(page: Page): Promise<void> {
    await page.context().unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().close();
  }
  const logIn = async (page: Page) => {
    await page.getByLabel('Admin token').fill(adminTokenOf(service));
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Log out' }).waitFor();
  };

  interface Pools {
    count: number;
    pools: { address: string; tokens: { mint: string; symbol: string | null }[] }[];
  }

  it('attack: an issuer of a token names it like another one: a pool of it shows the mint beside the name', async () => {
    for (const width of [1440, 390]) {
      const many = ({ pools }: Pools): Pools => ({
        count: 300,
        pools: Array.from({ length: 100 }, (_, number) => {
          const pool = pools[number % pools.length]!;
          const [{ mint }, other] = [pool.tokens[0]!, pool.tokens[1]!];
          const named = { ...pool.tokens[0]!, mint: numbered(mint, number), symbol: HOSTILE[number % HOSTILE.length]! };
          return { ...pool, address: numbered(pool.address, number), tokens: [named, other] };
        }),
      });
      const { page, complaints } = await opened('/chain', '**/sandbox/pools?*', many, width);
      const region = page.getByRole('region', { name: 'Pools', exact: true });
      await page.getByText('the deepest 100 of 300 followed').waitFor();
      assert.equal(await region.getByRole('row').count(), 101);
      await assertAccessible(page);
      const names = await region.getByRole('rowheader').getByRole('link').allTextContents();
      const [plain, homoglyph, turned, hidden] = names;
      for (const name of [plain, homoglyph, hidden]) assert.match(name!, /^\S+ \w{4}…\w{4}\//, name);
      // What turns or hides letters is gone.
      assert.match(turned!, /^CDSU\//);
      assert.match(hidden!, /^USDC /);
      assert.ok(names.every((name) => [...name].length < 40 && !/[\u202e\u200b]/.test(name)));
      assert.equal(await page.locator('script:not([src])').count(), 0);
      assert.deepEqual(complaints, []);
      await close(page);
    }
  });

  interface Orders {
    orders: { id: string; triggerPriceUsd: number }[];
    pagination: { total: number };
  }

  it('shows the newest of 500 orders, with their lines, and says that there are more', async () => {
    const many = ({ orders: [order], pagination }: Orders): Orders => ({
      orders: Array.from({ length: 50 }, (_, number) => ({
        ...order!,
        id: `${order!.id.slice(0, -3)}${100 + number}`,
        triggerPriceUsd: 100 + number / 2,
      })),
      pagination: { ...pagination, total: 500 },
    });
    for (const width of [1440, 390]) {
      const { page, complaints } = await opened('/orders', '**/trigger/v2/orders/history?*', many, width);
      await page.getByText('the newest 50 of 500').waitFor();
      assert.equal(await page.getByLabel('Orders', { exact: true }).getByRole('listitem').count(), 50);
      // Some of the lines can be moved: so many that none stands over another.
      const lines = page.getByRole('slider', { name: /^stop loss/ });
      await lines.first().waitFor();
      assert.ok((await lines.count()) >= 4, `${await lines.count()} lines`);
      await assertAccessible(page);
      assert.deepEqual(complaints, []);
      await close(page);
    }
  });

  it('shows the operator the newest 100 of all orders, and says that there are more', async () => {
    interface Listed {
      orders: { id: string; amount: string }[];
      nextCursor: string | null;
    }
    const many = ({ orders: [order] }: Listed): Listed => ({
      orders: Array.from({ length: 100 }, (_, number) => ({
        ...order!,
        id: `${order!.id.slice(0, -3)}${100 + number}`,
        amount: '18446744073709551615',
      })),
      nextCursor: 'more',
    });
    const { page, complaints } = await opened('/operate/orders', '**/admin/v1/orders?*', many, 390);
    await logIn(page);
    await page.getByText('There are more than 100').waitFor();
    assert.equal(await page.getByRole('region', { name: 'Trigger orders' }).getByRole('row').count(), 101);
    await assertAccessible(page);
    assert.deepEqual(complaints, []);
    await close(page);
  });

  it('refuses a picture that is too large, in bytes or in pixels, and says so', async () => {
    const { page } = await openConsole(browser, `${service.url}/launch`);
    const launch = page.getByRole('button', { name: 'Sign as alice and launch' });
    const picture = page.getByLabel('Picture (left out: one is drawn)');
    await picture.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.alloc(6 * 1024 * 1024) });
    await launch.click();
    await page.getByRole('alert').getByText('the picture must have at most 5 MB').waitFor();
    const base64 = await page.evaluate<string>(`(async () => {
      const canvas = new OffscreenCanvas(8000, 8);
      canvas.getContext('2d').fillRect(0, 0, 8000, 8);
      const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer());
      return btoa(String.fromCharCode(...bytes));
    })()`);
    await picture.setInputFiles({ name: 'b.png', mimeType: 'image/png', buffer: Buffer.from(base64, 'base64') });
    await launch.click();
    await page
      .getByRole('alert')
      .getByText(/8000 x 8 pixels/)
      .waitFor();
    await close(page);
  });
});
