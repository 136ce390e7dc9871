import { launchConfig } from '@slipway/programs';
import { addressFromBytes, MAX_TRANSACTION_SIZE } from '@slipway/wire';
import { craftLaunch, type Launch, MAX_NAME_BYTES, MAX_SYMBOL_BYTES } from '../../crafting/launch.js';
import { TransactionTooLarge } from '../../crafting/transaction.js';
import { metadataKey } from '../../launches/index.js';
import type { Objects } from '../../objects/index.js';

/** Length of the longest address. */
const ADDRESS_CHARACTERS = 44;

/**
 * Checks that the launch with the longest name and symbol fits into a transaction with the URL of its metadata.
 * @throws Error that says by how many bytes it does not fit
 */
export function requireUriRoom(objects: Objects): void {
  const uri = objects.publicUrl(metadataKey('1'.repeat(ADDRESS_CHARACTERS)));
  try {
    craftLaunch(longestLaunch(uri), addressFromBytes(new Uint8Array(32)), 0n);
  } catch (error) {
    if (!(error instanceof TransactionTooLarge)) throw error;
    const bytes = Buffer.byteLength(uri);
    const most = bytes - (error.size - MAX_TRANSACTION_SIZE);
    throw new Error(
      `the URL of a token's metadata, ${uri}, has ${bytes} bytes, but at most ${most} fit into a launch: set a shorter SLIPWAY_PUBLIC_URL, or, with a bucket, SLIPWAY_S3_PUBLIC_URL`,
    );
  }
}

function longestLaunch(uri: string): Launch {
  const { terms: one } = launchConfig({
    initialMarketCap: 10n ** 10n,
    migrationMarketCap: 10n ** 11n,
    vesting: undefined,
    feeBps: 100,
    sniperFee: undefined,
    isLpLocked: true,
  });
  // A curve has one segment, or two.
  const terms = { ...one, curve: [one.curve[0]!, one.curve[0]!] };
  const at = (byte: number) => addressFromBytes(new Uint8Array(32).fill(byte));
  return {
    creator: at(1),
    operator: at(2),
    terms,
    uri,
    pool: {
      config: at(3),
      baseMint: at(4),
      quoteMint: at(5),
      pool: at(6),
      baseVault: at(7),
      quoteVault: at(8),
      metadata: at(9),
    },
    name: 'x'.repeat(MAX_NAME_BYTES),
    symbol: 'x'.repeat(MAX_SYMBOL_BYTES),
  };
}
