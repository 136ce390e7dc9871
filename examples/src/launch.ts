// Launches a token on a bonding curve: craft, upload image and metadata, sign, submit, buy, sell, claim the fees.
// Usage: npm run example:launch [-- <wallet of the sandbox>], with "npm start" in another terminal. On a chain without the
// launch programs, or stand-ins for them, the example shows what is crafted, and says how they come.

import { SlipwayError } from '@slipway/client';
import {
  addDecoderSizePrefix,
  address,
  createSolanaRpc,
  getAddressEncoder,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getProgramDerivedAddress,
  getStructDecoder,
  getTransactionDecoder,
  getU32Decoder,
  getUtf8Decoder,
  partiallySignTransaction,
} from '@solana/kit';
import { openSandbox } from './sandbox.js';
import { fail, say } from './service.js';

const METADATA_PROGRAM = address('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');
const HUNDRED_USDC = 100_000_000n;
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const [name = 'alice'] = process.argv.slice(2);
const { client, info, wallet, mintOf } = await openSandbox(name);
const rpc = createSolanaRpc(info.rpcUrl);
const usdc = mintOf('USDC').mint;

// 1. A token that is worth 16,000 USDC at its first price and moves to the AMM at 69,000. The client uploads its image and
// metadata, checks the one transaction that makes it all, signs for the creator, and gives it back: mint and configuration
// are signed for by the service, which sends the whole.
const nothing = { totalLockedVestingAmount: 0, cliffUnlockAmount: 0, numberOfVestingPeriod: 0 } as const;
const launched = await client
  .launch(
    {
      buildCurveByMarketCapParam: {
        quoteMint: usdc,
        tokenQuoteDecimal: 6,
        initialMarketCap: 16_000,
        migrationMarketCap: 69_000,
        lockedVestingParam: { ...nothing, totalVestingDuration: 0, cliffDurationFromMigrationTime: 0 },
      },
      antiSniping: false,
      fee: { feeBps: 100 },
      isLpLocked: true,
      tokenName: 'Example',
      tokenSymbol: 'EXMPL',
      description: 'Launched by an example',
      image: { contentType: 'image/png', bytes: Buffer.from(PIXEL, 'base64') },
      content: 'What the token is for',
    },
    { onProgress: ({ step }) => say('Launch', step) },
  )
  .catch((error: unknown) => {
    if (!(error instanceof SlipwayError) || !error.message.includes('not on this chain')) throw error;
    say('Only crafted', error.message);
    process.exit();
  });
const { mint } = launched;
say('Mint', mint);
const poolAddress = (await client.launchAddresses(mint)).dbcPoolAddress ?? fail(`${mint} has no pool`);
say('Its pool', poolAddress);
const onChain = await readMetadata(mint);
say('On the chain', `${onChain.name} (${onChain.symbol}), ${onChain.uri}`);
const page = (await (await fetch(onChain.uri)).json()) as { image: string };
say('Its picture', `${(await (await fetch(page.image)).arrayBuffer()).byteLength} bytes at ${page.image}`);

// 2. Somebody buys for 100 USDC, like any other token, and sells half of it.
const bought = await trade(usdc, mint, HUNDRED_USDC);
say('100 USDC buy', `${bought} of the smallest unit`);
say('Half of it is sold for', `${await trade(mint, usdc, bought / 2n)} of the smallest unit of USDC`);

// 3. The creator's part of the fees: half of what is left of 1 % after the fifth of the curve's program.
const fees = await client.api.post('/studio/v1/dbc/fee', { body: { poolAddress } });
say('Unclaimed fees', `${fees.unclaimed} of ${fees.total}`);
const claim = await client.api.post('/studio/v1/dbc/fee/create-tx', {
  body: { ownerWallet: wallet.address, poolAddress, maxQuoteAmount: Number(fees.unclaimed) },
});
const unsigned = getTransactionDecoder().decode(getBase64Encoder().encode(claim.transaction));
const signed = getBase64EncodedWireTransaction(await partiallySignTransaction([wallet.keyPair], unsigned));
say('Claimed in', (await client.submit(signed)).signature);
const left = await client.api.post('/studio/v1/dbc/fee', { body: { poolAddress } });
say('Unclaimed fees now', left.unclaimed);

/** What the metadata account of a mint says, as wallets read it. */
async function readMetadata(mint: string): Promise<{ name: string; symbol: string; uri: string }> {
  const addresses = getAddressEncoder();
  const seeds = ['metadata', addresses.encode(METADATA_PROGRAM), addresses.encode(address(mint))];
  const [account] = await getProgramDerivedAddress({ programAddress: METADATA_PROGRAM, seeds });
  const { value } = await rpc.getAccountInfo(account, { encoding: 'base64' }).send();
  const bytes = getBase64Encoder().encode(value?.data[0] ?? fail(`${account}: no metadata`));
  const text = addDecoderSizePrefix(getUtf8Decoder(), getU32Decoder());
  // After its kind, the authority and the mint.
  return getStructDecoder([
    ['name', text],
    ['symbol', text],
    ['uri', text],
  ]).decode(bytes, 1 + 32 + 32);
}

/** Swaps, and answers what came of it. The aggregator may take a moment to find a pool that has just been made. */
async function trade(inputMint: string, outputMint: string, amount: bigint): Promise<bigint> {
  for (const started = performance.now(); ; await new Promise((resolve) => setTimeout(resolve, 500))) {
    try {
      const { outputAmount, order, signature } = await client.swap({ inputMint, outputMint, amount });
      say(`Swapped over ${order.routePlan[0]?.swapInfo.label}`, signature);
      return outputAmount;
    } catch (error) {
      const isTooEarly = error instanceof SlipwayError && error.status === 400;
      if (!isTooEarly || performance.now() - started > 15_000) throw error;
    }
  }
}
