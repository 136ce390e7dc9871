import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium } from 'playwright-core';

/** The first is the same browser without windows of its own, which take most of the other's processor time. */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const browser = BROWSERS.find((path) => existsSync(path));

/** Why the tests in a browser are left out; false where there is one. */
export const withoutBrowser: string | false = browser === undefined ? `there is no ${BROWSERS.join(' or ')}` : false;

/** As long as `eventually` waits: what never comes is a fault, what is slow is a busy machine. */
const PATIENCE_MS = 120_000;

/** Whom it finds besides `hosts`: this machine. */
const NOBODY_ELSE = ['MAP * ~NOTFOUND', 'EXCLUDE 127.*.*.*', 'EXCLUDE localhost', 'EXCLUDE *.localhost'];

/** A real browser that asks nobody but those whom a page asks, on this machine. `hosts` maps names to its addresses. */
export async function launchBrowser(hosts: Record<string, string> = {}): Promise<Browser> {
  const rules = Object.entries(hosts).map(([name, address]) => `MAP ${name} ${address}`);
  const launched = await chromium.launch({
    executablePath: browser!,
    headless: true,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync'],
      `--host-resolver-rules=${[...rules, ...NOBODY_ELSE].join(',')}`,
    ],
  });
  const newContext = launched.newContext.bind(launched);
  launched.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  };
  return launched;
}

/** Serves one empty page on every path, as a web app's own server would. */
export async function servePage(host = '127.0.0.1'): Promise<{ server: Server; port: number }> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>app</title>');
  });
  server.listen(0, host);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}
