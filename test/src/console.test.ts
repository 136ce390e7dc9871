import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, withoutBrowser } from './browser.js';
import { clientOf } from './client.js';
import { assertAccessible, openConsole } from './console-page.js';
import { onFreePort, request, type Service, startOnOwnPort, startService } from './service.js';
import { infoOf, rpc, walletNamed } from './wallet.js';

const SCREENS = ['/', '/swap', '/orders', '/launch', '/send', '/chain'];
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const HTML = { accept: 'text/html' };

describe('the console', { skip: withoutBrowser }, () => {
  let service: Service;
  let browser: Browser;
  before(async () => {
    [service, browser] = await Promise.all([startService(), launchBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** What a wallet has on the chain, in the smallest unit. */
  const heldBy = async (name: string, symbol: string): Promise<bigint> => {
    const { wallets, mints } = await infoOf(service);
    const [{ address }, { mint }] = [wallets.find((w) => w.name === name)!, mints.find((m) => m.symbol === symbol)!];
    if (symbol === 'SOL') return BigInt((await rpc<{ value: number }>(service, 'getBalance', address)).value);
    type Rows = { value: { account: { data: { parsed: { info: { tokenAmount: { amount: string } } } } } }[] };
    const config = { encoding: 'jsonParsed' };
    const { value } = await rpc<Rows>(service, 'getTokenAccountsByOwner', address, { mint }, config);
    return value.reduce((sum, { account }) => sum + BigInt(account.data.parsed.info.tokenAmount.amount), 0n);
  };
  const actAs = (page: Page, name: string) => page.getByLabel('Acting as').selectOption(name);

  it('the address of the service shows it to a browser, and JSON to everybody else', async () => {
    for (const path of SCREENS) {
      const { status, headers, body } = await request<string>(`${service.url}${path}`, { headers: HTML });
      assert.equal(status, 200);
      assert.match(headers.get('content-type') ?? '', /^text\/html/);
      assert.match(headers.get('content-security-policy') ?? '', /script-src 'self';.*frame-ancestors 'none'/);
      assert.equal(headers.get('cache-control'), 'no-cache');
      const [, script] = /src="(\/assets\/[^"]+\.js)"/.exec(String(body)) ?? [];
      const file = await request(`${service.url}${script}`, { headers: { 'accept-encoding': 'br' } });
      assert.equal(file.status, 200);
      assert.equal(file.headers.get('content-encoding'), 'br');
      assert.match(file.headers.get('cache-control') ?? '', /immutable/);
      assert.equal(file.headers.get('x-content-type-options'), 'nosniff');
    }
    assert.equal((await request(`${service.url}/`)).body.name, 'Slipway');
    for (const [path, headers] of [
      ['/swap', {}],
      ['/nowhere', HTML],
      ['/assets/none.js', HTML],
      ['/assets/..%2findex.html', HTML],
      ['/assets/..%2f..%2f..%2fpackage.json', HTML],
    ] as const) {
      const { status, body } = await request(`${service.url}${path}`, { headers });
      assert.equal(status, 404, path);
      assert.equal(body.code, 404, path);
    }
  });

  it('each screen keeps to WCAG 2.2 AA and to its policy, light and dark, wide and narrow', async () => {
    for (const path of SCREENS) {
      for (const [theme, width] of [
        ['light', 1440],
        ['dark', 390],
      ] as const) {
        const { page, complaints } = await openConsole(browser, `${service.url}${path}`, { theme, width });
        await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
        await page.getByText('How was this done?').click();
        await assertAccessible(page);
        assert.deepEqual(complaints, []);
        // Everything that the screen has loaded, as the service has compressed it.
        const sizes = await page.evaluate<number[]>(
          `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/')).map((entry) => entry.encodedBodySize)`,
        );
        const bytes = sizes.reduce((sum, size) => sum + size, 0);
        assert.ok(bytes > 50_000 && bytes < 200_000, `${path} loads ${bytes} bytes`);
        await page.context().close();
      }
    }
  });

  it('no field for an amount or a price guesses what a comma means', async () => {
    const { page, complaints } = await openConsole(browser, `${service.url}/`);
    await page.getByRole('button', { name: 'Pay somebody' }).click();
    for (const [path, field, button] of [
      ['/', 'alice pays, in SOL', 'Pay'],
      ['/swap', 'Amount of SOL to sell', 'Sign as alice and swap'],
      ['/orders', 'Sell so much SOL for USDC', 'Sign as alice, deposit and place'],
      ['/orders', 'when the price falls to, in USD', 'Sign as alice, deposit and place'],
      ['/orders/limit', 'So much SOL', 'Sign as alice and open'],
      ['/orders/limit', 'At so much USDC for each', 'Sign as alice and open'],
      ['/launch', 'Worth at first', 'Sign as alice and launch'],
      ['/send', 'Amount', 'Make an invite of'],
      ['/chain', 'Amount', 'Give'],
    ] as const) {
      if (new URL(page.url()).pathname !== path) await page.goto(`${service.url}${path}`);
      for (const text of ['1,5', '1,000', '1,000.5']) {
        await page.getByLabel(field).fill(text);
        await page.getByText('a number without commas, such as 1.5 or 1000').waitFor();
        const act = page.getByRole('button', { name: button, exact: button === 'Pay' });
        assert.ok(await act.isDisabled(), `${path} ${field}: ${text}`);
      }
      await page.getByLabel(field).fill('1.5');
      await page.getByText('a number without commas').waitFor({ state: 'detached' });
    }
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('a payment goes from the wallet that acts to another, and everybody sees it happen', async () => {
    const { page, complaints } = await openConsole(browser, `${service.url}/`);
    const { page: other } = await openConsole(browser, `${service.url}/`);
    await actAs(page, 'carol');
    const before = await heldBy('dave', 'SOL');
    await page.getByRole('button', { name: 'Pay somebody' }).click();
    await page.getByLabel('carol pays, in SOL').fill('2.5');
    await page.getByLabel('to', { exact: true }).selectOption('dave');
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByText('dave has it').waitFor();
    assert.equal((await heldBy('dave', 'SOL')) - before, 2_500_000_000n);
    await page.getByLabel('to', { exact: true }).selectOption('bob');
    assert.equal(await page.getByText('dave has it').count(), 1);
    for (const tab of [page, other]) {
      await tab.getByLabel('Transactions').getByText('dave +2.5 SOL').waitFor();
      await tab.locator('[data-balance="dave SOL"]', { hasText: '10,002.5' }).waitFor();
    }
    assert.deepEqual(complaints, []);
    await Promise.all([page, other].map((tab) => tab.context().close()));
  });

  it('what is copied on a page that came by http from another machine is copied, and what the chain does not have yet is asked for again', async () => {
    const { page, complaints } = await openConsole(browser, `${service.url}/`);
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await page.getByRole('button', { name: 'Pay somebody' }).click();
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByRole('button', { name: 'copy the signature' }).click();
    const field = page.getByLabel('alice pays, in SOL');
    await field.fill('');
    await field.press('Control+V');
    const signature = await field.inputValue();
    assert.match(signature, /^\w{80,}$/);
    let isBehind = true;
    const { rpcUrl } = (await request<{ rpcUrl: string }>(`${service.url}/sandbox/info`)).body;
    await page.route(`${rpcUrl}**`, async (route) => {
      const answer = await route.fetch();
      const isAsked = isBehind && route.request().postData()?.includes('getTransaction');
      const json = (await answer.json()) as { result: unknown }[];
      await route.fulfill({ response: answer, json: isAsked ? json.map((each) => ({ ...each, result: null })) : json });
    });
    await page.goto(`${service.url}/chain/${signature}`);
    await page.getByText('or not yet').waitFor();
    isBehind = false;
    await page.getByText('Signed by', { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('an amount of which six decimals are zeros is shown with all of them, and not as 0', async () => {
    const { page } = await openConsole(browser, `${service.url}/swap`);
    await page.getByRole('button', { name: 'Turn around' }).click();
    await page.getByLabel('Amount of USDC to sell').fill('0.00001');
    await page
      .getByLabel('Amount of SOL to get')
      .getByText(/^0\.000000\d+$/)
      .waitFor();
    await page.context().close();
  });

  it('a swap is quoted by each router, signed in the page, and landed', async () => {
    const { page, complaints } = await openConsole(browser, `${service.url}/swap`);
    await actAs(page, 'bob');
    const [sol, usdc] = [await heldBy('bob', 'SOL'), await heldBy('bob', 'USDC')];
    await page.getByLabel('Amount of SOL to sell').fill('3');
    const routers = page.getByLabel('Routers').getByRole('listitem');
    await routers.filter({ hasText: 'JupiterZ' }).filter({ hasText: 'USDC' }).waitFor();
    await page.getByText(/of 1232 bytes/).waitFor();
    // Until the order of the chosen router is there, that of another one is not signed.
    let go = () => {};
    const isHeld = new Promise<void>((resolve) => {
      go = resolve;
    });
    await page.route(
      /ultra\/v1\/order\?.*taker=.*excludeRouters|ultra\/v1\/order\?.*excludeRouters=.*taker/,
      async (route) => {
        await isHeld;
        await route.continue();
      },
    );
    await page.getByRole('button', { name: 'Take Metis' }).click();
    await routers.filter({ hasText: 'Metis' }).getByRole('button', { name: 'Taken' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Sign as bob and swap' }).isEnabled(), false);
    go();
    await page.getByText(/of 1232 bytes/).waitFor();
    await page.getByRole('img', { name: /^Route: .*SOL to USDC by Token Swap/ }).waitFor();
    await page.getByRole('button', { name: 'Sign as bob and swap' }).click();
    const said = await page.getByText(/^Got [\d,.]+ USDC/).textContent();
    const [, shown] = /^Got ([\d,.]+) USDC/.exec(said ?? '') ?? [];
    const got = (await heldBy('bob', 'USDC')) - usdc;
    assert.equal(BigInt(Math.round(Number(shown!.replaceAll(',', '')) * 1e6)), got);
    assert.ok(got > 440_000_000n, `${got}`);
    const spent = sol - (await heldBy('bob', 'SOL'));
    assert.ok(spent >= 3_000_000_000n && spent < 3_010_000_000n, `${spent}`);
    await page.getByText('How was this done?').click();
    await page.getByText(/amount: 3000000000n/).waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('a stop loss waits on the chart, and is filled when the slider moves the price; another is cancelled', async () => {
    const { page, complaints } = await openConsole(browser, `${service.url}/orders`);
    await actAs(page, 'dave');
    const usdc = await heldBy('dave', 'USDC');
    const place = page.getByRole('button', { name: 'Sign as dave, deposit and place' });
    await page.getByLabel('Sell so much SOL for USDC').fill('2');
    await page.getByLabel('when the price falls to, in USD').fill('140');
    await place.click();
    await page.getByRole('img', { name: /stop loss at \$140\.00/ }).waitFor();
    await page.getByLabel('Events', { exact: true }).getByText('order.opened').waitFor();
    const slider = page.getByRole('slider', { name: 'Price of SOL' });
    await slider.fill(
      String(
        await slider.evaluate((input: { min: string; max: string }) => (Number(input.min) * 3 + Number(input.max)) / 4),
      ),
    );
    await page.getByLabel('Events', { exact: true }).getByText('order.filled').waitFor();
    const order = page
      .getByLabel('Orders', { exact: true })
      .getByRole('listitem')
      .filter({ hasText: 'stop loss at $140.00' });
    await order.getByText('filled', { exact: true }).waitFor();
    const got = (await heldBy('dave', 'USDC')) - usdc;
    assert.ok(got > 180_000_000n && got < 280_000_000n, `${got}`);
    const [, shown] = /Got ([\d,.]+) USDC/.exec((await order.textContent()) ?? '') ?? [];
    assert.equal(BigInt(Math.round(Number(shown!.replaceAll(',', '')) * 1e6)), got);

    const sol = await heldBy('dave', 'SOL');
    await page.getByText('Take profit', { exact: true }).click();
    await place.click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('The deposit is back').waitFor();
    const lost = sol - (await heldBy('dave', 'SOL'));
    assert.ok(lost < 5_000_000n, `${lost} lamports are gone`);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('attack: an issuer of a token writes markup into its name: it is launched, shown as text, and traded', async () => {
    const name = '<img src=x onerror=alert(1)>';
    const { page, complaints } = await openConsole(browser, `${service.url}/launch`);
    page.on('dialog', (dialog) => {
      complaints.push(dialog.message());
      void dialog.dismiss();
    });
    await actAs(page, 'erin');
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByLabel('Symbol', { exact: true }).fill('<b>M</b>');
    await page.getByRole('button', { name: 'Steep' }).click();
    await page.getByRole('img', { name: 'Curve from 5K to 250K USDC' }).waitFor();
    await page.getByText('Stand-ins run here for bonding-curve, damm-v2, locker, token-metadata').waitFor();
    await page.getByRole('button', { name: 'Sign as erin and launch' }).click();
    await page.waitForURL(/\/launch\/\w+$/);
    const mint = page.url().split('/').at(-1);
    await page.getByRole('heading', { level: 1, name: `${name} <b>M</b>`, exact: true }).waitFor();
    await page.locator('img[src^="/objects/"]').waitFor();
    const usdc = await heldBy('erin', 'USDC');
    await page.getByRole('button', { name: 'Sign as erin and buy' }).click();
    await page.getByText(/^Got [\d,.]+ <b>M<\/b>/).waitFor();
    assert.equal(usdc - (await heldBy('erin', 'USDC')), 100_000_000n);
    await page.getByLabel('Transactions').getByText('erin −100 USDC').waitFor();
    await assertAccessible(page);
    assert.deepEqual(await page.locator('img').evaluateAll((images) => images.length), 1);

    await page.goto(`${service.url}/launch`);
    await page.getByLabel('Launches').getByRole('link', { name }).click();
    await page.waitForURL(`${service.url}/launch/${mint}`);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('attack: an issuer of a token gives it the symbol of another: its page names it by its mint, and shows what arrives before that is signed', async () => {
    const { mints } = await infoOf(service);
    const quoteMint = mints.find(({ symbol }) => symbol === 'USDC')!.mint;
    const { mint } = await clientOf(service, await walletNamed(service, 'bob')).launch({
      tokenName: 'USD Coin',
      tokenSymbol: 'USDC',
      image: { contentType: 'image/png', bytes: Buffer.from(PNG, 'base64') },
      antiSniping: false,
      fee: { feeBps: 100 },
      buildCurveByMarketCapParam: {
        quoteMint,
        tokenQuoteDecimal: 6,
        initialMarketCap: 16_000,
        migrationMarketCap: 69_000,
        lockedVestingParam: {
          totalLockedVestingAmount: 300_000_000,
          cliffUnlockAmount: 0,
          numberOfVestingPeriod: 12,
          totalVestingDuration: 31_536_000,
          cliffDurationFromMigrationTime: 0,
        },
      },
    });
    const named = `USDC ${mint.slice(0, 4)}…${mint.slice(-4)}`;
    const { page, complaints } = await openConsole(browser, `${service.url}/launch/${mint}`, { width: 390 });
    await page.getByText('47.2 % of all sold').waitFor();
    await page.getByText(`1 USDC = `).waitFor();
    await page.getByLabel('Pay, in USDC').fill('20000');
    await page.getByText('this trade moves the market').waitFor();
    await page
      .getByText(new RegExp(`^[\\d,.]+ ${named}$`))
      .first()
      .waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Sign as alice and buy' }).click();
    await page.getByText(new RegExp(`^Got [\\d,.]+ ${named}`)).waitFor();
    await page.getByLabel('Transactions').getByText(named).first().waitFor();
    await page.getByRole('button', { name: 'Sell' }).click();
    await page.getByLabel(`Sell, in ${named}`).waitFor();
    // Where its decimals are not known, an amount of it is told in units.
    await clientOf(service, await walletNamed(service, 'alice')).send({ amount: 5_000_000n, mint });
    await page.goto(`${service.url}/send`);
    await page.getByText(`5,000,000 units of ${mint.slice(0, 4)}…${mint.slice(-4)}`, { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('an invite is shown as a code, claimed for another wallet, and one is taken back', async () => {
    const { page, complaints } = await openConsole(browser, `${service.url}/send`);
    await actAs(page, 'carol');
    const before = await heldBy('erin', 'JUP');
    await page.getByLabel('Of what').selectOption({ label: 'JUP' });
    await page.getByLabel('Amount', { exact: true }).fill('12.5');
    await page.getByRole('button', { name: 'Make an invite of 12.5 JUP' }).click();
    await page.getByRole('img', { name: "The invite's link as a QR code" }).waitFor();
    const code = (await page.locator('[data-code]').textContent())!;

    const { page: other } = await openConsole(browser, `${service.url}/send#${code}`);
    await other.getByLabel('For', { exact: true }).selectOption('erin');
    await other.getByRole('button', { name: 'Claim as erin' }).click();
    await other.getByText('erin has it').waitFor();
    assert.equal((await heldBy('erin', 'JUP')) - before, 12_500_000n);
    const invites = page.getByLabel('Invites', { exact: true }).getByRole('listitem');
    await invites.filter({ hasText: '12.5 JUP' }).getByText('claimed by erin').waitFor();

    const jup = await heldBy('carol', 'JUP');
    await page.getByLabel('Amount', { exact: true }).fill('7');
    await page.getByRole('button', { name: 'Make an invite of 7 JUP' }).click();
    const mine = invites.filter({ hasText: /^open7 JUP|taken back7 JUP/ });
    await mine.getByRole('button', { name: 'Take back' }).click();
    await mine.getByText('taken back').waitFor();
    assert.equal(await heldBy('carol', 'JUP'), jup);
    assert.deepEqual(complaints, []);
    await Promise.all([page, other].map((tab) => tab.context().close()));
  });

  it('the chain is searched: a wallet by its name, its transaction with all that it did, and money from nowhere', async () => {
    const { page, complaints } = await openConsole(browser, `${service.url}/chain`);
    await actAs(page, 'dave');
    await page.reload();
    const before = await heldBy('dave', 'USDC');
    await page.getByLabel('Of what').selectOption({ label: 'USDC' });
    await page.getByLabel('Amount', { exact: true }).fill('4321');
    await page.getByRole('button', { name: 'Give 4321 USDC' }).click();
    await page.getByText('It has arrived').waitFor();
    assert.equal((await heldBy('dave', 'USDC')) - before, 4_321_000_000n);

    const search = page.getByLabel('Signature, address, wallet or token');
    await search.fill('nothing of the kind');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('alert').getByText('no signature').waitFor();
    await search.fill('dave');
    await page.getByRole('button', { name: 'Find' }).click();
    const last = page.getByLabel('Transactions').getByRole('listitem').filter({ hasText: 'dave +4,321 USDC' });
    await page.getByText('It holds').waitFor();
    await assertAccessible(page);
    await last.getByRole('link').click();
    await page.waitForURL(/\/chain\/\w{80,}$/);
    await page.getByText('landed', { exact: true }).waitFor();
    await page.getByText('mintTo').first().waitFor();
    await page.getByLabel('Log of the programs').getByText('success').waitFor();
    await assertAccessible(page);

    await page.goto(`${service.url}/chain/${'1'.repeat(64)}`);
    await page.getByRole('alert').or(page.getByText('no transaction')).first().waitFor();
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('each program has a page: what it is for, who may change it, how large it is, and what it did last', async () => {
    const { programs } = await infoOf(service);
    const { page, complaints } = await openConsole(browser, `${service.url}/chain`, { theme: 'dark', width: 390 });
    const listed = page.locator('section', { hasText: /^Programs/ });
    for (const { address } of programs) await listed.locator(`a[href="/chain/${address}"]`).waitFor();
    const { address } = programs.find(({ name }) => name === 'router')!;
    await listed.locator(`a[href="/chain/${address}"]`).click();
    const facts = page.locator('section', { hasText: /^The program/ });
    await facts.getByText('Swaps over several pools').waitFor();
    type Parsed = { value: { data: { parsed: { info: { programData: string } } } } };
    const { value } = await rpc<Parsed>(service, 'getAccountInfo', address, { encoding: 'jsonParsed' });
    const { programData } = value.data.parsed.info;
    const options = { encoding: 'base64' };
    const code = await rpc<{ value: { space: number } }>(service, 'getAccountInfo', programData, options);
    await facts.getByText(`${(code.value.space - 45).toLocaleString('en-US')} bytes`).waitFor();
    await assertAccessible(page);
    // A part of the node has no code of its own, and nobody who could change it.
    await page.goto(`${service.url}/chain/${'1'.repeat(32)}`);
    await facts.getByText('part of every node').waitFor();
    assert.equal(await facts.getByText('Can be changed by').count(), 0);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('the pools are listed with what the service says of them; each has a page, and so have the tokens that it trades', async () => {
    const { body } = await request<{ pools: { address: string; venue: string; tokens: { mint: string }[] }[] }>(
      `${service.url}/sandbox/pools`,
      { headers: { 'x-api-key': 'sandbox' } },
    );
    const [pool] = body.pools;
    for (const [theme, width] of [
      ['light', 1440],
      ['dark', 390],
    ] as const) {
      const { page, complaints } = await openConsole(browser, `${service.url}/chain`, { theme, width });
      const rows = page.getByRole('region', { name: 'Pools', exact: true }).getByRole('row');
      const link = rows.locator(`a[href="/chain/${pool!.address}"]`);
      await link.waitFor();
      assert.equal(await rows.count(), body.pools.length + 1);
      await assertAccessible(page);
      await link.click();
      await page.getByRole('heading', { level: 2, name: /^Pool of / }).waitFor();
      await page.getByText(pool!.venue, { exact: true }).waitFor();
      await page.getByText('Fee of a trade').waitFor();
      await assertAccessible(page);

      await page.goto(`${service.url}/chain/${pool!.tokens[0]!.mint}`);
      await link.waitFor();
      await assertAccessible(page);
      assert.deepEqual(complaints, []);
      await page.context().close();
    }
  });

  it('the setting switches it off', async () => {
    const off = await startService({ env: { SLIPWAY_CONSOLE: '0' } });
    try {
      const answer = await fetch(`${off.url}/`, { headers: HTML, redirect: 'manual' });
      assert.deepEqual([answer.status, answer.headers.get('location')], [302, '/docs']);
      assert.equal((await request(`${off.url}/swap`, { headers: HTML })).status, 404);
      assert.doesNotMatch(off.welcome, /Console/);
    } finally {
      await off.close();
    }
  });

  it('it says that the service is away, keeps what it has shown, and goes on when it is back', async () => {
    const first = await onFreePort((port) => startOnOwnPort({ env: { SLIPWAY_RPC_PORT: String(port) } }));
    const { page } = await openConsole(browser, `${first.url}/`);
    await page.locator('[data-balance="alice SOL"]', { hasText: '10,000' }).waitFor();
    await first.kill();
    await page.getByRole('alert').getByText('The service does not answer').waitFor();
    await page.locator('[data-balance="alice SOL"]', { hasText: '10,000' }).waitFor();
    const [, port] = /:(\d+)$/.exec(first.url)!;
    const [, rpcPort] = /:(\d+)$/.exec(first.rpcUrl)!;
    const env = { SLIPWAY_PORT: port!, SLIPWAY_RPC_PORT: rpcPort! };
    const second = await startService({ env, dataDir: first.dataDir });
    // The chain is asked by itself, and may have been missed, too.
    await page.getByRole('alert').first().waitFor({ state: 'detached' });
    const { address } = (await infoOf(second)).wallets[0]!;
    await request(`${second.url}/sandbox/airdrop`, { body: { wallet: address, amount: '1000000000' } });
    await page.locator('[data-balance="alice SOL"]', { hasText: '10,001' }).waitFor();
    await page.context().close();
    await second.kill();
    await first.close();
  });
});
