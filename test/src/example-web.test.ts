import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { associatedTokenAddress } from '@slipway/wire';
import type { Page } from 'playwright-core';
import { launchBrowser, withoutBrowser } from './browser.js';
import { inheritedEnvironment } from './command.js';
import { eventually } from './rounds.js';
import { type Service, startService } from './service.js';
import { infoOf, rpc } from './wallet.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/dist/web.js', import.meta.url));

/** Runs the example as `npm run example:web` does: where its page is, and what ends it. */
async function startExample(service: Service): Promise<{ url: string; close(): Promise<void> }> {
  const child = spawn(process.execPath, [EXAMPLE], {
    env: { ...inheritedEnvironment(), SLIPWAY_URL: service.url, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      const found = /http:\/\/localhost:\d+\//.exec(printed)?.[0];
      if (found) resolve(found);
    });
    child.on('exit', () => reject(new Error(`the example has ended: ${printed}`)));
  });
  const close = async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return { url, close };
}

/** Clicks, and approves what the wallet then asks; clicks again where the page says that it failed, as people do. */
async function approved(page: Page, name: string): Promise<void> {
  const approve = page.getByRole('dialog').getByRole('button', { name: 'Approve' });
  const button = page.getByRole('button', { name, exact: true });
  const failure = button.locator('..').getByRole('alert');
  let failures = 0;
  await button.click();
  await eventually(`${name} asks the wallet`, async () => {
    if (await approve.isVisible()) return true;
    if (!(await failure.isVisible()) || (await button.isDisabled())) return undefined;
    failures += 1;
    assert.ok(failures <= 5, `${name}: ${await failure.textContent()}`);
    await button.click();
    return undefined;
  });
  await approve.click();
}

it('the example in a page connects, swaps, places a stop loss, and sees it fill', {
  skip: withoutBrowser,
}, async () => {
  const service = await startService();
  const [example, browser] = await Promise.all([startExample(service), launchBrowser()]);
  try {
    const { wallets, mints } = await infoOf(service);
    const alice = wallets[0]!.address;
    const usdc = mints.find(({ symbol }) => symbol === 'USDC')!.mint;
    const account = associatedTokenAddress(alice, usdc);
    const balance = async () =>
      BigInt((await rpc<{ value: { amount: string } }>(service, 'getTokenAccountBalance', account)).value.amount);
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('pageerror', ({ message }) => complaints.push(message));
    await page.goto(example.url);
    await page.getByRole('button', { name: 'alice (sandbox)' }).click();

    const start = await balance();
    await approved(page, 'Swap');
    await page
      .getByLabel('swap')
      .filter({ hasText: /Got [\d.,]+ USDC: \w{80,}/ })
      .waitFor();
    const swapped = await balance();
    assert.ok(swapped - start > 100_000_000n, `${swapped - start} for 1 SOL`);

    await approved(page, 'Log in');
    await page.getByLabel('Sell SOL').fill('2');
    await approved(page, 'Place');
    const row = page.getByRole('row').nth(1);
    await row.getByRole('cell', { name: 'open' }).waitFor();
    assert.equal(await balance(), swapped, 'nothing is sold yet');
    await page.getByRole('button', { name: 'Let the price fall' }).click();
    await row.getByRole('cell', { name: 'filled' }).waitFor();
    const got = (await row.getByRole('cell', { name: /USDC$/ }).textContent()) ?? '';
    const arrived = (await balance()) - swapped;
    assert.ok(arrived > 200_000_000n, `${arrived} for 2 SOL`);
    assert.equal(Number(got.replace(/[^\d.]/g, '')).toFixed(3), (Number(arrived) / 1e6).toFixed(3));
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
    await example.close();
    await service.close();
  }
});
