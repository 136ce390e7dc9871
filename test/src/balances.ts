import { associatedTokenAddress } from '@slipway/wire';
import type { Service } from './service.js';
import { lamportsOf, USDC } from './swap.js';
import { rpc } from './wallet.js';

interface Landed {
  meta: { fee: number };
  transaction: { message: { accountKeys: string[] } };
}

/** The network fees of all that has landed with this wallet as the fee payer. */
export async function feesPaidBy(service: Pick<Service, 'rpcUrl'>, wallet: string): Promise<bigint> {
  const found = await rpc<{ signature: string }[]>(service, 'getSignaturesForAddress', wallet);
  const landed = await Promise.all(
    found.map(({ signature }) =>
      rpc<Landed>(service, 'getTransaction', signature, { encoding: 'json', maxSupportedTransactionVersion: 0 }),
    ),
  );
  return landed
    .filter(({ transaction }) => transaction.message.accountKeys[0] === wallet)
    .reduce((sum, { meta }) => sum + BigInt(meta.fee), 0n);
}

/** The SOL of a wallet, with the rent of its account for USDC, which is its own. */
export async function solOf(service: Pick<Service, 'rpcUrl'>, wallet: string): Promise<bigint> {
  const account = associatedTokenAddress(wallet as Parameters<typeof associatedTokenAddress>[0], USDC);
  return (await lamportsOf(service, wallet)) + (await lamportsOf(service, account));
}
