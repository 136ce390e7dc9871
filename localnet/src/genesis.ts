import { hash } from 'node:crypto';
import {
  type Address,
  address,
  associatedTokenAddress,
  encodeMint,
  encodeTokenAccount,
  type Keypair,
  keypairFromSeed,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import type { AccountLookup } from './chain-transaction.js';
import type { Account, AddressedAccount, GenesisOptions, GenesisToken, PricedToken, SandboxWallet } from './types.js';

const LAMPORTS_PER_SOL = 1_000_000_000n;
const WALLET_LAMPORTS = 10_000n * LAMPORTS_PER_SOL;
const WALLET_TOKENS = 1_000_000n;
/** In the smallest unit: of a token with many decimals a wallet has fewer whole ones, so that there is room for the supply. */
const MOST_WALLET_UNITS = 10n ** 18n;
const FAUCET_LAMPORTS = 500_000_000n * LAMPORTS_PER_SOL;
const RECEIVER_LAMPORTS = LAMPORTS_PER_SOL;
const WALLET_NAMES = ['alice', 'bob', 'carol', 'dave', 'erin'];

const PLATFORM_TOKEN = address('JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN');

export const DEFAULT_GENESIS: Required<GenesisOptions> = {
  tokens: [
    { symbol: 'USDC', mint: address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'), decimals: 6 },
    { symbol: 'JUP', mint: PLATFORM_TOKEN, decimals: 6 },
    { symbol: 'JUPUSD', mint: address('JuprjznTrTSp2UFa3ZBUFgwdAmtZCq4MQCwysN55USD'), decimals: 6 },
  ],
  receiver: address('8gMBNeKwXaoNi9bhbVUWFt4Uc5aobL9PeYMXfYDMePE2'),
  receiverMint: PLATFORM_TOKEN,
};

const DEFAULT_USD = [1, 0.42, 1];

/** The tokens as they are configured, with their prices at the start. */
export function configuredTokens({ tokens = DEFAULT_GENESIS.tokens }: GenesisOptions = {}): PricedToken[] {
  return tokens.map((token, index) => ({ ...token, usd: token.usd ?? DEFAULT_USD[index] ?? 1 }));
}

/** The chain's tokens with the prices that they began with; a data folder of before there were any has none. */
export function startingPrices(tokens: GenesisToken[], genesis: GenesisOptions | undefined): PricedToken[] {
  const configured = configuredTokens(genesis);
  return tokens.map((token) => ({
    ...token,
    usd: token.usd ?? configured.find(({ mint }) => mint === token.mint)?.usd ?? 1,
  }));
}

/** The key of a wallet of every sandbox. It follows from the name alone: public on purpose, for play money only. */
export function sandboxKeypair(name: string): Keypair {
  return keypairFromSeed(hash('sha256', `slipway sandbox wallet ${name}`, 'buffer'));
}

/** The wallets that are funded from the start. */
export function sandboxWallets(): SandboxWallet[] {
  return WALLET_NAMES.map((name) => ({ name, ...sandboxKeypair(name) }));
}

/**
 * The accounts of a new chain, the same every time: the mints, the wallets with SOL and tokens, the faucet, which is
 * the mints' authority, and the receiver with an empty token account. The supplies are the sums of what is held.
 */
export function genesisAccounts(genesis: Required<GenesisOptions>, faucet: Address): AddressedAccount[] {
  const { tokens, receiver, receiverMint } = genesis;
  const wallets = sandboxWallets();
  const accounts: AddressedAccount[] = [
    { address: WRAPPED_SOL_MINT, account: mintAccount(9, 0n, undefined) },
    { address: faucet, account: wallet(FAUCET_LAMPORTS) },
    { address: receiver, account: wallet(RECEIVER_LAMPORTS) },
    ...wallets.map((entry) => ({ address: entry.address, account: wallet(WALLET_LAMPORTS) })),
  ];
  if (tokens.some(({ mint }) => mint === receiverMint)) accounts.push(tokenAccount(receiver, receiverMint, 0n));
  for (const { mint, decimals } of tokens) {
    const units = WALLET_TOKENS * 10n ** BigInt(decimals);
    const amount = units < MOST_WALLET_UNITS ? units : MOST_WALLET_UNITS;
    accounts.push({ address: mint, account: mintAccount(decimals, amount * BigInt(wallets.length), faucet) });
    for (const owner of wallets) accounts.push(tokenAccount(owner.address, mint, amount));
  }
  return accounts;
}

/**
 * The tokens as they are on the chain that is forked: a mint that exists there has the decimals it has there. One that
 * cannot be given to a wallet by writing plain accounts (of Token-2022, say) is left out.
 */
export function forkedTokens(tokens: GenesisToken[], lookup: AccountLookup): GenesisToken[] {
  return tokens.flatMap((token) => {
    const mint = lookup(token.mint);
    if (!mint) return [token];
    if (mint.owner !== TOKEN_PROGRAM) return [];
    return [{ ...token, decimals: mint.data[44] ?? token.decimals }];
  });
}

function wallet(lamports: bigint): Account {
  return { lamports, owner: SYSTEM_PROGRAM, executable: false, data: new Uint8Array() };
}

function mintAccount(decimals: number, supply: bigint, authority: Address | undefined): Account {
  const data = encodeMint({ decimals, supply, initialized: true, ...(authority && { mintAuthority: authority }) });
  return { lamports: rentExemptLamports(data.length), owner: TOKEN_PROGRAM, executable: false, data };
}

function tokenAccount(owner: Address, mint: Address, amount: bigint): AddressedAccount {
  const data = encodeTokenAccount({ mint, owner, amount, state: 'initialized', delegatedAmount: 0n, isNative: false });
  const account = { lamports: rentExemptLamports(data.length), owner: TOKEN_PROGRAM, executable: false, data };
  return { address: associatedTokenAddress(owner, mint), account };
}
