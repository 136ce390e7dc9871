import { readFile } from 'node:fs/promises';
import { plainError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';

/** What `npm run build` makes for browsers. */
const BROWSER = new URL('../../browser/', import.meta.url);

/** A module that registers the sandbox's wallets with the page that loads it, by the wallet standard. */
export function registerWalletScript(app: TypedServer): void {
  let script: Promise<Buffer> | undefined;
  app.get('/sandbox/wallet.js', {
    config: { errorShape: plainError, auth: 'none' },
    schema: { hide: true },
    handler: async (_request, reply) => {
      script ??= readFile(new URL('sandbox-wallet.js', BROWSER));
      return reply
        .headers({
          'content-type': 'text/javascript; charset=utf-8',
          'cache-control': 'no-cache',
          'x-content-type-options': 'nosniff',
          // The page is of another origin; one that is isolated loads nothing that does not say this.
          'cross-origin-resource-policy': 'cross-origin',
        })
        .send(await script);
    },
  });
}
