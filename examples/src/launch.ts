// Launches a token on a bonding curve: craft, upload image and metadata, sign, submit, buy, sell, claim the fees.
// Usage: npm run example:launch [-- <wallet of the sandbox>], with "npm start" in another terminal. On a chain without the
// launch programs, or stand-ins for them, the example shows what is crafted, and says how they come.

import {
  addDecoderSizePrefix,
  address,
  type Base64EncodedWireTransaction,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  getAddressEncoder,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getProgramDerivedAddress,
  getStructDecoder,
  getTransactionDecoder,
  getU32Decoder,
  getUtf8Decoder,
  partiallySignTransaction,
} from '@solana/kit';
import { attempt, call, fail, post, type SandboxInfo, say } from './service.js';

interface Creation {
  transaction: string;
  mint: string;
  imagePresignedUrl: string;
  metadataPresignedUrl: string;
  imageUrl: string;
}

interface Order {
  outAmount: string;
  transaction: string;
  requestId: string;
  routePlan: { swapInfo: { label: string } }[];
  errorMessage?: string;
}

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const METADATA_PROGRAM = address('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');
const HUNDRED_USDC = '100000000';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const [name = 'alice'] = process.argv.slice(2);
const info = await call<SandboxInfo>('/sandbox/info');
const wallet =
  info.wallets.find((each) => each.name === name) ??
  fail(`No wallet ${name} in this sandbox; there are ${info.wallets.map((each) => each.name).join(', ')}`);
const rpc = createSolanaRpc(info.rpcUrl);
const signer = await createKeyPairSignerFromBytes(getBase58Encoder().encode(wallet.secretKey));

// 1. A token that is worth 16,000 USDC at its first price and moves to the AMM at 69,000. One transaction makes it all.
const nothing = { totalLockedVestingAmount: 0, cliffUnlockAmount: 0, numberOfVestingPeriod: 0 };
const creation = await call<Creation>('/studio/v1/dbc-pool/create-tx', {
  buildCurveByMarketCapParam: {
    quoteMint: USDC,
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
  tokenImageContentType: 'image/png',
  creator: wallet.address,
});
say('Mint', creation.mint);
look(creation.transaction);

// 2. Its image and metadata: to URLs that take nothing else.
await upload(creation.imagePresignedUrl, 'image/png', Buffer.from(PIXEL, 'base64'));
const metadata = { name: 'Example', symbol: 'EXMPL', image: creation.imageUrl, description: 'Launched by an example' };
await upload(creation.metadataPresignedUrl, 'application/json', JSON.stringify(metadata));
say('Image', creation.imageUrl);

// 3. The creator signs; mint and configuration are signed for by the service, which sends the whole.
const form = new FormData();
form.set('transaction', await signed(creation.transaction));
form.set('owner', wallet.address);
form.set('content', 'What the token is for');
const submitted = await post<{ data: { mint: string } }>('/studio/v1/dbc-pool/submit', form);
if ('reason' in submitted) {
  if (!submitted.reason.includes('not on this chain')) fail(submitted.reason);
  say('Only crafted', submitted.reason);
  process.exit();
}
const { data } = await call<{ data: { dbcPoolAddress: string } }>(`/studio/v1/dbc-pool/addresses/${creation.mint}`);
const poolAddress = data.dbcPoolAddress;
say('Launched; its pool', poolAddress);
const onChain = await readMetadata(creation.mint);
say('On the chain', `${onChain.name} (${onChain.symbol}), ${onChain.uri}`);
const page = (await (await fetch(onChain.uri)).json()) as { image: string };
say('Its picture', `${(await (await fetch(page.image)).arrayBuffer()).byteLength} bytes at ${page.image}`);

// 4. Somebody buys for 100 USDC, like any other token, and sells half of it.
const bought = await trade(await findRoute(USDC, creation.mint, HUNDRED_USDC));
say('100 USDC buy', `${bought} of the smallest unit`);
const half = String(BigInt(bought) / 2n);
say(
  'Half of it is sold for',
  `${await trade(await findRoute(creation.mint, USDC, half))} of the smallest unit of USDC`,
);

// 5. The creator's part of the fees: half of what is left of 1 % after the fifth of the curve's program.
const fees = await call<{ unclaimed: string; total: string }>('/studio/v1/dbc/fee', { poolAddress });
say('Unclaimed fees', `${fees.unclaimed} of ${fees.total}`);
const claim = await call<{ transaction: string }>('/studio/v1/dbc/fee/create-tx', {
  ownerWallet: wallet.address,
  poolAddress,
  maxQuoteAmount: Number(fees.unclaimed),
});
const sent = (await signed(claim.transaction)) as Base64EncodedWireTransaction;
say('Claimed in', await rpc.sendTransaction(sent, { encoding: 'base64' }).send());
const left = await call<{ unclaimed: string }>('/studio/v1/dbc/fee', { poolAddress });
say('Unclaimed fees now', left.unclaimed);

/** Who must sign, and how large it is. */
function look(transaction: string): void {
  const { messageBytes, signatures } = getTransactionDecoder().decode(getBase64Encoder().encode(transaction));
  const { version } = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const bytes = Buffer.from(transaction, 'base64').length;
  say('Configuration and pool', `one transaction of version ${version} with ${bytes} bytes`);
  for (const address of Object.keys(signatures)) say('to be signed by', address);
}

async function upload(url: string, contentType: string, body: string | Uint8Array<ArrayBuffer>): Promise<void> {
  const answer = await fetch(url, { method: 'PUT', headers: { 'content-type': contentType }, body });
  if (!answer.ok) fail(`The upload of ${contentType} was answered ${answer.status}: ${await answer.text()}`);
}

/** Signs with the wallet's key, which the service never sees. */
async function signed(transaction: string): Promise<string> {
  const unsigned = getTransactionDecoder().decode(getBase64Encoder().encode(transaction));
  return getBase64EncodedWireTransaction(await partiallySignTransaction([signer.keyPair], unsigned));
}

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

/** Signs and lands an order; answers what came of it. */
async function trade({ requestId, transaction, outAmount, routePlan }: Order): Promise<string> {
  const signedTransaction = await signed(transaction);
  const landed = await call<{ status: string; signature: string }>('/ultra/v1/execute', {
    requestId,
    signedTransaction,
  });
  say(`${landed.status} over ${routePlan[0]?.swapInfo.label}`, landed.signature);
  return outAmount;
}

/** The aggregator may take a moment to find a pool that has just been made. */
async function findRoute(inputMint: string, outputMint: string, amount: string): Promise<Order> {
  const query = `inputMint=${inputMint}&outputMint=${outputMint}&amount=${amount}&taker=${wallet.address}`;
  for (const started = performance.now(); ; await new Promise((resolve) => setTimeout(resolve, 500))) {
    const answer = await attempt<Order>(`/ultra/v1/order?${query}`);
    if (!('reason' in answer)) return answer.body;
    if (performance.now() - started > 15_000) fail(`Nobody sells it yet: ${answer.reason}`);
  }
}
