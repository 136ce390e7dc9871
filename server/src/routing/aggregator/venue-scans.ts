import { type Address, isAddress } from '@slipway/wire';
import { bytesIn, type ChainAccount, type Rpc, RpcError } from '../../chain/index.js';
import type { Venue } from './venue.js';

/** Codes of errors that pass: throttled, internal, behind. Any other error is the RPC's answer to such a question. */
const PASSING = new Set([429, -32429, -32603, -32005, -32016]);

/** One mint, or two hubs. */
export type Mints = readonly [Address] | readonly [Address, Address];

/** A pool's account as the RPC lists it. */
export interface FoundPool {
  address: Address;
  venue: Venue;
  account: ChainAccount;
}

interface RpcProgramAccount {
  pubkey: string;
  account: { owner: string; data: [string, 'base64'] };
}

/** A mint, and the offset at which a pool's account names it. */
type NamedMint = readonly [offset: number, mint: Address];

/** Lists the pools of a venue; with `named`, those that name all of these mints. @throws as `rpc.call` */
export async function scanVenue(rpc: Rpc, venue: Venue, named: readonly NamedMint[] = []): Promise<FoundPool[]> {
  const mints = named.map(([offset, bytes]) => ({ memcmp: { offset, bytes } }));
  const filters = [{ dataSize: venue.poolSize }, ...mints];
  const params = [venue.program, { encoding: 'base64', commitment: 'confirmed', filters }];
  const listed = await rpc.call<RpcProgramAccount[]>('getProgramAccounts', params);
  return listed.flatMap(({ pubkey, account: { owner, data } }) => {
    if (!isAddress(pubkey) || owner !== venue.program) return [];
    const bytes = bytesIn(data[0]);
    return [
      { address: pubkey, venue, account: { owner: venue.program, data: bytes, lamports: 0n, executable: false } },
    ];
  });
}

/** The pools of a venue for a mint, or for a pair of hubs. @throws as `rpc.call` */
export async function scanFor(rpc: Rpc, venue: Venue, mints: Mints): Promise<FoundPool[]> {
  const scans = namedMints(venue.mintOffsets, mints).map((named) => scanVenue(rpc, venue, named));
  return (await Promise.all(scans)).flat();
}

/** Whether a scan failed because the node does not answer such questions, however often it is asked. */
export function isRefusal(error: unknown): boolean {
  return error instanceof RpcError && !PASSING.has(error.code);
}

/** The scans that together find the pools of a mint or a pair: one for each position in the account. */
function namedMints([first, second]: Venue['mintOffsets'], [a, b]: Mints): NamedMint[][] {
  if (b === undefined) return [first, ...(second === undefined ? [] : [second])].map((offset) => [[offset, a]]);
  // The other mint is named in another account.
  if (second === undefined) return [[[first, a]], [[first, b]]];
  return [
    [
      [first, a],
      [second, b],
    ],
    [
      [first, b],
      [second, a],
    ],
  ];
}
