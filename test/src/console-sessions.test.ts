import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { admin, adminTokenOf } from './admin.js';
import { launchBrowser, withoutBrowser } from './browser.js';
import { assertAccessible, logIn, openConsole } from './console-page.js';
import { type Service, startService } from './service.js';

const AWAY = { status: 503, contentType: 'application/json', body: '{"error":"The database does not answer"}' };
/** After it, everything that a screen shows has been read again. */
const ROUND_MS = 11_000;

describe("the operator's session", { skip: withoutBrowser }, () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    [service, browser] = await Promise.all([startService(), launchBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  const opened = async (path: string, options?: { theme?: 'light' | 'dark'; width?: number }) => {
    const { page } = await openConsole(browser, `${service.url}${path}`, options);
    await logIn(page, adminTokenOf(service));
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    return page;
  };
  /** Logs in anew in another tab of the same browser. */
  const logInElsewhere = async (page: Page, token: string) => {
    const other = await page.context().newPage();
    await other.goto(`${service.url}/operate/stop`);
    await other.getByRole('button', { name: 'Log out' }).click();
    await logIn(other, token);
    await other.getByRole('button', { name: 'Log out' }).waitFor();
    return other;
  };
  const pressStop = async (page: Page, why: string) => {
    await page.getByLabel('Why').fill(why);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('button', { name: 'Yes, stop' }).click();
  };
  const stops = async () =>
    (await admin<{ stops: { stoppedBy: string }[] }>(service, 'GET', '/stops')).body.stops.map(
      (each) => each.stoppedBy,
    );

  it('after a login anew in another tab, Stop stops in the first one, and Log out ends the new session', async () => {
    const page = await opened('/operate/stop');
    const other = await logInElsewhere(page, adminTokenOf(service));
    await pressStop(page, 'the feed is wrong');
    await page.getByRole('region', { name: 'Stops' }).getByRole('cell', { name: 'the feed is wrong' }).waitFor();
    assert.deepEqual(await stops(), ['root']);
    await other.close();
    const third = await logInElsewhere(page, adminTokenOf(service));
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Admin token').waitFor();
    await third.reload();
    await third.getByLabel('Admin token').waitFor();
    await admin(service, 'DELETE', '/stops/fills');
    await page.context().close();
  });

  it('after a login of another admin in another tab, nothing is done in its name before it is asked anew', async () => {
    const { body } = await admin<{ token: string }>(service, 'POST', '/admins', { name: 'ada', roles: ['operate'] });
    for (const [theme, width] of [
      ['light', 1440],
      ['dark', 390],
    ] as const) {
      const page = await opened('/operate/stop', { theme, width });
      await page.getByTitle('Logged in as root').waitFor();
      await logInElsewhere(page, body.token);
      await pressStop(page, 'the feed is wrong');
      const question = page.getByRole('dialog', { name: 'Stop' });
      await question.getByRole('alert').getByText('Nothing was done: another tab has logged in as ada').waitFor();
      assert.deepEqual(await stops(), []);
      await page.getByTitle('Logged in as ada').waitFor();
      await question.getByRole('button', { name: 'Yes, stop' }).click();
      await page.getByRole('region', { name: 'Stops' }).getByRole('cell', { name: 'the feed is wrong' }).waitFor();
      assert.deepEqual(await stops(), ['ada']);
      await assertAccessible(page);
      await logInElsewhere(page, adminTokenOf(service));
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.getByRole('alert').getByText('Not logged out. Nothing was done').waitFor();
      await page.getByTitle('Logged in as root').waitFor();
      await admin(service, 'DELETE', '/stops/fills');
      await page.context().close();
    }
  });

  it('a key that is shown once stays in sight where the session ends, and what was typed stays for the next one', async () => {
    for (const [theme, width] of [
      ['light', 1440],
      ['dark', 390],
    ] as const) {
      const page = await opened('/operate/keys', { theme, width });
      await page.clock.install();
      await page.reload();
      await page.getByLabel('Who or what it is for').fill(`shop ${theme}`);
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('button', { name: 'Yes, create' }).click();
      await page.locator('[data-key]').waitFor();
      const other = await page.context().newPage();
      await other.goto(`${service.url}/overview`);
      await other.getByRole('button', { name: 'Log out' }).click();
      await other.getByLabel('Admin token').waitFor();
      await page.clock.fastForward(ROUND_MS);
      await page.getByLabel('Admin token').waitFor();
      assert.ok(await page.locator('[data-key]').isVisible());
      assert.equal(await page.getByRole('region', { name: 'Keys' }).count(), 0);
      await assertAccessible(page);
      await page.getByRole('button', { name: 'Close' }).click();
      await logIn(page, adminTokenOf(service));
      await page
        .getByRole('region', { name: 'Keys' })
        .getByRole('cell', { name: `shop ${theme}` })
        .waitFor();
      assert.equal(await page.getByLabel('Who or what it is for').inputValue(), `shop ${theme}`);
      await page.getByRole('alert').waitFor({ state: 'detached' });
      await page.context().close();
    }
  });

  it('a key whose question was left while it was made is made once, and is gone from the page when it is closed', async () => {
    const page = await opened('/operate/keys');
    let go = () => {};
    const isHeld = new Promise<void>((resolve) => {
      go = resolve;
    });
    await page.route('**/admin/v1/keys', async (route) => {
      if (route.request().method() === 'POST') await isHeld;
      await route.continue();
    });
    await page.getByLabel('Who or what it is for').fill('slow');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Yes, create' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('button', { name: 'Yes, create' }).click({ force: true });
    go();
    await page.locator('[data-key]').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.locator('[data-key]').waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('cell', { name: 'slow' }).count(), 1);
    await page.context().close();
  });

  it('a read that fails is told beside the rows that are known, and closes no question that is open in one of them', async () => {
    await admin(service, 'PUT', '/stops/fills', { why: 'maintenance' });
    const page = await opened('/operate/stop');
    await page.clock.install();
    await page.reload();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.route('**/admin/v1/stops', (route) => route.fulfill(AWAY));
    await page.clock.fastForward(ROUND_MS);
    await page.getByText('The database does not answer').waitFor({ state: 'attached' });
    const question = page.getByRole('dialog', { name: 'Resume' });
    await question.getByText(/: maintenance\./).waitFor();
    await page.unroute('**/admin/v1/stops');
    await question.getByRole('button', { name: 'Yes, resume' }).click();
    await page.getByText('Nothing is stopped.').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    await page.context().close();
  });

  it('a logout that fails is told, and health that cannot be asked is not shown as well', async () => {
    const page = await opened('/overview', { width: 390 });
    await page.clock.install();
    await page.reload();
    await page.getByLabel('Health').getByText('ready', { exact: true }).waitFor();
    await page.route('**/readyz', (route) => route.abort());
    await page.clock.fastForward(ROUND_MS);
    await page.getByLabel('Health').getByText('no answer', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('Health').getByText('ok', { exact: true }).count(), 0);
    await page.route('**/admin/v1/session', (route) => route.fulfill(AWAY));
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('alert').getByText('Not logged out. The database does not answer').waitFor();
    await assertAccessible(page);
    await page.context().close();
  });
});
