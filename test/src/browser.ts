import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';

/** Why the tests in a browser are left out; false where there is one. */
export const withoutBrowser: string | false = existsSync(CHROMIUM) ? false : `there is no ${CHROMIUM}`;

/** A real browser that asks nobody but those whom a page asks. `hosts` maps names to addresses of this machine. */
export function launchBrowser(hosts: Record<string, string> = {}): Promise<Browser> {
  const rules = Object.entries(hosts).map(([name, address]) => `MAP ${name} ${address}`);
  return chromium.launch({
    executablePath: CHROMIUM,
    headless: true,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync'],
      ...(rules.length > 0 ? [`--host-resolver-rules=${rules.join(',')}`] : []),
    ],
  });
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
