import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser, withoutBrowser } from './browser.js';
import { assertAccessible, openConsole } from './console-page.js';
import { type Service, startService } from './service.js';
import { USDC } from './swap.js';
import { infoOf, rpc } from './wallet.js';

describe("the console's limit orders", { skip: withoutBrowser }, () => {
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
    const { page, complaints } = await openConsole(browser, `${service.url}/orders/limit`);
    await page.getByLabel('Acting as').selectOption(wallet);
    return { page, complaints, rows: page.getByLabel('Limit orders', { exact: true }).getByRole('listitem') };
  };
  const usdcOf = async (wallet: string): Promise<bigint> => {
    const { address } = (await infoOf(service)).wallets.find(({ name }) => name === wallet)!;
    type Rows = { value: { account: { data: { parsed: { info: { tokenAmount: { amount: string } } } } } }[] };
    const { value } = await rpc<Rows>(
      service,
      'getTokenAccountsByOwner',
      address,
      { mint: USDC },
      { encoding: 'jsonParsed' },
    );
    return value.reduce((sum, { account }) => sum + BigInt(account.data.parsed.info.tokenAmount.amount), 0n);
  };

  it('is filled when the price is moved to it, for no less than was asked', async () => {
    const { page, complaints, rows } = await opened('bob');
    const before = await usdcOf('bob');
    await page.getByLabel('So much SOL').fill('2');
    await page.getByLabel('At so much USDC for each').fill('160');
    await page.getByText('when somebody pays 320 USDC').waitFor();
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Sign as bob and open' }).click();
    await page.getByText('Open: order').waitFor();
    await rows.filter({ hasText: 'Sell 2 SOL for 320 USDC' }).filter({ hasText: 'Open' }).waitFor();
    await page.getByRole('button', { name: '+10 %' }).click();
    await rows.filter({ hasText: 'Completed' }).filter({ hasText: 'Got 320 USDC for 2 SOL' }).waitFor();
    assert.equal((await usdcOf('bob')) - before, 320_000_000n);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('is cancelled, and gives back what it held', async () => {
    const { page, complaints, rows } = await opened('carol');
    const before = await usdcOf('carol');
    await page.getByLabel('Sell', { exact: true }).selectOption('USDC');
    await page.getByLabel('So much USDC').fill('50');
    await page.getByLabel('At so much SOL for each').fill('0.01');
    await page.getByRole('button', { name: 'Sign as carol and open' }).click();
    await rows.filter({ hasText: 'Open' }).waitFor();
    assert.equal(before - (await usdcOf('carol')), 50_000_000n);
    await rows.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('What it held is back').waitFor();
    await rows.filter({ hasText: 'Cancelled' }).waitFor();
    assert.equal(await usdcOf('carol'), before);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('says what is wrong with an amount, and with one that the service refuses', async () => {
    const { page, complaints } = await opened('dave');
    await page.getByLabel('So much SOL').fill('lots');
    await page.getByText('an amount above 0, such as 1.5').waitFor();
    assert.ok(await page.getByRole('button', { name: 'Sign as dave and open' }).isDisabled());
    await page.getByLabel('So much SOL').fill('0.0001');
    await page.getByRole('button', { name: 'Sign as dave and open' }).click();
    await page.getByRole('alert').filter({ hasText: '5 USD' }).waitFor();
    assert.ok(
      complaints.every((each) => each.includes('400')),
      complaints.join('\n'),
    );
    await page.context().close();
  });
});
