import { encodePool, poolAuthority, TOKEN_SWAP_PROGRAM } from '@slipway/programs';
import {
  type Address,
  encodeMint,
  encodeTokenAccount,
  generateKeypair,
  rentExemptLamports,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { Lab } from '../../server/dist/routing/aggregator/venues/testing/lab.js';
import { PAIR_WRITERS } from '../../server/dist/routing/aggregator/venues/testing/row.js';
import { rpc, type Service } from './service.js';

interface PlainAccount {
  lamports: number;
  owner: Address;
  executable: false;
  data: string;
}

const MINT_DECIMALS = 6;
const POOLS_PER_TOKEN = 4;
const ACCOUNTS_PER_CALL = 200;
/** Of mixed pools, one in so many is of our own kind. */
const KINDS = PAIR_WRITERS.length + 1;
const NO_FEE = { numerator: 0n, denominator: 0n };

/**
 * Writes so many pools at fresh addresses into the chain of a sandbox: of each four, two join a new token to SOL and to
 * USDC, and two to other new tokens. Mixed ones are of our own kind and of other companies' in turn. Answers the new
 * tokens' mints.
 */
export async function writePools(service: Service, usdc: Address, count: number, isMixed: boolean): Promise<Address[]> {
  const lab = new Lab();
  const random = randomNumbers(count);
  const tokens = Array.from({ length: Math.ceil(count / POOLS_PER_TOKEN) }, () => generateKeypair().address);
  const accounts: [Address, PlainAccount][] = tokens.map((mint) => [mint, mintAccount(MINT_DECIMALS)]);
  for (let index = 0; index < count; index++) {
    const token = tokens[Math.floor(index / POOLS_PER_TOKEN)]!;
    const other = tokens[Math.floor(random() * tokens.length)]!;
    const [hub] = [[WRAPPED_SOL_MINT], [usdc], [other], [other]][index % POOLS_PER_TOKEN]!;
    // A token is not paired with itself; its third and fourth pool then go to the hubs, too.
    const pair = hub === token ? (index % 2 === 0 ? WRAPPED_SOL_MINT : usdc) : hub!;
    const writePair = isMixed ? PAIR_WRITERS[index % KINDS] : undefined;
    if (writePair) accounts.push(...otherAccounts(lab, writePair, [token, pair]));
    else accounts.push(...poolAccounts(token, pair, reserve(random), reserve(random)));
  }
  for (let from = 0; from < accounts.length; from += ACCOUNTS_PER_CALL) {
    const group = accounts.slice(from, from + ACCOUNTS_PER_CALL);
    await rpc(
      service,
      group.map((params) => ({ method: 'localnet_setAccount', params })),
    );
  }
  return tokens;
}

/** A pool of another company's program, as their tests write it: the program itself is not needed for a quote. */
function otherAccounts(
  lab: Lab,
  writePair: (typeof PAIR_WRITERS)[number],
  mints: [Address, Address],
): [Address, PlainAccount][] {
  const { written } = writePair(lab, { mints, tokenPrograms: [TOKEN_PROGRAM, TOKEN_PROGRAM] });
  return written
    .filter((address) => !mints.includes(address))
    .map((address) => {
      const { owner, data } = lab.account(address)!;
      return [address, plain(owner, data)];
    });
}

function poolAccounts(mintA: Address, mintB: Address, inA: bigint, inB: bigint): [Address, PlainAccount][] {
  const [pool, vaultA, vaultB, poolMint, feeAccount] = Array.from({ length: 5 }, () => generateKeypair().address);
  const authority = poolAuthority(pool!);
  const data = encodePool({
    bump: authority.bump,
    tokenProgram: TOKEN_PROGRAM,
    vaultA: vaultA!,
    vaultB: vaultB!,
    poolMint: poolMint!,
    mintA,
    mintB,
    feeAccount: feeAccount!,
    fees: { trade: { numerator: 25n, denominator: 10_000n }, ownerTrade: NO_FEE, ownerWithdraw: NO_FEE, host: NO_FEE },
  });
  return [
    [pool!, plain(TOKEN_SWAP_PROGRAM, data)],
    [vaultA!, tokenAccount(mintA, authority.address, inA)],
    [vaultB!, tokenAccount(mintB, authority.address, inB)],
    [poolMint!, mintAccount(9)],
    [feeAccount!, tokenAccount(poolMint!, authority.address, 0n)],
  ];
}

const mintAccount = (decimals: number) =>
  plain(TOKEN_PROGRAM, encodeMint({ decimals, supply: 10n ** 18n, initialized: true }));

function tokenAccount(mint: Address, owner: Address, amount: bigint): PlainAccount {
  const isNative = mint === WRAPPED_SOL_MINT;
  const reserve = isNative ? { rentExemptReserve: rentExemptLamports(165) } : {};
  const data = encodeTokenAccount({
    mint,
    owner,
    amount,
    state: 'initialized',
    delegatedAmount: 0n,
    isNative,
    ...reserve,
  });
  return plain(TOKEN_PROGRAM, data, isNative ? amount : 0n);
}

function plain(owner: Address, data: Uint8Array, beside = 0n): PlainAccount {
  return {
    lamports: Number(rentExemptLamports(data.length) + beside),
    owner,
    executable: false,
    data: Buffer.from(data).toString('base64'),
  };
}

/** 10^12 to 10^13 of the smallest unit. */
const reserve = (random: () => number) => BigInt(Math.floor(1e12 * (1 + 9 * random())));

/** The same row for the same seed, each from 0 to 1 (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
