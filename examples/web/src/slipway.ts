// One client for the whole page, and what it has to know of the sandbox.
import { createClient } from '@slipway/client';

const url: string = import.meta.env.VITE_SLIPWAY_URL;
const apiKey = 'sandbox';

/** Elsewhere you know your RPC and your mints; a sandbox says them. */
export const info = await createClient({ url, apiKey }).api.get('/sandbox/info');

export const client = createClient({ url, apiKey, rpcUrl: info.rpcUrl, sandbox: true });

/** The wallets of the sandbox sign for every chain; a real wallet knows the chain inside by this name. */
export const CHAIN = 'solana:localnet';
export const USDC = info.mints.find(({ symbol }) => symbol === 'USDC')!.mint;

const UNIT = { SOL: 1e9, USDC: 1e6 };

/** Of a number that somebody has typed, in the smallest unit; 0 for what is none. */
export const lamportsOf = (text: string): bigint => BigInt(Math.round(Number(text) * UNIT.SOL) || 0);

export const shown = (amount: string | bigint, symbol: keyof typeof UNIT): string =>
  `${(Number(amount) / UNIT[symbol]).toLocaleString('en', { maximumFractionDigits: 4 })} ${symbol}`;
