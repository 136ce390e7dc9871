import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { adminTokenOf } from './admin.js';
import { launchBrowser, withoutBrowser } from './browser.js';
import { openConsole } from './console-page.js';
import { eventually } from './rounds.js';
import { type Service, startService } from './service.js';
import { infoOf, rpc } from './wallet.js';

const MOST_STEPS = 150;
/** How long data may take to come. */
const PATIENCE_MS = 120_000;

/** What stands on the page and can be acted on; of radio buttons, the keyboard reaches the chosen one, and goes on by arrows. */
const CONTROLS =
  'a[href], button:not(:disabled), input:not(:disabled), select, summary, [tabindex="0"], [role="slider"][tabindex]';

/** Whether what has the focus shows it, and is not under what stands over the page; what is wrong otherwise. */
const FOCUS_PROBLEM = `(() => {
  const active = document.activeElement;
  if (!active || active === document.body) return '';
  const shown = active.closest('label') ?? active;
  const styles = [active, shown].map((element) => getComputedStyle(element));
  if (!styles.some(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1))
    return 'shows no focus: ' + active.outerHTML.slice(0, 200);
  const { left, top, width, height } = shown.getBoundingClientRect();
  const at = document.elementFromPoint(left + Math.min(width / 2, 30), top + Math.min(height / 2, 20));
  return at && (shown.contains(at) || at.contains(shown)) ? '' : 'is hidden: ' + active.outerHTML.slice(0, 200);
})()`;

