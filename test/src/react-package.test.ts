import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, servePage, withoutBrowser } from './browser.js';
import { clientOf } from './client.js';
import { request, type Service, startService } from './service.js';
import { infoOf, walletNamed } from './wallet.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOL = 'So11111111111111111111111111111111111111112';
const readme = readFileSync(join(ROOT, 'react', 'README.md'), 'utf8');
const snippet = /```tsx\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';

/** What the hooks do that the README does not show: their state is the page's text. */
const HOOKS = `
import { createClient, SOL } from '@slipway/client';
import { SlipwayProvider, useEvents, useQuote } from '@slipway/react';
import { useState } from 'react';

const asked: { signal: AbortSignal | null | undefined }[] = [];
Object.assign(globalThis, { asked });
const client = createClient({ url: '{url}', apiKey: 'sandbox', fetch: (input, init) => {
  if (String(input).includes('/ultra/v1/order')) asked.push({ signal: init?.signal });
  return fetch(input, init);
} });

function Quote() {
  const [amount, setAmount] = useState(1_000_000_000n);
  const { data, status } = useQuote(amount > 0n ? { inputMint: SOL, outputMint: '{usdc}', amount } : undefined, { refreshMs: 200 });
  return <>
    <input aria-label="amount" onChange={({ target }) => setAmount(BigInt(target.value || 0))} />
    <p id="status">{status}</p>
    <p id="in">{data?.inAmount}</p>
    <p id="out">{data?.outAmount}</p>
  </>;
}

function Heard() {
  const [heard, setHeard] = useState<string[]>([]);
  const { isOpen } = useEvents({ kinds: ['transaction.*'], after: 0 }, ({ kind, data }) => setHeard((before) => [...before, 'signature' in data ? kind + ':' + data.signature : kind]));
  return <p id="heard">{isOpen ? 'open' : 'closed'} {heard.join(' ')}</p>;
}

export function App() {
  const [isShown, show] = useState(true);
  return <SlipwayProvider client={client}>
    <button onClick={() => show(!isShown)}>Show or hide</button>
    {isShown && <><Quote /><Heard /></>}
  </SlipwayProvider>;
}
`;

/** The open limit orders of a wallet, from a service that lets nobody hear of them. */
const ORDERS = `
import { createClient } from '@slipway/client';
import { SlipwayProvider, useLimitOrders } from '@slipway/react';

const client = createClient({ url: '{url}', apiKey: 'sandbox', fetch: (input, init) =>
  String(input).includes('/events/v1/stream')
    ? Promise.resolve(new Response('{"code":"GONE","message":"no longer kept"}', { status: 410 }))
    : fetch(input, init) });

function Orders() {
  const { data } = useLimitOrders('{wallet}');
  return <p id="orders">{data ? 'open ' + data.map(({ orderKey }) => orderKey).join(' ') : 'not known'}</p>;
}

