import assert from 'node:assert/strict';
import type { Answer as Documented } from '@slipway/client';
import {
  BONDING_CURVE_POOL_SIZE,
  BONDING_CURVE_PROGRAM,
  type BondingCurvePool,
  bondingCurvePool,
} from '@slipway/programs';
import {
  type Address,
  addressToBytes,
  associatedTokenAddress,
  encodeTokenAccount,
  generateKeypair,
  type Keypair,
  rentExemptLamports,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { type Answer, request, type Service } from './service.js';
import { rpc, signTransaction } from './wallet.js';

export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' as Address;

export interface Refused {
  error: string;
  errors?: Record<string, string[]>;
  details?: string;
}

export type Creation = Documented<'post', '/studio/v1/dbc-pool/create-tx'> & { mint: Address };

/** The one field that is wrong, and what was expected of it. */
export function assertRefused({ status, body }: Answer<Refused>, field: string, expected: RegExp): void {
  assert.equal(status, 400, JSON.stringify(body));
  assert.deepEqual(Object.keys(body.errors ?? {}), [field], JSON.stringify(body));
  assert.match(body.errors![field]![0]!, expected);
}

/** The published preset "Indie", for this creator. */
export function indie(creator: string) {
  return {
    buildCurveByMarketCapParam: {
      quoteMint: USDC as string,
      initialMarketCap: 32_000,
      migrationMarketCap: 240_000,
      tokenQuoteDecimal: 6,
      lockedVestingParam: {
        totalLockedVestingAmount: 100_000_000,
        cliffUnlockAmount: 0,
        numberOfVestingPeriod: 365,
        totalVestingDuration: 31_536_000,
        cliffDurationFromMigrationTime: 0,
      },
    },
    antiSniping: false,
    fee: { feeBps: 100 },
    isLpLocked: true,
    tokenName: 'Indie Token',
    tokenSymbol: 'INDIE',
    tokenImageContentType: 'image/png',
    creator,
  };
}

export type PoolBody = ReturnType<typeof indie>;

/** The body with the field at this path changed; undefined leaves it out. */
export function changed(body: PoolBody, path: string, value: unknown): unknown {
  const copy = structuredClone(body) as unknown as Record<string, unknown>;
  const steps = path.split('.');
  const last = steps.pop()!;
  const parent = steps.reduce((member, step) => member[step] as Record<string, unknown>, copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

export function createPool<T = Creation>(service: Service, body: unknown): Promise<Answer<T>> {
  return request<T>(`${service.url}/studio/v1/dbc-pool/create-tx`, { body });
}

export function claimTransaction<T = { transaction: string }>(service: Service, body: unknown): Promise<Answer<T>> {
  return request<T>(`${service.url}/studio/v1/dbc/fee/create-tx`, { body });
}

export function feesOf<T = { unclaimed: string; total: string }>(service: Service, poolAddress: unknown) {
  return request<T>(`${service.url}/studio/v1/dbc/fee`, { body: { poolAddress } });
}

export type Addresses = Documented<'get', '/studio/v1/dbc-pool/addresses/{mint}'> & {
  data: { dbcPoolAddress: Address; dammv2PoolAddress: Address | null; configKey: Address };
};

export function addressesOf<T = Addresses>(service: Service, mint: string): Promise<Answer<T>> {
  return request<T>(`${service.url}/studio/v1/dbc-pool/addresses/${mint}`);
}

/** A PNG of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export function put(url: string, contentType: string, bytes: Uint8Array | string): Promise<Response> {
  return fetch(url, { method: 'PUT', headers: { 'content-type': contentType }, body: bytes });
}

export async function upload(creation: Creation): Promise<void> {
  const metadata = { name: 'Indie Token', symbol: 'INDIE', image: creation.imageUrl };
  const answers = [
    await put(creation.imagePresignedUrl, 'image/png', PNG),
    await put(creation.metadataPresignedUrl, 'application/json', JSON.stringify(metadata)),
  ];
  for (const answer of answers) if (!answer.ok) throw new Error(`upload answered ${await answer.text()}`);
}

export type Submitted = Documented<'post', '/studio/v1/dbc-pool/submit'>;

/** Posts a multipart form; a Blob is sent as a file. */
export async function submitForm<T = Submitted>(
  service: Service,
  fields: Record<string, string | Blob | undefined>,
): Promise<Answer<T>> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value);
    else if (value) form.append(name, value, 'header.png');
  }
  const response = await fetch(`${service.url}/studio/v1/dbc-pool/submit`, {
    method: 'POST',
    headers: { 'x-api-key': 'sandbox' },
    body: form,
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as T };
}

/** Posts a launch that its creator has signed; `changes` replace fields of an otherwise right form. */
export function submit<T = Submitted>(
  service: Service,
  creation: Creation,
  creator: Keypair,
  changes: Record<string, string | Blob | undefined> = {},
): Promise<Answer<T>> {
  const transaction = signTransaction(creation.transaction, creator);
  return submitForm<T>(service, { transaction, owner: creator.address, ...changes });
}

const POOL_START = Buffer.from('d5e005d16245775c', 'hex');
const CONFIG_START = Buffer.from('1a6c0e7b74e6812b', 'hex');

/** Writes accounts as those of a pool of this creator, without the program whose they are. */
export async function putPool(service: Service, creator: Address): Promise<BondingCurvePool> {
  const pool = bondingCurvePool(generateKeypair().address, generateKeypair().address, USDC);
  const config = Buffer.alloc(1_048);
  config.set(CONFIG_START);
  config.set(addressToBytes(USDC), 8);
  config[245] = 50;
  const state = Buffer.alloc(BONDING_CURVE_POOL_SIZE);
  state.set(POOL_START);
  for (const [at, address] of Object.entries({ 72: pool.config, 104: creator, 136: pool.baseMint })) {
    state.set(addressToBytes(address), Number(at));
  }
  state.writeBigUInt64LE(2_000n, 336);
  state.writeBigUInt64LE(700n, 360);
  for (const [address, data] of [
    [pool.config, config],
    [pool.pool, state],
  ] as const) {
    const account = { lamports: 10_000_000, owner: BONDING_CURVE_PROGRAM, executable: false };
    await rpc(service, 'localnet_setAccount', address, { ...account, data: data.toString('base64') });
  }
  return pool;
}

/** Writes a wallet's account of wrapped SOL, as wrapping makes it. */
export async function giveWrapped(service: Service, wallet: Address, amount: bigint): Promise<void> {
  const rent = rentExemptLamports(TOKEN_ACCOUNT_SPACE);
  const data = encodeTokenAccount({
    mint: WRAPPED_SOL_MINT,
    owner: wallet,
    amount,
    state: 'initialized',
    delegatedAmount: 0n,
    isNative: true,
  });
  // Of a native account, what it keeps for rent stands behind the mark that it is one.
  Buffer.from(data.buffer, data.byteOffset, data.length).writeBigUInt64LE(rent, 113);
  const account = { lamports: Number(amount + rent), owner: TOKEN_PROGRAM, executable: false };
  const address = associatedTokenAddress(wallet, WRAPPED_SOL_MINT);
  await rpc(service, 'localnet_setAccount', address, { ...account, data: Buffer.from(data).toString('base64') });
}
