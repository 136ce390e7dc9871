import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { associatedTokenAddress } from '@slipway/wire';
import type { Page } from 'playwright-core';
import { launchBrowser, withoutBrowser } from './browser.js';
import { inheritedEnvironment } from './command.js';
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
    const approve = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.goto(example.url);
    await page.getByRole('button', { name: 'alice (sandbox)' }).click();

    const start = await balance();
    await page.getByRole('button', { name: 'Swap', exact: true }).click();
    await approve(page);
    await page
      .getByLabel('swap')
      .filter({ hasText: /Got [\d.,]+ USDC: \w{80,}/ })
      .waitFor();
    const swapped = await balance();
    assert.ok(swapped - start > 100_000_000n, `${swapped - start} for 1 SOL`);

    await page.getByRole('button', { name: 'Log in' }).click();
    await approve(page);
    await page.getByLabel('Sell SOL').fill('2');
    await page.getByRole('button', { name: 'Place' }).click();
    await approve(page);
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