export const App = () => <SlipwayProvider client={client}><Orders /></SlipwayProvider>;
`;

describe('the packed hooks in an empty project', { skip: withoutBrowser }, () => {
  let project: string;
  let service: Service;
  let browser: Browser;
  let app: { server: Server; port: number };
  before(async () => {
    project = mkdtempSync(join(tmpdir(), 'slipway-react-'));
    const { pack } = await import(pathToFileURL(join(ROOT, 'scripts', 'pack.mjs')).href);
    const tarballs: string[] = [await pack('client', project), await pack('react', project)];
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    const options = ['--offline', '--no-audit', '--no-fund', '--loglevel=error', '--legacy-peer-deps'];
    execFileSync('npm', ['install', ...options, ...tarballs], { cwd: project, stdio: 'pipe' });
    for (const name of [
      'react',
      'react-dom',
      '@types/react',
      '@types/react-dom',
      '@solana/react',
      '@wallet-standard/react',
    ])
      link(name);
    [service, app, browser] = await Promise.all([startService(), servePage(), launchBrowser()]);
  });
  after(async () => {
    await browser?.close();
    app?.server.close();
    await service?.close();
    if (project) rmSync(project, { recursive: true, force: true });
  });

  /** Puts what the user has beside the hooks where npm would. */
  function link(name: string): void {
    const place = createRequire(join(ROOT, 'react', 'package.json'))
      .resolve.paths(name)!
      .find((folder) => {
        try {
          return readFileSync(join(folder, name, 'package.json'));
        } catch {
          return false;
        }
      })!;
    mkdirSync(dirname(join(project, 'node_modules', name)), { recursive: true });
    symlinkSync(join(place, name), join(project, 'node_modules', name), 'dir');
  }

  /** Compiles an app strictly, and opens it in a page of another origin than the service's. */
  async function open(source: string): Promise<Page> {
    const usdc = (await infoOf(service)).mints.find(({ symbol }) => symbol === 'USDC')!.mint;
    const text = source
      .replaceAll('{url}', service.url)
      .replaceAll('{usdc}', usdc)
      .replace('http://127.0.0.1:8080', service.url)
      .replace('http://127.0.0.1:8899', service.rpcUrl);
    writeFileSync(join(project, 'app.tsx'), text);
    const flags =
      '--ignoreConfig --noEmit --strict --skipLibCheck --target es2023 --module nodenext --lib es2023,dom,dom.iterable --jsx react-jsx';
    const tsc = join(ROOT, 'node_modules', 'typescript-7', 'bin', 'tsc');
    execFileSync(process.execPath, [tsc, ...flags.split(' '), 'app.tsx'], { cwd: project, encoding: 'utf8' });
    const start = `import { createElement, StrictMode } from 'react';
      import { createRoot } from 'react-dom/client';
      import { App } from './app.tsx';
      createRoot(document.body).render(createElement(StrictMode, null, createElement(App)));`;
    const { outputFiles } = await build({
      stdin: { contents: start, resolveDir: project },
      bundle: true,
      jsx: 'automatic',
      format: 'esm',
      define: { 'process.env.NODE_ENV': '"development"' },
      write: false,
    });
    const page = await browser.newPage();
    await page.goto(`http://localhost:${app.port}/`);
    await page.addScriptTag({ url: `${service.url}/sandbox/wallet.js`, type: 'module' });
    await page.addScriptTag({ content: outputFiles[0]!.text, type: 'module' });
    return page;
  }

  it('swap as the README shows, with a wallet of the sandbox', async () => {
    const page = await open(snippet);
    await page.getByRole('button', { name: 'bob (sandbox)' }).click();
    await page.getByRole('button', { name: /^1 SOL for \d+\.\d+ USDC$/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page
      .locator('output')
      .filter({ hasText: /^\w{80,}$/ })
      .waitFor();
    await page.close();
  });

  it('ask for quotes again and again, and only for what is wanted now', async () => {
    const page = await open(HOOKS);
    await page.locator('#in').filter({ hasText: '1000000000' }).waitFor();
    const first = await page.locator('#out').textContent();
    await request(`${service.url}/sandbox/prices`, { body: { mint: SOL, usd: 300 } });
    await page.waitForFunction(`Number(document.querySelector('#out').textContent) > 1.5 * ${first}`);
    await page.getByLabel('amount').fill('2000000000');
    await page.locator('#in').filter({ hasText: '2000000000' }).waitFor();
    await page.getByLabel('amount').fill('0');
    await page.locator('#status').filter({ hasText: 'disabled' }).waitFor();
    await page.route('**/ultra/v1/order**', () => {});
    await page.evaluate('asked.length = 0');
    await page.getByLabel('amount').fill('3000000000');
    await page.waitForFunction('asked.length > 0');
    await page.getByLabel('amount').fill('4000000000');
    await page.waitForFunction('asked.length > 1 && asked.at(0).signal.aborted && !asked.at(-1).signal.aborted');
    await page.getByRole('button', { name: 'Show or hide' }).click();
    await page.waitForFunction('asked.every(({ signal }) => signal.aborted)');
    await page.close();
  });

  it('hear each event once, as it happens, and from the beginning when they come back', async () => {
    const page = await open(HOOKS);
    await page.locator('#heard').filter({ hasText: 'open' }).waitFor();
    const client = clientOf(service, await walletNamed(service, 'carol'));
    const outputMint = (await infoOf(service)).mints.find(({ symbol }) => symbol === 'USDC')!.mint;
    const ours: string[] = [];
    const swap = async (amount: bigint) =>
      ours.push((await client.swap({ inputMint: SOL, outputMint, amount })).signature);
    // By their signatures: what other tests have landed is sent, too, some time after the stream is open.
    const heard = async () => {
      const text = (await page.locator('#heard').textContent()) ?? '';
      return [...text.matchAll(/transaction\.landed:(\w+)/g)]
        .map((match) => match[1]!)
        .filter((it) => ours.includes(it));
    };
    const hearAll = async () => {
      while ((await heard()).length < ours.length) await setTimeout(50);
      assert.deepEqual(await heard(), ours);
    };
    await swap(1_000_000_000n);
    await swap(2_000_000_000n);
    await hearAll();
    await page.getByRole('button', { name: 'Show or hide' }).click();
    await page.locator('#heard').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show or hide' }).click();
    await hearAll();
    await swap(3_000_000_000n);
    await hearAll();
    await page.close();
  });

  it('attack: a lying service lets nobody hear of his orders: the page asks for them again all the same', async () => {
    const bob = await walletNamed(service, 'bob');
    const client = clientOf(service, bob);
    const outputMint = (await infoOf(service)).mints.find(({ symbol }) => symbol === 'USDC')!.mint;
    const page = await open(ORDERS.replace('{wallet}', bob.address));
    await page.locator('#orders').filter({ hasText: 'open' }).waitFor();
    const asked = { inputMint: SOL, outputMint, makingAmount: 1_000_000_000n, takingAmount: 9_000_000_000n };
    const { order } = await client.createLimitOrder(asked);
    await page.locator('#orders').filter({ hasText: order }).waitFor();
    await client.cancelLimitOrder(order);
    await page.locator('#orders').filter({ hasText: order }).waitFor({ state: 'detached' });
    await page.close();
  });
});
