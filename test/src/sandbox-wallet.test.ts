import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import {
  base58Decode,
  base58Encode,
  compileMessage,
  memo,
  systemTransfer,
  unsignedTransaction,
  verify,
} from '@slipway/wire';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, servePage, withoutBrowser } from './browser.js';
import { type Service, startService } from './service.js';
import { order, SOL } from './swap.js';
import { type Info, infoOf, rpc } from './wallet.js';

describe("the sandbox's wallet", { skip: withoutBrowser }, () => {
  let service: Service;
  let browser: Browser;
  let app: { server: Server; port: number };
  let info: Info;
  let finder: string;
  before(async () => {
    const [started, served, opened, built] = await Promise.all([
      startService(),
      servePage(),
      launchBrowser({ 'elsewhere.example': '127.0.0.1' }),
      build({
        stdin: {
          contents: `import { getWallets } from '@wallet-standard/app';
            globalThis.names = () => getWallets().get().map(({ name }) => name);
            globalThis.walletNamed = (name) => getWallets().get().find((each) => each.name === name);`,
          resolveDir: import.meta.dirname,
        },
        bundle: true,
        format: 'esm',
        write: false,
      }),
    ]);
    [service, app, browser, finder] = [started, served, opened, built.outputFiles[0]!.text];
    info = await infoOf(service);
  });
  after(async () => {
    await browser?.close();
    app?.server.close();
    await service?.close();
  });

  /** A page of another origin, which has the tag. */
  async function openApp(): Promise<Page> {
    const page = await browser.newPage();
    await page.goto(`http://localhost:${app.port}/`);
    await page.addScriptTag({ content: finder, type: 'module' });
    await page.addScriptTag({ url: `${service.url}/sandbox/wallet.js`, type: 'module' });
    await page.waitForFunction('globalThis.names?.().length > 0');
    return page;
  }

  /** Asks alice's wallet for something: `use` gets its features, her account, and bytes. What went wrong is its answer. */
  function start(page: Page, use: string, bytes: Uint8Array = new Uint8Array()): Promise<unknown> {
    return page.evaluate(`(async () => {
      const wallet = walletNamed('alice (sandbox)');
      const [account] = (await wallet.features['standard:connect'].connect()).accounts;
      const bytes = Uint8Array.from(${JSON.stringify([...bytes])});
      const plain = (value) => value instanceof Uint8Array ? [...value] : value;
      try {
        const [answer] = await (${use})(wallet.features, account, bytes);
        return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, plain(value)]));
      } catch (error) {
        return { thrown: error.message };
      }
    })()`);
  }
  const signMessage = "(f, account, message) => f['solana:signMessage'].signMessage({ account, message })";
  const signTransaction =
    "(f, account, transaction) => f['solana:signTransaction'].signTransaction({ account, transaction, chain: 'solana:localnet' })";
  const signAndSend =
    "(f, account, transaction) => f['solana:signAndSendTransaction'].signAndSendTransaction({ account, transaction, chain: 'solana:mainnet' })";
  const dialog = (page: Page) => page.getByRole('dialog');
  const press = (page: Page, name: 'Approve' | 'Reject') => dialog(page).getByRole('button', { name }).click();
  const balance = async (wallet: string) => (await rpc<{ value: number }>(service, 'getBalance', wallet)).value;

  async function payment(lamports: bigint, ...notes: string[]): Promise<Uint8Array> {
    const [alice, bob] = info.wallets.map(({ address }) => address);
    const { value } = await rpc<{ value: { blockhash: string } }>(service, 'getLatestBlockhash');
    const message = compileMessage({
      version: 0,
      feePayer: alice!,
      blockhash: value.blockhash,
      instructions: [systemTransfer({ from: alice!, to: bob!, lamports }), ...notes.map((text) => memo(text))],
    });
    return unsignedTransaction(message);
  }

  it('is in the list of every picker, and remembers who is connected', async () => {
    const page = await openApp();
    const names = ['alice', 'bob', 'carol', 'dave', 'erin'].map((name) => `${name} (sandbox)`);
    assert.deepEqual(await page.evaluate('names()'), names);
    const accounts = `walletNamed('alice (sandbox)').accounts.map(({ address }) => address)`;
    assert.deepEqual(await page.evaluate(accounts), []);
    const connect = `walletNamed('alice (sandbox)').features['standard:connect'].connect`;
    assert.deepEqual(await page.evaluate(`${connect}({ silent: true }).then(({ accounts }) => accounts)`), []);
    const changes = page.evaluate(`new Promise((resolve) => {
      const { features } = walletNamed('alice (sandbox)');
      features['standard:events'].on('change', ({ accounts }) => resolve(accounts.length));
      features['standard:connect'].connect();
    })`);
    assert.equal(await changes, 1);
    assert.deepEqual(await page.evaluate(accounts), [info.wallets[0]!.address]);
    await page.reload();
    await page.addScriptTag({ content: finder, type: 'module' });
    await page.addScriptTag({ url: `${service.url}/sandbox/wallet.js`, type: 'module' });
    await page.waitForFunction('globalThis.names?.().length > 0');
    assert.deepEqual(await page.evaluate(accounts), [info.wallets[0]!.address]);
    await page.evaluate(`walletNamed('alice (sandbox)').features['standard:disconnect'].disconnect()`);
    assert.deepEqual(await page.evaluate(accounts), []);
    await page.context().clearCookies();
    await page.close();
  });

  it('shows a message, and signs it once it is approved', async () => {
    const page = await openApp();
    const message = new TextEncoder().encode('Log in to a shop');
    const asked = start(page, signMessage, message);
    await dialog(page).getByText('Log in to a shop').waitFor();
    await press(page, 'Approve');
    const { signature } = (await asked) as { signature: number[] };
    assert.ok(verify(info.wallets[0]!.address, message, Uint8Array.from(signature)));
    await page.close();
  });

  it('shows what a transaction pays to whom, sends it, and the money is there', async () => {
    const page = await openApp();
    const [, bob] = info.wallets;
    const before = await balance(bob!.address);
    const asked = start(page, signAndSend, await payment(1_250_000_000n));
    await dialog(page).getByText('System: alice pays 1.25 SOL to bob').waitFor();
    await dialog(page).getByText('-1.250005 SOL', { exact: true }).waitFor();
    await dialog(page).getByText('alice pays 0.000005 SOL to the network').waitFor();
    await press(page, 'Approve');
    const { signature } = (await asked) as { signature: number[] };
    assert.equal(base58Decode(base58Encode(Uint8Array.from(signature)))?.length, 64);
    while ((await balance(bob!.address)) !== before + 1_250_000_000) await setTimeout(50);
    await page.close();
  });

  for (const [excludeRouters, does] of [
    ['jupiterz', /gives 1 SOL at most, and the USDC account of alice gets [\d.]+ USDC at least; by /],
    ['metis', /alice gives [\d.]+ SOL to \w{32,}, and gets [\d.]+ USDC/],
  ] as const) {
    it(`reads a swap without ${excludeRouters}`, async () => {
      const page = await openApp();
      const outputMint = info.mints.find(({ symbol }) => symbol === 'USDC')!.mint;
      const taker = info.wallets[0]!.address;
      const asks = { inputMint: SOL, outputMint, amount: 1_000_000_000n, taker, excludeRouters };
      const { transaction } = await order(service, asks);
      const asked = start(page, signTransaction, Buffer.from(transaction!, 'base64'));
      await dialog(page).getByText(does).waitFor();
      await dialog(page)
        .getByText(/^\+[\d.]+ USDC$/)
        .waitFor();
      assert.equal(await dialog(page).getByText('not understood').count(), 0);
      await press(page, 'Reject');
      assert.deepEqual(await asked, { thrown: 'The user has rejected the request' });
      await page.close();
    });
  }

  it('signs nothing that is rejected, closed, approved by a script, or asked for by the wrong name', async () => {
    const page = await openApp();
    const before = await balance(info.wallets[1]!.address);
    const rejected = { thrown: 'The user has rejected the request' };
    const first = start(page, signAndSend, await payment(1n));
    await press(page, 'Reject');
    assert.deepEqual(await first, rejected);
    const second = start(page, signAndSend, await payment(2n));
    await dialog(page).waitFor();
    await page.evaluate(
      `document.querySelector('slipway-sandbox-wallet').shadowRoot.querySelector('.approve').click()`,
    );
    assert.equal(await dialog(page).count(), 1, 'a click of the page itself approves nothing');
    await page.keyboard.press('Escape');
    assert.deepEqual(await second, rejected);
    const third = start(page, signMessage, (await payment(3n)).subarray(65));
    assert.match(((await third) as { thrown: string }).thrown, /bytes of a transaction/);
    assert.equal(await balance(info.wallets[1]!.address), before);
    await page.close();
  });

  it('attack: a page writes into the dialog of the sandbox wallet with a memo and a message', async () => {
    const page = await openApp();
    const hostile = '<img src=x onerror="globalThis.hit=1">\u202egnp\u200b</li>\u0000';
    const note = start(page, signTransaction, await payment(5n, hostile));
    await dialog(page).getByText('\\u{202e}gnp\\u{200b}</li>\\u{0}').waitFor();
    await press(page, 'Reject');
    await note;
    const message = start(page, signMessage, new TextEncoder().encode(hostile));
    await dialog(page).getByText('<img src=x').waitFor();
    await press(page, 'Reject');
    await message;
    assert.equal(await page.evaluate('globalThis.hit'), undefined);
    assert.equal(await page.locator('slipway-sandbox-wallet').count(), 0);
    await page.close();
  });

  it('attack: a page from elsewhere loads the sandbox wallet', async () => {
    const page = await browser.newPage();
    await page.goto(`http://elsewhere.example:${app.port}/`);
    await page.addScriptTag({ content: finder, type: 'module' });
    await assert.rejects(page.addScriptTag({ url: `${service.url}/sandbox/wallet.js`, type: 'module' }));
    assert.deepEqual(await page.evaluate('names()'), []);
    await page.close();
  });
});
