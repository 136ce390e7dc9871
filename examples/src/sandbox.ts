import { type Client, createClient, SlipwayError } from '@slipway/client';
import { createKeyPairSignerFromBytes, getBase58Encoder, type KeyPairSigner } from '@solana/kit';
import { apiKey, fail, onRetry, url } from './service.js';

type Info = Awaited<ReturnType<typeof infoOf>>;

export interface Sandbox {
  /** Signs for the wallet. */
  client: Client;
  info: Info;
  /** Of a sandbox everybody may see the secret key. */
  wallet: KeyPairSigner;
  mintOf(symbol: string): Info['mints'][number];
}

// What the service refuses is a sentence, and not a stack.
process.on('uncaughtException', (error) => {
  if (!(error instanceof SlipwayError)) throw error;
  if (error.code === 'network')
    fail(`No service answers at ${url}. Start it in another terminal (npm start), or set SLIPWAY_URL to where it is`);
  fail(`${error.message} (${error.code})`);
});

/** A client for one of the sandbox's wallets, by its name. */
export async function openSandbox(name: string): Promise<Sandbox> {
  const info = await infoOf(createClient({ url, apiKey, onRetry }));
  const found =
    info.wallets.find((each) => each.name === name) ??
    fail(`No wallet ${name} in this sandbox; there are ${info.wallets.map((each) => each.name).join(', ')}`);
  const wallet = await createKeyPairSignerFromBytes(getBase58Encoder().encode(found.secretKey));
  return {
    client: createClient({ url, apiKey, onRetry, signer: wallet, rpcUrl: info.rpcUrl, sandbox: true }),
    info,
    wallet,
    mintOf: (symbol) => info.mints.find((each) => each.symbol === symbol) ?? fail(`This sandbox has no ${symbol}`),
  };
}

const infoOf = (client: Client) => client.api.get('/sandbox/info');
