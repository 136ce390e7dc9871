import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { generateKeypair, type Keypair } from '@slipway/wire';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, withoutBrowser } from './browser.js';
import { assertAccessible, openConsole } from './console-page.js';
import { type Service, startService } from './service.js';
import { airdrop, lamportsOf, tokensOf, USDC } from './swap.js';

const ONE_SOL = 1_000_000_000n;

/** What a wallet in a browser does when it is asked to sign. */
type Mood = 'signs' | 'refuses' | 'waits' | 'signs something else';

describe('the console with a wallet of the browser', { skip: withoutBrowser }, () => {
  let service: Service;
  let browser: Browser;
  let wallet: Keypair;
  before(async () => {
    [service, browser] = await Promise.all([startService(), launchBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** A tab with such a wallet, whose account has 5 SOL and acts. */
  async function openAs(path: string, options: Parameters<typeof openConsole>[2] = {}) {
    wallet = generateKeypair();
    await airdrop(service, wallet.address, 5n * ONE_SOL);
    const opened = await openConsole(browser, `${service.url}${path}`, options);
    await install(opened.page, wallet);
    await opened.page.getByLabel('Acting as').selectOption({ label: 'Tester' });
    return opened;
  }
  const mood = (page: Page, now: Mood) => page.evaluate(`testWallet.mood = '${now}'`);
  const swap = (page: Page) => page.getByRole('button', { name: 'Sign as Tester and swap' }).click();

  it('swaps with its signature, to the unit, and waits for it where the wallet takes its time', async () => {
    const { page, complaints } = await openAs('/swap', { theme: 'dark', width: 390 });
    await page.getByText('Tester swaps').waitFor();
    await page.getByText('has 5', { exact: true }).waitFor();
    await mood(page, 'waits');
    await swap(page);
    await page.getByText('Waiting for the wallet to sign …').waitFor();
    await assertAccessible(page);
    assert.equal(await tokensOf(service, wallet.address, USDC), 0n);
    await page.evaluate('testWallet.goOn()');
    const done = page.getByText(/^Got ([\d.,]+) USDC/);
    await done.waitFor();
    const [, got] = /Got ([\d.,]+) USDC/.exec((await done.textContent()) ?? '') ?? [];
    const held = await tokensOf(service, wallet.address, USDC);
    assert.equal(BigInt(Math.round(Number(got!.replaceAll(',', '')) * 1e6)), held);
    assert.ok(held > 148_000_000n);
    assert.deepEqual(complaints, []);
    await page.context().close();
  });

  it('says what the wallet says when it refuses, and sends nothing that it has changed', async () => {
    const { page } = await openAs('/swap');
    await mood(page, 'refuses');
    await swap(page);
    await page.getByRole('alert').getByText('did not sign: The user has said no').waitFor();
    await mood(page, 'signs something else');
    await swap(page);
    await page
      .getByRole('alert')
      .getByText('the wallet has changed the transaction that it signed; it is not sent')
      .waitFor();
    assert.equal(await lamportsOf(service, wallet.address), 5n * ONE_SOL);
    await page.context().close();
  });

  it('places an order after a login that it has signed', async () => {
    const { page } = await openAs('/orders');
    await page.getByText('Orders of Tester').waitFor();
    await page.getByRole('button', { name: 'Sign as Tester, deposit and place' }).click();
    await page.getByLabel('Orders and what became of them').getByRole('listitem').first().waitFor();
    assert.ok((await lamportsOf(service, wallet.address)) < 5n * ONE_SOL);
    await page.context().close();
  });

  it('follows the wallet to another account, and goes back to the sandbox when it has none', async () => {
    const { page } = await openAs('/');
    const other = generateKeypair();
    await airdrop(service, other.address, 3n * ONE_SOL);
    await page.locator('[data-balance="Tester SOL"]', { hasText: /^5$/ }).waitFor();
    await page.evaluate(
      (address) => (globalThis as unknown as { testWallet: { moveTo(to: string): void } }).testWallet.moveTo(address),
      other.address,
    );
    await page.locator('[data-balance="Tester SOL"]', { hasText: /^3$/ }).waitFor();
    await page.evaluate('testWallet.disconnect()');
    assert.equal(await page.getByLabel('Acting as').inputValue(), 'alice');
    assert.equal(await page.locator('[data-balance="Tester SOL"]').count(), 0);
    await page.context().close();
  });

  it('says why a wallet cannot be had, and stays with the one before', async () => {
    const { page } = await openConsole(browser, service.url, { width: 390 });
    await install(page, generateKeypair());
    await page.evaluate("testWallet.connect = () => Promise.reject(new Error('It is locked'))");
    await page.getByLabel('Acting as').selectOption({ label: 'Tester' });
    await page.getByRole('alert').getByText('Tester: It is locked').waitFor();
    assert.equal(await page.getByLabel('Acting as').inputValue(), 'alice');
    await page.context().close();
  });
});

/** Announces a wallet to the page as the wallet standard says, which signs as it is in the mood to. */
async function install(page: Page, { address, secretKey }: Keypair): Promise<void> {
  await page.getByLabel('Acting as').waitFor();
  const seed = [...secretKey.slice(0, 32)];
  await page.evaluate(announce, { address, publicKey: [...secretKey.slice(32)], seed });
}

/** Runs in the page. */
function announce({ address, publicKey, seed }: { address: string; publicKey: number[]; seed: number[] }): void {
  const accountAt = (at: string) => ({
    address: at,
    publicKey: new Uint8Array(publicKey),
    chains: ['solana:localnet'],
    features: ['solana:signTransaction', 'solana:signMessage'],
  });
  const listeners = new Set<(changed: object) => void>();
  const sign = async (message: Uint8Array): Promise<Uint8Array> => {
    const head = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32];
    const key = await crypto.subtle.importKey('pkcs8', new Uint8Array([...head, ...seed]), 'Ed25519', false, ['sign']);
    return new Uint8Array(await crypto.subtle.sign('Ed25519', key, message.slice()));
  };
  const tell = (accounts: object[]) => {
    for (const listener of listeners) listener({ accounts });
  };
  const test = {
    mood: 'signs' as string,
    goOn: () => {},
    connect: async () => ({ accounts: [accountAt(address)] }),
    moveTo: (to: string) => tell([accountAt(to)]),
    disconnect: () => tell([]),
  };
  async function signTransaction({ transaction }: { transaction: Uint8Array }) {
    if (test.mood === 'refuses') throw new Error('The user has said no');
    if (test.mood === 'waits')
      await new Promise<void>((resolve) => {
        test.goOn = resolve;
      });
    const count = transaction[0]!;
    const message = transaction.slice(1 + 64 * count);
    const at = (message[0]! & 0x80 ? 1 : 0) + 3;
    const keyAt = (index: number) => message.slice(at + 1 + 32 * index, at + 33 + 32 * index);
    const index = Array.from({ length: count }, (_, i) => i).find((i) =>
      keyAt(i).every((byte, j) => byte === publicKey[j]),
    );
    const signed = transaction.slice();
    signed.set(await sign(message), 1 + 64 * index!);
    // A byte of the blockhash.
    if (test.mood === 'signs something else') signed[1 + 64 * count + at + 1 + 32 * message[at]!]! ^= 1;
    return [{ signedTransaction: signed }];
  }
  const wallet = {
    version: '1.0.0',
    name: 'Tester',
    icon: 'data:image/svg+xml;base64,PHN2Zy8+',
    chains: ['solana:localnet'],
    accounts: [],
    features: {
      'standard:connect': { version: '1.0.0', connect: () => test.connect() },
      'standard:events': {
        version: '1.0.0',
        on: (_event: string, listener: (changed: object) => void) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
      'solana:signTransaction': { version: '1.0.0', supportedTransactionVersions: ['legacy', 0], signTransaction },
      'solana:signMessage': {
        version: '1.0.0',
        signMessage: async ({ message }: { message: Uint8Array }) => [
          { signedMessage: message, signature: await sign(message) },
        ],
      },
    },
  };
  Object.assign(globalThis, { testWallet: test });
  const register = (api: { register(wallet: object): void }) => api.register(wallet);
  const page = globalThis as unknown as EventTarget;
  page.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
}
