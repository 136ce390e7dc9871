import type { SlipwayError } from '@slipway/client';

/** Base URL and key, as `npm start` prints them, or from the environment. */
const { SLIPWAY_URL, SLIPWAY_HOST, SLIPWAY_PORT, SLIPWAY_API_KEY } = process.env;
const host = SLIPWAY_HOST || '127.0.0.1';
export const url = (SLIPWAY_URL || `http://${host.includes(':') ? `[${host}]` : host}:${SLIPWAY_PORT || 8080}`).replace(
  /\/+$/,
  '',
);
export const apiKey = SLIPWAY_API_KEY || 'sandbox';

// Whoever reads has gone, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

export function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}

export function say(label: string, value: unknown = ''): void {
  console.log(`${label.padEnd(28)} ${value}`.trimEnd());
}

/** Why the client waits: the service is stopped, for instance, or has been asked too often. */
export function onRetry({ message, retryAfterMs }: SlipwayError): void {
  if (retryAfterMs !== undefined) console.error(`Trying again in ${Math.ceil(retryAfterMs / 1_000)} s: ${message}`);
}
