// A page that connects a wallet, swaps, and places a stop loss: serves examples/web, where its code is.
// Usage: npm run example:web, with "npm start" in another terminal.

import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { url } from './service.js';

process.env.VITE_SLIPWAY_URL = url;
const server = await createServer({ root: fileURLToPath(new URL('../web', import.meta.url)) });
await server.listen();
server.printUrls();
