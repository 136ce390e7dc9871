import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

export interface ConsolePage {
  page: Page;
  /** What the browser complained about: scripts that failed, and what the page's policy refused. */
  complaints: string[];
}

/** A tab of its own on a screen of the console. Only this machine answers it. */
export async function openConsole(
  browser: Browser,
  url: string,
  { theme = 'light', width = 1440 }: { theme?: 'light' | 'dark'; width?: number } = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: theme });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(message.text()))
      complaints.push(message.text());
  });
  // Not by a route: each request would wait for this process.
  context.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol !== 'blob:' && hostname !== '127.0.0.1') complaints.push(`asked ${hostname}`);
  });
  await page.goto(url);
  return { page, complaints };
}

/** Logs in as the operator. */
export async function logIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Admin token').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** Asserts that axe finds nothing against WCAG 2.2 AA, and that nothing is wider than the window. */
export async function assertAccessible(page: Page): Promise<void> {
  // A page's policy permits no script of ours; what the browser's own tools run is not asked.
  await page.evaluate(AXE);
  const found = await page.evaluate(async (tags) => {
    const { axe } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run({ runOnly: { type: 'tag', values: tags } });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
  }, RULES);
  assert.deepEqual(found, []);
  const over = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.ok(over <= 0, `the page is ${over} pixels wider than the window`);
}
