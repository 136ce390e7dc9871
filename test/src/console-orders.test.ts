import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { admin } from './admin.js';
import { launchBrowser, withoutBrowser } from './browser.js';
import { assertAccessible, openConsole } from './console-page.js';
import { eventually } from './rounds.js';
import { request, type Service, startService } from './service.js';
import { infoOf } from './wallet.js';

describe("the console's orders", { skip: withoutBrowser }, () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    [service, browser] = await Promise.all([startService(), launchBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const opened = async (wallet: string) => {
    const { page, complaints } = await openConsole(browser, `${service.url}/orders`);
    await page.getByLabel('Acting as').selectOption(wallet);
    return { page, complaints };
  };
  const setPrice = async (symbol: string, usd: number) => {
    const { mint } = (await infoOf(service)).mints.find((each) => each.symbol === symbol)!;
    assert.equal((await request(`${service.url}/sandbox/prices`, { body: { mint, usd } })).status, 200);
  };
  const place = async (page: Page, wallet: string) => {
    await page.getByRole('button', { name: `Sign as ${wallet}, deposit and place` }).click();
    await page.getByText('Placed: it waits on the chart').waitFor();
  };
  const ordersOf = (page: Page) => page.getByLabel('Orders', { exact: true }).getByRole('listitem');
  const shownPrice = async (page: Page, name: string) => {
    const text = await page.getByRole('slider', { name: new RegExp(`^${name}`) }).getAttribute('aria-valuetext');
    return Number(text!.replaceAll(/[$,]/g, ''));
  };

  it('where its login was ended, the page logs in again and places the order', async () => {
    const { page, complaints } = await opened('erin');
    await page.clock.install();
    await page.reload();
    await page.getByText('None yet. Place a stop loss').waitFor();
    const { address } = (await infoOf(service)).wallets.find(({ name }) => name === 'erin')!;
    assert.equal((await admin(service, 'DELETE', `/logins/${address}`)).status, 200);
    const loggedIn = page.waitForResponse(/\/trigger\/v2\/auth\/verify/);
    await page.clock.fastForward(11_000);
    assert.equal((await loggedIn).status(), 200);
    await page.getByText('Unauthorized').waitFor({ state: 'detached' });
    await place(page, 'erin');
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('the line of an order is dragged to another price, and moved by the keyboard alone; the order changes', async () => {
    const { page, complaints } = await opened('bob');
    await page.getByLabel('when the price falls to, in USD').fill('140');
    await place(page, 'bob');
    const line = page.getByRole('slider', { name: /^stop loss/ });
    await line.waitFor();
    await assertAccessible(page);
    const box = (await line.boundingBox())!;
    await page.mouse.move(box.x + 60, box.y + 12);
    await page.mouse.down();
    await page.mouse.move(box.x + 60, box.y + 32, { steps: 5 });
    await eventually('the line follows', async () => (await shownPrice(page, 'stop loss')) < 139 || undefined);
    await page.mouse.up();
    const dragged = await shownPrice(page, 'stop loss');
    assert.ok(dragged < 139 && dragged > 120, `${dragged}`);
    await ordersOf(page)
      .filter({ hasText: `stop loss at $${dragged.toFixed(2)}` })
      .waitFor();

    await line.focus();
    await page.keyboard.press('PageUp');
    await page.keyboard.press('Escape');
    assert.equal(await shownPrice(page, 'stop loss'), dragged);
    for (let number = 0; number < 4; number++) await page.keyboard.press('PageUp');
    const typed = await shownPrice(page, 'stop loss');
    assert.ok(Math.abs(typed / dragged - 1.01 ** 4) < 0.001, `${typed}`);
    await page.keyboard.press('Enter');
    await ordersOf(page)
      .filter({ hasText: `stop loss at $${typed.toFixed(2)}` })
      .waitFor();

    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The deposit is back').waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('an order buys when the price falls, then sells at one of two prices; its history leads to the transactions', async () => {
    await setPrice('SOL', 150);
    const { page, complaints } = await opened('carol');
    await page.getByText('Buy, then both', { exact: true }).click();
    await page.getByLabel('Buy SOL for so much USDC').fill('300');
    await page.getByLabel('buy when the price falls to, in USD').fill('145');
    await page.getByLabel('then sell when the price falls to, in USD').fill('120');
    await page.getByLabel('then sell when the price rises to, in USD').fill('170');
    await place(page, 'carol');
    await page.getByRole('img', { name: /buy at \$145\.00/ }).waitFor();
    await setPrice('SOL', 144);
    // Bought: what is left waits to be sold.
    await page.getByRole('img', { name: /buy at/ }).waitFor({ state: 'detached' });
    await page.getByRole('img', { name: /take profit at \$170\.00/ }).waitFor();
    await setPrice('SOL', 171);
    const order = ordersOf(page).first();
    await order.getByText('filled', { exact: true }).waitFor();
    await order.getByText('What happened to it').click();
    await order.getByRole('link').first().click();
    await page.waitForURL(/\/chain\/\w{80,}$/);
    await page.getByText('landed', { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('each order says why it has fired or not, to its owner, and goes on saying it as the price moves', async () => {
    await setPrice('SOL', 150);
    const { page, complaints } = await opened('erin');
    await page.getByLabel('when the price falls to, in USD').fill('120');
    await place(page, 'erin');
    const order = ordersOf(page).first();
    await order.getByText('Why has it fired or not?').click();
    const why = order.getByRole('list', { name: 'Why has it fired or not?' });
    await why.getByText('The price of SOL is 150 USD.', { exact: true }).waitFor();
    await why.getByText('fires at 120 USD and below: not reached').waitFor();
    await assertAccessible(page);
    await setPrice('SOL', 130);
    await why.getByText('The price of SOL is 130 USD.', { exact: true }).waitFor();
    await setPrice('SOL', 119);
    await order.getByText('filled', { exact: true }).waitFor();
    await why.getByText(/^Its leg \w+ fired at /).waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('a trailing stop follows the price up and fires on the way down; time is moved, and another order expires', async () => {
    await setPrice('SOL', 150);
    const { page, complaints } = await opened('dave');
    await page.getByText('Trailing stop', { exact: true }).click();
    await page.getByLabel('when it falls from its highest by, in %').fill('10');
    await place(page, 'dave');
    await page.getByRole('img', { name: /trailing stop at \$135\.00/ }).waitFor();
    assert.equal(await page.getByRole('slider', { name: /^trailing/ }).count(), 0);
    await setPrice('SOL', 200);
    await page.getByRole('img', { name: /trailing stop at \$180\.00/ }).waitFor();
    await setPrice('SOL', 178);
    await ordersOf(page).first().getByText('filled', { exact: true }).waitFor();

    await page.getByText('Stop loss', { exact: true }).click();
    await page.getByLabel('when the price falls to, in USD').fill('100');
    await place(page, 'dave');
    await page.getByRole('slider', { name: /^stop loss/ }).waitFor();
    const time = page.locator('[data-chain-time]');
    const earlier = Number(await time.getAttribute('data-chain-time'));
    await page.getByRole('button', { name: '+1 day' }).click();
    await ordersOf(page)
      .filter({ hasText: 'stop loss at $100.00' })
      .getByText('expired', { exact: true })
      .first()
      .waitFor();
    // The order is told by an event, the time by another answer: either comes first.
    await eventually('the time is shown', async () => {
      const later = Number(await time.getAttribute('data-chain-time'));
      return later - earlier >= 86_400 || undefined;
    });
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
});
