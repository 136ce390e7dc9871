import { readFileSync } from 'node:fs';
import { type Address, associatedTokenAddress, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import type { Services } from '../areas/area.js';
import type { Examples, RecordedCalls } from '../http/index.js';

const RECORDED = new URL('../../src/app/recorded-calls.json', import.meta.url);

/** What a sandbox was asked and answered when `scripts/record-calls.mjs` called every operation. */
export function recordedCalls(): RecordedCalls {
  return JSON.parse(readFileSync(RECORDED, 'utf8')) as RecordedCalls;
}

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
    tokenDecimals: String(usdc.decimals),
    tokenProgramId: TOKEN_PROGRAM,
    ...OPERATOR,
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
    ...(sandbox && sandboxExamples(sandbox.info.wallets, usdc.mint)),
  };
}

/** What an operator gives and stops. */
const OPERATOR: Examples = {
  '/admin/v1/keys name': 'my app',
  '/admin/v1/makers name': 'my maker',
  '/admin/v1/makers url': 'https://maker.example.com',
  '/admin/v1/admins name': 'ada',
  '/admin/v1/admins roles': ['read'],
  '/admin/v1/admins/{name} name': 'ada',
  what: 'crafts',
  why: 'a pool has wrong prices',
  '/admin/v1/scores/{eventId} eventId': 'FINAL-1',
  gameId: 'GAME-1',
  live: false,
  ended: true,
  updatedAt: '2026-01-01T00:00:00Z',
  leagueAbbreviation: 'CUP',
  homeTeam: 'Home',
  awayTeam: 'Away',
  score: '1-0',
  period: 'FT',
  elapsed: '90',
  status: 'Final',
};

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

function sandboxExamples(wallets: readonly { address: string }[], usdc: Address): Examples {
  const [alice, bob] = wallets.map(({ address }) => address);
  const signers = ['taker', 'maker', 'payer', 'user', 'sender', 'senderAddress', 'userAddress', 'userPubkey'];
  const names = [...signers, 'walletPubkey', 'wallet', 'address', 'creator', 'ownerWallet', 'owner'];
  return {
    ...Object.fromEntries(names.map((name) => [name, alice])),
    receiver: bob,
    receiverAddress: bob,
    inviteSigner: bob,
    ...(alice && { senderTokenAccountAddress: associatedTokenAddress(alice as Address, usdc) }),
    eventId: 'SIM-1',
    eventIds: 'SIM-1',
    usd: 165,
    seconds: 3_600,
  };
}
