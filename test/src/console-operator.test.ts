import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { admin, adminTokenOf, newKey } from './admin.js';
import { launchBrowser, withoutBrowser } from './browser.js';
import { clientOf } from './client.js';
import { assertAccessible, logIn, openConsole } from './console-page.js';
import { onFreePort, request, type Service, startService } from './service.js';
import { USDC } from './swap.js';
import { infoOf, walletNamed } from './wallet.js';

const PARTS = [
  'keys',
  'verifications',
  'makers',
  'orders',
  'requests',
  'launches',
  'invites',
  'webhooks',
  'stop',
  'admins',
];
const HTML = { accept: 'text/html' };

describe("the operator's part of the console", { skip: withoutBrowser }, () => {
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
    const { page, complaints } = await openConsole(browser, `${service.url}${path}`, options);
    await logIn(page, adminTokenOf(service));
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    return { page, complaints };
  };

  it('who logs in sees how the service does, with every screen within WCAG 2.2 AA, light and dark, wide and narrow', async () => {
    for (const [theme, width] of [
      ['light', 1440],
      ['dark', 390],
    ] as const) {
      const { page, complaints } = await opened('/overview', { theme, width });
      await page.getByLabel('Health').getByText('ready', { exact: true }).waitFor();
      await page.getByRole('img', { name: /^Requests: answered/ }).waitFor();
      await page.getByText(/^1,000 SOL/).waitFor();
      await assertAccessible(page);
      for (const part of PARTS) {
        await page.goto(`${service.url}/operate/${part}`);
        await page.getByRole('heading', { level: 1, name: 'Operate' }).waitFor();
        await page.locator('nav[aria-label="Parts"] [aria-current="page"]').waitFor();
        await assertAccessible(page);
      }
      assert.deepEqual(complaints, []);
      await page.context().close();
    }
  });

  it('a key is made, used, and revoked: each is asked once, with the command that does the same', async () => {
    const { page, complaints } = await opened('/operate/keys');
    await page.getByLabel('Who or what it is for').fill("the shop's page");
    await page.getByLabel('Only these paths').fill('/ultra');
    await page.getByRole('button', { name: 'Create' }).click();
    const question = page.getByRole('dialog', { name: 'Create' });
    await question
      .getByText(`slipway keys create --name 'the shop'\\''s page' --tier free --prefixes /ultra`, { exact: true })
      .waitFor();
    await assertAccessible(page);
    await question.getByRole('button', { name: 'Leave it' }).click();
    assert.deepEqual((await admin<{ keys: object[] }>(service, 'GET', '/keys')).body.keys, []);
    await page.getByRole('button', { name: 'Create' }).click();
    await question.getByRole('button', { name: 'Yes, create' }).click();
    const key = (await question.locator('[data-key]').textContent())!;
    await question.getByRole('button', { name: 'Close' }).click();
    const call = () => request(`${service.url}/ultra/v1/order/routers`, { headers: { 'x-api-key': key } });
    assert.equal((await call()).status, 200);
    const row = page.getByRole('region', { name: 'Keys' }).getByRole('row').filter({ hasText: "the shop's page" });
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page
      .getByRole('dialog', { name: 'Revoke' })
      .getByText(/^slipway keys revoke [\w-]+$/)
      .waitFor();
    await page.getByRole('button', { name: 'Yes, revoke' }).click();
    await row.getByText(/^revoked/).waitFor();
    assert.equal((await call()).status, 401);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('fills are stopped with a reason, which every screen of health shows, and go on again', async () => {
    const { page, complaints } = await opened('/operate/stop');
    await page.getByText('Nothing is stopped.').waitFor();
    await page.getByLabel('Why').fill('the feed is wrong');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Stop' });
    await question.getByText(`slipway stop fills --why 'the feed is wrong'`, { exact: true }).waitFor();
    await assertAccessible(page);
    await question.getByRole('button', { name: 'Yes, stop' }).click();
    const row = page.getByRole('region', { name: 'Stops' }).getByRole('row').filter({ hasText: 'the feed is wrong' });
    await row.waitFor();
    await assertAccessible(page);
    await page.goto(`${service.url}/overview`);
    await page.getByLabel('Health').getByText('fills: the feed is wrong').waitFor();
    await assertAccessible(page);
    await page.goto(`${service.url}/operate/stop`);
    await row.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Yes, resume' }).click();
    await page.getByText('Nothing is stopped.').waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('attack: an operator by mistake resumes what somebody has stopped anew while the question was open: it stays stopped, and the question says so', async () => {
    await admin(service, 'PUT', '/stops/fills', { why: 'maintenance' });
    for (const [theme, width] of [
      ['light', 1440],
      ['dark', 390],
    ] as const) {
      const { page, complaints } = await opened('/operate/stop', { theme, width });
      await page.getByRole('button', { name: 'Resume' }).click();
      const question = page.getByRole('dialog', { name: 'Resume' });
      await question.getByText(/^Stopped by \w+ since .*: maintenance\. Every copy/).waitFor();
      await assertAccessible(page);
      const why = `the keys are out ${theme}`;
      await admin(service, 'PUT', '/stops/fills', { why });
      await page.getByRole('region', { name: 'Stops', includeHidden: true }).getByText(why).waitFor();
      await question.getByText(/: maintenance\./).waitFor();
      await question.getByRole('button', { name: 'Yes, resume' }).click();
      await question.getByRole('alert').getByText('It stays stopped').waitFor();
      await assertAccessible(page);
      const { stops } = (await admin<{ stops: { why: string }[] }>(service, 'GET', '/stops')).body;
      assert.deepEqual(
        stops.map((stop) => stop.why),
        [why],
      );
      await question.getByRole('button', { name: 'Leave it' }).click();
      await page.getByRole('button', { name: 'Resume' }).click();
      await question.getByText(new RegExp(`: ${why}\\.`)).waitFor();
      await question.getByRole('button', { name: 'Leave it' }).click();
      await admin(service, 'PUT', '/stops/fills', { why: 'maintenance' });
      assert.deepEqual(complaints, []);
      await page.context().close();
    }
    await admin(service, 'DELETE', '/stops/fills');
  });

  it('an admin is made, logs in with the token, and may only look; then is revoked', async () => {
    const { page, complaints } = await opened('/operate/admins');
    await page.getByLabel('Name').fill('watcher');
    await page.getByRole('button', { name: 'Create' }).click();
    const question = page.getByRole('dialog', { name: 'Create' });
    await question.getByText('slipway admins create watcher --roles read', { exact: true }).waitFor();
    await question.getByRole('button', { name: 'Yes, create' }).click();
    const token = (await question.locator('[data-token]').textContent())!;
    await assertAccessible(page);
    await question.getByRole('button', { name: 'Close' }).click();
    const row = page.getByRole('region', { name: 'Admins' }).getByRole('row').filter({ hasText: 'watcher' });
    await row.getByText('active').waitFor();
    const { page: theirs } = await openConsole(browser, `${service.url}/operate/stop`);
    await logIn(theirs, token);
    await theirs.getByLabel('Why').fill('may I?');
    await theirs.getByRole('button', { name: 'Stop', exact: true }).click();
    await theirs.getByRole('button', { name: 'Yes, stop' }).click();
    await theirs.getByRole('alert').getByText('The admin watcher has the roles read, and this needs operate').waitFor();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Yes, revoke' }).click();
    await row.getByText(/^revoked/).waitFor();
    await theirs.reload();
    await theirs.getByLabel('Admin token').waitFor();
    assert.deepEqual(complaints, []);
    await theirs.context().close();
    await page.context().close();
  });

  it('a list of which the newest are shown says so', async () => {
    const { page } = await opened('/overview');
    const hooks = Array.from({ length: 100 }, (_, id) => {
      const { createdAt, ...rest } = {
        createdAt: new Date(0).toISOString(),
        failures: 0,
        restUntil: null,
        attempts: [],
      };
      return { id: `${id}`, account: 'key', url: 'https://a.example', createdAt, ...rest };
    });
    await page.route('**/admin/v1/webhooks?*', (route) => route.fulfill({ json: { webhooks: hooks } }));
    await page.goto(`${service.url}/operate/webhooks`);
    await page.getByText('These are the newest 100: there may be more.').waitFor();
    await page.route('**/admin/v1/verifications?*', (route) =>
      route.fulfill({ json: { verifications: [], nextCursor: 'the-last' } }),
    );
    await page.goto(`${service.url}/operate/verifications`);
    await page.getByText('slipway verifications list --state pending --cursor the-last').waitFor();
    await page.context().close();
  });

  it('a request is followed from craft to chain by its id', async () => {
    const { wallets } = await infoOf(service);
    const [from, to] = wallets;
    const query = `senderAddress=${from!.address}&receiverAddress=${to!.address}&amount=1000000`;
    const crafted = await request<{ requestId: string }>(`${service.url}/ultra/v1/transfer/craft-native?${query}`);
    const { page, complaints } = await opened('/operate/requests');
    await page.getByLabel('Request id or signature').fill(crafted.body.requestId);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByLabel('What has become of it').getByText('not signed and sent').waitFor();
    await page.getByText('The chain says nothing of it').waitFor();

    await page.getByLabel('Request id or signature').fill('none of the kind'.replaceAll(' ', '-'));
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('alert').getByText('There is no request with this id or signature').waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('a paid request is rejected with a note, which is kept with the decision', async () => {
    const alice = await walletNamed(service, 'alice');
    const asked = { tokenId: USDC, twitterHandle: '', description: '' };
    await clientOf(service, alice).payVerification({ ...asked, tokenMetadata: { tokenId: USDC, symbol: 'X' } });
    const { page, complaints } = await opened('/operate/verifications');
    await page.getByRole('button', { name: 'Reject' }).click();
    const question = page.getByRole('dialog', { name: 'Reject' });
    await question.getByLabel('A note, kept with the decision').pressSequentially(' not yours');
    await question.getByText(/^slipway verifications reject [\w-]+ --note 'not yours'$/).waitFor();
    await question.getByRole('button', { name: 'Leave it' }).click();
    await page.getByRole('button', { name: 'Reject' }).click();
    assert.equal(await question.getByLabel('A note, kept with the decision').inputValue(), '');
    await question.getByLabel('A note, kept with the decision').pressSequentially('not yours either');
    await question.getByRole('button', { name: 'Yes, reject' }).click();
    await question.waitFor({ state: 'hidden' });
    const { body } = await admin<{ verifications: { note: string }[] }>(
      service,
      'GET',
      '/verifications?state=rejected',
    );
    assert.deepEqual(
      body.verifications.map(({ note }) => note),
      ['not yours either'],
    );
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('attack: an uploader pays to have a token described by long texts that turn, hide and imitate other fields: the operator is asked about all of it, each with its name', async () => {
    const alice = await walletNamed(service, 'alice');
    const tokenMetadata = {
      tokenId: USDC,
      website: 'https://a.example/\u202egro.\u200b',
      tokenDescription: `${'x'.repeat(3_990)} tail`,
      useCirculatingSupply: false,
    };
    const description = `website: https://www.circle.com ${'y'.repeat(9_960)} tail`;
    const asked = { tokenId: USDC, twitterHandle: '', senderTwitterHandle: '@sender', description, tokenMetadata };
    await clientOf(service, alice).payVerification(asked);
    for (const [theme, width] of [
      ['light', 1440],
      ['dark', 390],
    ] as const) {
      const { page, complaints } = await opened('/operate/verifications', { theme, width });
      await page.getByRole('button', { name: 'Approve' }).click();
      const question = page.getByRole('dialog', { name: 'Approve' });
      const texts = question.getByRole('region', { name: 'What the request says' });
      await texts.waitFor();
      const [names, values] = [
        await texts.locator('dt').allTextContents(),
        await texts.locator('dd').allTextContents(),
      ];
      assert.deepEqual(
        names.map((name, index) => [name, values[index]]),
        [
          ['handle of the sender', '@sender'],
          ['description', description],
          ['tokenDescription', tokenMetadata.tokenDescription],
          ['website', 'https://a.example/gro.'],
          ['useCirculatingSupply', 'false'],
        ],
      );
      assert.equal(await question.getByText('counts as verified').count(), 0, 'of which this is no request');
      await assertAccessible(page);
      assert.deepEqual(complaints, []);
      await page.context().close();
    }
  });

  it('attack: an uploader pays for what somebody else was let through with, and writes much: that it is to be given back stands before all of it', async () => {
    const alice = await walletNamed(service, 'alice');
    const asked = { tokenId: USDC, twitterHandle: '', description: 'y'.repeat(400) };
    const open = async () =>
      (await admin<{ verifications: { id: string }[] }>(service, 'GET', '/verifications?state=pending')).body
        .verifications;
    for (const { id } of await open()) await admin(service, 'POST', `/verifications/${id}/reject`);
    await clientOf(service, alice).payVerification({ ...asked, tokenMetadata: { tokenId: USDC, symbol: 'X' } });
    const note = 'paid after another payer was let through: give the payment back';
    await admin(service, 'POST', `/verifications/${(await open())[0]!.id}/reject`, { note });
    const { page, complaints } = await opened('/operate/verifications');
    await page.getByLabel('In the state').selectOption('rejected');
    await page.getByRole('region', { name: 'Verification requests' }).getByText(note, { exact: true }).waitFor();
    await assertAccessible(page);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('attack: a page of the sandbox acts as the operator without logging in, or with a session that was ended: it cannot', async () => {
    await newKey(service, { name: 'victim' });
    const { page } = await openConsole(browser, `${service.url}/`);
    await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
    const tryAll = (proof: string) =>
      page.evaluate(
        async ([header, value]) => {
          const statuses: number[] = [];
          for (const [method, path] of [
            ['GET', '/keys'],
            ['POST', '/keys'],
            ['POST', '/session'],
            ['GET', '/overview'],
          ] as const) {
            const answer = await fetch(`/admin/v1${path}`, { method, headers: { [header!]: value! } });
            statuses.push(answer.status);
          }
          return statuses;
        },
        ['x-slipway-csrf', proof] as const,
      );
    assert.deepEqual(await tryAll('x'), [401, 401, 401, 401]);

    await page.goto(`${service.url}/overview`);
    await logIn(page, 'not-the-admin-token');
    await page.getByRole('alert').getByText('the admin token is missing or wrong').waitFor();
    await logIn(page, adminTokenOf(service));
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    // No script finds the session or the token anywhere.
    const found = await page.evaluate<string>(
      'document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)',
    );
    assert.doesNotMatch(found, /slipway_admin|proof/);
    assert.ok(!found.includes(adminTokenOf(service)));
    const [cookie] = (await page.context().cookies(`${service.url}/admin/v1`)).filter(
      ({ name }) => name === 'slipway_admin',
    );
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.path], [true, 'Strict', '/admin/v1']);
    assert.deepEqual(await tryAll('x'), [200, 403, 403, 200]);

    const second = await page.context().newPage();
    await second.goto(`${service.url}/operate/keys`);
    await second.getByRole('cell', { name: 'victim' }).waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Admin token').waitFor();
    await second.reload();
    await second.getByLabel('Admin token').waitFor();
    await page.context().addCookies([{ ...cookie!, expires: -1 }]);
    assert.deepEqual(await tryAll('x'), [401, 401, 401, 401]);
    await page.context().close();
  });

  it('with a port of its own for operations, the operator logs in there, and not where clients call', async () => {
    let port = 0;
    const own = await onFreePort((free) => {
      port = free;
      return startService({ env: { SLIPWAY_OPERATIONS_PORT: String(free) } });
    });
    try {
      assert.equal((await request(`${own.url}/overview`, { headers: HTML })).status, 404);
      assert.equal((await request(`${own.url}/admin/v1/session`)).status, 404);
      assert.deepEqual((await request(`${own.url}/console.json`)).body, {
        sandbox: true,
        asksKey: false,
        operator: false,
      });
      const { page, complaints } = await openConsole(browser, `http://127.0.0.1:${port}/overview`);
      await logIn(page, adminTokenOf(own));
      await page.getByLabel('Health').getByText('ready', { exact: true }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'Swap' }).count(), 0);
      assert.deepEqual(complaints, []);
      await page.context().close();
    } finally {
      await own.close();
    }
  });
});
