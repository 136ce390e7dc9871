import { WRAPPED_SOL_MINT } from '@slipway/wire';
import type { Services } from '../areas/area.js';
import type { Examples } from '../http/index.js';

/** Values that work at the first try, for the API document: the mints that everybody knows and, in a sandbox, alice. */
export function examplesOf({ config, sandbox }: Services): Examples {
  const { usdc, platform } = config.tokens;
  return {
    inputMint: WRAPPED_SOL_MINT,
    outputMint: usdc.mint,
    triggerMint: WRAPPED_SOL_MINT,
    '/sandbox/prices mint': WRAPPED_SOL_MINT,
    '/ultra/v1/reclaim/craft mints': [usdc.mint],
    '/ultra/v1/transfer/craft-token mint': usdc.mint,
    '/admin/v1/keys name': 'my app',
    orderStatus: 'active',
    // They need what only another call gives: an open order, a signature, an open invite.
    '/trigger/v1/cancelOrders maker': null,
    '/trigger/v2/auth/verify walletPubkey': null,
    '/send/v1/craft-claim inviteSigner': null,
    mints: `${WRAPPED_SOL_MINT},${usdc.mint}`,
    tokenId: platform.mint,
    query: 'SOL',
    amount: '1000000000',
    makingAmount: '1000000000',
    takingAmount: '200000000',
    ...LAUNCH,
    quoteMint: usdc.mint,
    ...(sandbox && sandboxExamples(sandbox.info.wallets)),
  };
}

/** A token that is worth 16,000 of its quote token at first, and moves to the AMM at 69,000. */
const LAUNCH: Examples = {
  initialMarketCap: 16_000,
  migrationMarketCap: 69_000,
  tokenQuoteDecimal: 6,
  totalLockedVestingAmount: 0,
  cliffUnlockAmount: 0,
  numberOfVestingPeriod: 0,
  totalVestingDuration: 0,
  cliffDurationFromMigrationTime: 0,
  antiSniping: false,
  fee: { feeBps: 100 },
  tokenName: 'Example',
  tokenSymbol: 'EXMPL',
};

function sandboxExamples(wallets: readonly { address: string }[]): Examples {
  const [alice, bob] = wallets.map(({ address }) => address);
  const signers = ['taker', 'maker', 'payer', 'user', 'sender', 'senderAddress', 'userAddress', 'userPubkey'];
  const names = [...signers, 'walletPubkey', 'wallet', 'address', 'creator', 'ownerWallet', 'owner'];
  return {
    ...Object.fromEntries(names.map((name) => [name, alice])),
    receiver: bob,
    receiverAddress: bob,
    inviteSigner: bob,
    eventId: 'SIM-1',
    eventIds: 'SIM-1',
    usd: 165,
    seconds: 3_600,
  };
}
