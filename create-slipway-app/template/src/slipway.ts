import { createClient } from '@slipway/client';

const url: string = import.meta.env.VITE_SLIPWAY_URL;
const apiKey: string = import.meta.env.VITE_SLIPWAY_KEY;

/** Elsewhere you know your RPC and your mints; a sandbox says them. */
const { rpcUrl, mints } = await createClient({ url, apiKey }).api.get('/sandbox/info');

/** Anybody can put a program where a sandbox has its router: elsewhere, `programs` names the one of your service. */
const sandbox = ['127.0.0.1', 'localhost'].includes(new URL(url).hostname);

export const client = createClient({ url, apiKey, rpcUrl, sandbox });
export const CHAIN = 'solana:localnet';
export const USDC = mints.find(({ symbol }) => symbol === 'USDC')!.mint;

/** What somebody has typed, in the smallest unit; 0 for what is no number. */
export const unitsOf = (text: string, decimals: number): bigint =>
  BigInt(Math.round(Number(text) * 10 ** decimals) || 0);
