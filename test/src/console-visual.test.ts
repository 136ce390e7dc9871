import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { adminTokenOf } from './admin.js';
import { launchBrowser, withoutBrowser } from './browser.js';
import { differenceOf, looksOf } from './pictures.js';
import { request, type Service, startService } from './service.js';
import { infoOf } from './wallet.js';

/** With this set, the pictures are made anew: look at each of them before you keep it. */
const isWritten = process.env.SLIPWAY_WRITE_PICTURES !== undefined;
const FOLDER = fileURLToPath(new URL('../visual/', import.meta.url));
const MADE_WITH = join(FOLDER, 'made-with.json');
/** Of its points. A number that has changed is a tenth of it; a button that has gone, or wraps, is more. */
const MOST_DIFFERENT = 0.004;
/** How long, and how often at least, a page is looked at: on a busy machine one look takes seconds. */
const PATIENCE_MS = 20_000;
const LEAST_LOOKS = 10;
/** Half as large as shown, which keeps them small. */
const SCALE = 0.5;
const WINDOWS = [
  { width: 1440, height: 1000 },
  { width: 390, height: 1500 },
];

/** What is another one on each run: times, addresses and ports, measured numbers, plots. */
const LIVE = ['time', '[data-live]', '[data-chain-time]', '.font-mono', 'canvas', 'li.arrive', '.uplot'];

interface Screen {
  name: string;
  path: string;
  /** Brings the screen to what is taken. */
  open?: (page: Page) => Promise<void>;
}

describe('how the console looks', { skip: withoutBrowser }, () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    [service, browser] = await Promise.all([startService(), launchBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const screens = async (): Promise<Screen[]> => {
    const { body } = await request<{ pools: { address: string }[] }>(`${service.url}/sandbox/pools`);
    const { wallets } = await infoOf(service);
    return [
      { name: 'home', path: '/', open: (page) => page.getByRole('button', { name: 'Pay somebody' }).click() },
      { name: 'orders', path: '/orders' },
      { name: 'limit-orders', path: '/orders/limit' },
      { name: 'launch', path: '/launch' },
      { name: 'send', path: '/send' },
      { name: 'chain', path: '/chain' },
      { name: 'pool', path: `/chain/${body.pools[0]!.address}` },
      { name: 'account', path: `/chain/${wallets[0]!.address}` },
      { name: 'keys', path: '/operate/keys' },
      {
        name: 'stop',
        path: '/operate/stop',
        open: async (page) => {
          await page.getByLabel('Why').fill('the feed is wrong');
          await page.getByRole('button', { name: 'Stop', exact: true }).click();
        },
      },
    ];
  };
  const take = (page: Page) =>
    page.screenshot({
      animations: 'disabled',
      mask: LIVE.map((each) => page.locator(`${each}:visible`)),
      maskColor: '#808080',
    });

  /** Compares until it fits, since things come one after the other. Answers what is wrong. */
  async function compare(page: Page, comparer: Page, name: string): Promise<string | undefined> {
    const file = join(FOLDER, `${name}.png`);
    if (isWritten) {
      await sleep(3_000);
      writeFileSync(file, await take(page));
      return undefined;
    }
    if (!existsSync(file)) return `${name}: there is no picture of it`;
    const end = performance.now() + PATIENCE_MS;
    for (let looks = 1; ; looks++) {
      const taken = await take(page);
      const different = await differenceOf(comparer, readFileSync(file), taken);
      if (different <= MOST_DIFFERENT) return undefined;
      if (looks >= LEAST_LOOKS && performance.now() > end) {
        const seen = join(tmpdir(), `slipway-seen-${name}.png`);
        writeFileSync(seen, taken);
        return `${name}: ${(different * 100).toFixed(2)} % differs, see ${seen}`;
      }
      await sleep(300);
    }
  }

  /** The page is light; it is so again afterwards. */
  async function inBothThemes(page: Page, comparer: Page, name: string, width: number) {
    const light = await compare(page, comparer, `${name}-light-${width}`);
    // A question may stand over it.
    await page.getByLabel('Switch to the dark theme').dispatchEvent('click');
    const dark = await compare(page, comparer, `${name}-dark-${width}`);
    await page.evaluate("localStorage.removeItem('slipway.theme')");
    return [light, dark];
  }

  it('is as it was when somebody last looked at it: each screen, light and dark, wide and narrow', async (test) => {
    const looks = await looksOf(browser);
    if (isWritten) {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(MADE_WITH, `${JSON.stringify(looks, undefined, 2)}\n`);
    }
    const made = JSON.parse(readFileSync(MADE_WITH, 'utf8'));
    if (made.chromium !== looks.chromium || made.fonts !== looks.fonts) {
      test.skip(`the pictures were made with another browser or other fonts: ${JSON.stringify({ made, looks })}`);
      return;
    }
    const wrong: (string | undefined)[] = [];
    const comparer = await browser.newPage();
    for (const viewport of WINDOWS) {
      const context = await browser.newContext({ viewport, deviceScaleFactor: SCALE, colorScheme: 'light' });
      const page = await context.newPage();
      await page.goto(`${service.url}/overview`);
      await page.getByLabel('Admin token').waitFor();
      wrong.push(...(await inBothThemes(page, comparer, 'login', viewport.width)));
      await page.getByLabel('Admin token').fill(adminTokenOf(service));
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('button', { name: 'Log out' }).waitFor();
      for (const { name, path, open } of await screens()) {
        await page.goto(`${service.url}${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
        await open?.(page);
        wrong.push(...(await inBothThemes(page, comparer, name, viewport.width)));
      }
      await context.close();
    }
    assert.deepEqual(
      wrong.filter((each) => each !== undefined),
      [],
    );
  });
});