describe('the console by the keyboard alone', { skip: withoutBrowser }, () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    [service, browser] = await Promise.all([startService(), launchBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const hasFocus = (target: Locator) =>
    target.evaluate((element: { ownerDocument: { activeElement: unknown } }) => {
      return element.ownerDocument.activeElement === element;
    });
  /** Presses Tab until it has the focus, which is seen on each step. What cannot be used yet has none, and is waited for. */
  const tabTo = async (page: Page, target: Locator) => {
    await target.waitFor();
    await eventually(`${target} can be used`, async () => (await target.isEnabled()) || undefined);
    for (let steps = 0; !(await hasFocus(target)); steps++) {
      assert.ok(steps < MOST_STEPS, `Tab never comes to ${target}`);
      await press(page, 'Tab');
      assert.equal(await page.evaluate(FOCUS_PROBLEM), '');
    }
  };
  const tabToAndPress = async (page: Page, target: Locator, key = 'Enter') => {
    await tabTo(page, target);
    await press(page, key);
  };
  /** Replaces what stands in a field. */
  const typeInto = async (page: Page, field: Locator, text: string) => {
    await tabTo(page, field);
    await press(page, 'Control+A');
    await page.keyboard.type(text);
  };
  const screen = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name, exact: true });
  const isLost = (page: Page) => page.evaluate<boolean>('document.activeElement === document.body');
  const lamportsOf = async (name: string): Promise<bigint> => {
    const { address } = (await infoOf(service)).wallets.find((wallet) => wallet.name === name)!;
    return BigInt((await rpc<{ value: number }>(service, 'getBalance', address)).value);
  };

  it('pays, places a stop loss that fires as the price is moved, launches a token, gives an invite and claims it', async () => {
    const { page, complaints } = await openConsole(browser, `${service.url}/`);
    await page.getByRole('list', { name: 'Prices' }).waitFor();
    await press(page, 'Tab');
    const skip = page.getByRole('link', { name: 'Skip to the screen' });
    assert.ok(await hasFocus(skip));
    assert.ok((await skip.boundingBox())!.y >= 0, 'the way past the navigation is not seen');
    await press(page, 'Enter', 'Tab');
    assert.ok(await page.evaluate<boolean>(`document.querySelector('main').contains(document.activeElement)`));

    const had = await lamportsOf('carol');
    await tabToAndPress(page, page.getByRole('button', { name: 'Pay somebody' }), 'Space');
    await typeInto(page, page.getByLabel('alice pays, in SOL'), '2.5');
    await tabTo(page, page.getByLabel('to', { exact: true }));
    await press(page, 'ArrowDown');
    const pay = page.getByRole('button', { name: 'Pay', exact: true });
    await tabToAndPress(page, pay);
    await page.getByText('carol has it').waitFor();
    assert.equal((await lamportsOf('carol')) - had, 2_500_000_000n);
    assert.ok(await hasFocus(pay), 'the focus was lost while it was paid');

    await tabToAndPress(page, screen(page, 'Orders'));
    await typeInto(page, page.getByLabel('when the price falls to, in USD'), '140');
    await tabToAndPress(page, page.getByRole('button', { name: 'Sign as alice, deposit and place' }));
    await page.getByText('Placed: it waits on the chart').waitFor();
    await tabTo(page, page.getByRole('slider', { name: 'Price of SOL' }));
    for (let steps = 0; steps < 3; steps++) await press(page, 'PageDown');
    await page.getByLabel('Events', { exact: true }).getByText('order.filled').waitFor();

    await tabToAndPress(page, screen(page, 'Launch'));
    await typeInto(page, page.getByLabel('Name', { exact: true }), 'Keys');
    await typeInto(page, page.getByLabel('Symbol', { exact: true }), 'KEYS');
    await tabToAndPress(page, page.getByRole('button', { name: 'Sign as alice and launch KEYS' }));
    await page.getByRole('heading', { level: 1, name: 'Keys KEYS' }).waitFor();
    assert.equal(await page.title(), 'Token · Slipway');
    assert.ok(!(await isLost(page)), 'the focus was lost on the way to the page of the token');

    await tabToAndPress(page, screen(page, 'Send'));
    await typeInto(page, page.getByLabel('Amount', { exact: true }), '0.5');
    await tabToAndPress(page, page.getByRole('button', { name: 'Make an invite of 0.5 SOL' }));
    const code = (await page.locator('[data-code]').textContent())!;
    const before = await lamportsOf('bob');
    assert.equal(await page.getByLabel('Code', { exact: true }).inputValue(), code);
    await tabToAndPress(page, page.getByRole('button', { name: 'Claim as bob' }));
    await page.getByText('bob has it').waitFor();
    // With the rent of what held it.
    const got = (await lamportsOf('bob')) - before;
    assert.ok(got >= 500_000_000n && got < 505_000_000n, `${got}`);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('what takes something back passes the focus on, and does not lose it', async () => {
    const { page, complaints } = await openConsole(browser, `${service.url}/send`);
    await typeInto(page, page.getByLabel('Amount', { exact: true }), '0.7');
    await tabToAndPress(page, page.getByRole('button', { name: 'Make an invite of 0.7 SOL' }));
    await page.getByRole('img', { name: "The invite's link as a QR code" }).waitFor();
    const mine = page.getByLabel('Invites', { exact: true }).getByRole('listitem').filter({ hasText: '0.7 SOL' });
    await tabToAndPress(page, mine.getByRole('button', { name: 'Take back' }));
    await mine.getByText('taken back', { exact: true }).waitFor();
    await mine.getByRole('button', { name: 'Take back' }).waitFor({ state: 'detached' });
    assert.ok(!(await isLost(page)), 'the focus was lost with the button');
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  /** What Tab never comes to, going round. What is only there or enabled once data has come may be passed before. */
  const missedBy = async (page: Page, path: string): Promise<string[]> => {
    await page.evaluate('globalThis.reached = new WeakSet()');
    let missed: string[] = [];
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end; ) {
      await page.evaluate('globalThis.seen = new WeakSet()');
      for (let steps = 0; steps < MOST_STEPS; steps++) {
        await press(page, 'Tab');
        assert.equal(await page.evaluate(FOCUS_PROBLEM), '', path);
        const isRound = await page.evaluate<boolean>(`(() => {
          const active = document.activeElement;
          const isRound = active === document.body || seen.has(active);
          seen.add(active);
          reached.add(active);
          return isRound;
        })()`);
        if (isRound) break;
      }
      missed = await page.evaluate<string[]>(
        `[...document.querySelectorAll('${CONTROLS}')]
          .filter((element) => element.checkVisibility() && !reached.has(element))
          .filter((element) => element.type !== 'radio' || element.checked)
          .map((element) => element.outerHTML.slice(0, 160))`,
      );
      if (missed.length === 0) break;
    }
    return missed;
  };

  it('Tab reaches whatever can be acted on, on each screen, wide and narrow', async () => {
    for (const [width, paths] of [
      [1440, ['/', '/swap', '/orders', '/launch', '/send', '/chain']],
      [390, ['/swap', '/orders', '/chain']],
    ] as const) {
      for (const path of paths) {
        const { page } = await openConsole(browser, `${service.url}${path}`, { width });
        await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
        await page.getByText('How was this done?').waitFor();
        assert.deepEqual(await missedBy(page, path), [], `${path}, ${width} pixels wide`);
        await page.context().close();
      }
    }
  });

  it('the operator logs in, makes a key and revokes it; a question gives the focus back when it closes', async () => {
    const { page, complaints } = await openConsole(browser, `${service.url}/operate/keys`);
    await typeInto(page, page.getByLabel('Admin token'), adminTokenOf(service));
    await press(page, 'Enter');
    await typeInto(page, page.getByLabel('Who or what it is for'), 'keyboard');
    const create = page.getByRole('button', { name: 'Create' });
    await tabToAndPress(page, create);
    const question = page.getByRole('dialog', { name: 'Create' });
    assert.ok(await hasFocus(question.getByRole('button', { name: 'Leave it' })));
    await press(page, 'Escape');
    await question.waitFor({ state: 'hidden' });
    assert.ok(await hasFocus(create), 'a question that was left does not give the focus back');
    await press(page, 'Enter');
    await tabToAndPress(page, question.getByRole('button', { name: 'Yes, create' }));
    await question.locator('[data-key]').waitFor();
    assert.ok(!(await isLost(page)), 'the focus was lost in the question');
    await tabToAndPress(page, question.getByRole('button', { name: 'Close' }));
    await question.waitFor({ state: 'hidden' });
    assert.ok(!(await isLost(page)), 'the focus was lost with the question');

    const row = page.getByRole('region', { name: 'Keys' }).getByRole('row').filter({ hasText: 'keyboard' });
    await tabToAndPress(page, row.getByRole('button', { name: 'Revoke' }));
    await tabToAndPress(page, page.getByRole('button', { name: 'Yes, revoke' }));
    await row.getByText(/^revoked/).waitFor();
    await page.getByRole('dialog', { name: 'Revoke' }).waitFor({ state: 'detached' });
    assert.ok(!(await isLost(page)), 'the focus was lost with the button');
    assert.deepEqual(complaints, []);
    await page.context().close();
  });
});
