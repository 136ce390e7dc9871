// Launches a token on a bonding curve and lives its life: picture and metadata, the first purchase, a sale, the creator's
// fees, the purchase of all that is left, the move to a pool of DAMM v2, which the keeper makes, and a purchase from that
// pool. Each step is looked up on the chain, and every balance must be what was said, to the unit: of SOL, too.
// Usage: npm run example:launch [-- <wallet of the sandbox>], with "npm start" in another terminal. On a chain without the
// launch programs, or stand-ins for them, the example shows what is crafted, and says how they come.

import assert from 'node:assert/strict';
import { getMetadataAccountDataSerializer } from '@metaplex-foundation/mpl-token-metadata';
import { SlipwayError } from '@slipway/client';
import {
  address,
  createSolanaRpc,
  getAddressEncoder,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getProgramDerivedAddress,
  getTransactionDecoder,
  partiallySignTransaction,
  type Signature,
} from '@solana/kit';
import { fetchMaybeToken, findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { openSandbox } from './sandbox.js';
import { fail, say } from './service.js';

const METADATA_PROGRAM = address('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');
const HUNDRED_USDC = 100_000_000n;
const WAIT_MS = 60_000;
/** Bytes of accounts whose rent a step pays. */
const SIZES = { configuration: 1_048, pool: 424, mint: 82, 'token account': 165, metadata: 679 } as const;
/** What the metadata program takes for an account, which stays in it. */
const METADATA_FEE = 10_000_000n;
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const [name = 'alice'] = process.argv.slice(2);
const { client, info, wallet, mintOf } = await openSandbox(name);
const rpc = createSolanaRpc(info.rpcUrl);
const usdc = mintOf('USDC').mint;
let lamports = await solOf(wallet.address);

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
      image: { contentType: 'image/png', bytes: PICTURE },
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
await found('Launched in', launched.signature);
await paid(
  launched.signature,
  ['configuration', 'pool', 'mint', 'token account', 'token account', 'metadata'],
  METADATA_FEE,
);
const poolAddress = (await client.launchAddresses(mint)).dbcPoolAddress ?? fail(`${mint} has no pool`);
say('Its pool', poolAddress);

// 2. Name, symbol and picture, as wallets and explorers find them.
const onChain = await readMetadata(mint);
assert.deepEqual([onChain.name, onChain.symbol], ['Example', 'EXMPL']);
say('On the chain', `${onChain.name} (${onChain.symbol}), ${onChain.uri}`);
const { image } = (await (await fetch(onChain.uri)).json()) as { image: string };
assert.deepEqual(Buffer.from(await (await fetch(image)).arrayBuffer()), PICTURE);
say('Its picture', `${PICTURE.length} bytes at ${image}`);

// 3. Somebody buys for 100 USDC, like any other token, and sells half of it.
const bought = await trade('Dynamic Bonding Curve', usdc, mint, HUNDRED_USDC, ['token account']);
await trade('Dynamic Bonding Curve', mint, usdc, bought / 2n);

// 4. The creator's part of the fees: half of what is left of 1 % after the fifth of the curve's program.
const { unclaimed, total } = await feesOf(poolAddress);
say('Unclaimed fees', `${unclaimed} of ${total}`);
const before = await balance(usdc);
const claim = await client.api.post('/studio/v1/dbc/fee/create-tx', {
  body: { ownerWallet: wallet.address, poolAddress, maxQuoteAmount: Number(unclaimed) },
});
const unsigned = getTransactionDecoder().decode(getBase64Encoder().encode(claim.transaction));
const signed = getBase64EncodedWireTransaction(await partiallySignTransaction([wallet.keyPair], unsigned));
const { signature: claimed } = await client.submit(signed);
await found('Claimed in', claimed);
await paid(claimed);
assert.equal((await balance(usdc)) - before, BigInt(unclaimed));
assert.equal((await feesOf(poolAddress)).unclaimed, '0');
say('Fees claimed', `${unclaimed} of the smallest unit of USDC`);

// 5. All that the curve has left, for a part of 50,000 USDC: the rest stays in the wallet.
await trade('Dynamic Bonding Curve', usdc, mint, 500n * HUNDRED_USDC);

// 6. The keeper moves what the curve holds into a pool of DAMM v2, and that one trades on.
const moved = await soon(async () => (await client.launchAddresses(mint)).dammv2PoolAddress);
say('Has moved to', moved);
const [migration] = await rpc.getSignaturesForAddress(address(moved), { limit: 1 }).send();
await found('Migrated in', migration?.signature);
assert.equal(await solOf(wallet.address), lamports, 'the keeper pays for the migration');
await trade('Meteora DAMM v2', usdc, mint, HUNDRED_USDC);

function feesOf(pool: string) {
  return client.api.post('/studio/v1/dbc/fee', { body: { poolAddress: pool } });
}

/** What the metadata account of a mint says, as a wallet reads it. */
async function readMetadata(of: string) {
  const addresses = getAddressEncoder();
  const seeds = ['metadata', addresses.encode(METADATA_PROGRAM), addresses.encode(address(of))];
  const [account] = await getProgramDerivedAddress({ programAddress: METADATA_PROGRAM, seeds });
  const { value } = await rpc.getAccountInfo(account, { encoding: 'base64' }).send();
  const bytes = Buffer.from(value?.data[0] ?? fail(`${of}: no metadata`), 'base64');
  return getMetadataAccountDataSerializer().deserialize(bytes)[0];
}

async function balance(of: string): Promise<bigint> {
  const place = { owner: wallet.address, mint: address(of), tokenProgram: TOKEN_PROGRAM_ADDRESS };
  const [account] = await findAssociatedTokenPda(place);
  const token = await fetchMaybeToken(rpc, account);
  return token.exists ? token.data.amount : 0n;
}

async function solOf(owner: string): Promise<bigint> {
  return (await rpc.getBalance(address(owner), { commitment: 'confirmed' }).send()).value;
}

/** The wallet has paid the fee of this transaction, the rent of the accounts that it has made, and nothing more, to the lamport. */
async function paid(signature: string, made: readonly (keyof typeof SIZES)[] = [], more = 0n): Promise<void> {
  const { fee } = (await transactionOf(signature))?.meta ?? fail(`${signature} is not on the chain`);
  let expected = fee + more;
  for (const name of made) expected += await rpc.getMinimumBalanceForRentExemption(BigInt(SIZES[name])).send();
  const now = await solOf(wallet.address);
  assert.equal(lamports - now, expected, `SOL for the fee and ${made.join(', ')}`);
  lamports = now;
  const rent = made.length > 0 ? `, rent of ${made.join(', ')}` : '';
  say('Paid in SOL', `${expected} lamports: fee ${fee}${rent}${more > 0n ? `, ${more} of the metadata program` : ''}`);
}

/** Looks a transaction up on the chain, where it must have succeeded. */
async function found(label: string, signature: string | undefined): Promise<void> {
  const landed = signature === undefined ? null : await transactionOf(signature);
  assert.equal(landed?.meta?.err, null, `${label} ${signature}`);
  say(label, `${signature}, slot ${landed?.slot}`);
}

function transactionOf(signature: string) {
  const encoding = { encoding: 'base64', maxSupportedTransactionVersion: 0 } as const;
  return rpc.getTransaction(signature as Signature, { ...encoding, commitment: 'confirmed' }).send();
}

/** Asks until there is an answer; what follows a transaction by itself takes a moment. */
async function soon<T>(ask: () => Promise<T | null | undefined>): Promise<T> {
  for (const started = performance.now(); ; await new Promise((resolve) => setTimeout(resolve, 500))) {
    const answer = await ask().catch((error: unknown) => {
      if (!(error instanceof SlipwayError) || error.status !== 400) throw error;
      return performance.now() - started > WAIT_MS ? Promise.reject(error) : undefined;
    });
    if (answer) return answer;
    if (performance.now() - started > WAIT_MS) fail('It has not happened in time; the log of the service says why');
  }
}

/** Swaps over this venue, and answers what came of it. */
async function trade(
  venue: string,
  inputMint: string,
  outputMint: string,
  amount: bigint,
  made: readonly (keyof typeof SIZES)[] = [],
): Promise<bigint> {
  const wanted = { inputMint, outputMint, amount };
  const order = await soon(async () => {
    const made = await client.orderSwap(wanted);
    return made.routePlan[0]?.swapInfo.label === venue ? made : undefined;
  });
  const before = [await balance(inputMint), await balance(outputMint)] as const;
  const { inputAmount, outputAmount, signature } = await client.executeSwap(wanted, order);
  await found(`Swapped over ${venue}`, signature);
  await paid(signature, made);
  assert.equal(before[0] - (await balance(inputMint)), inputAmount);
  assert.equal((await balance(outputMint)) - before[1], outputAmount);
  assert.equal(outputAmount, BigInt(order.outAmount));
  say('', `${inputAmount} of ${inputMint} -> ${outputAmount} of ${outputMint}`);
  return outputAmount;
}
