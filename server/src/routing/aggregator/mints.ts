import { type Address, decodeMint, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, token2022Extensions } from '@slipway/wire';
import type { ChainAccount } from '../../chain/index.js';

export interface PoolMint {
  tokenProgram: Address;
  decimals: number;
  /** The extension that makes amounts unpredictable or lets transfers fail. */
  unsupported?: string;
  /** Somebody may close it once nobody holds any, and open another one at its address, with other decimals. */
  mayReopen?: true;
}

const CLOSE_AUTHORITY = 3;

/** Mint extensions, by their numbers in Token-2022, that do not change a plain transfer. */
const HARMLESS: ReadonlySet<number> = new Set([
  CLOSE_AUTHORITY, // see `mayReopen`
  4, // confidential transfers: beside plain ones
  10, // interest-bearing: only in how amounts are shown
  12, // permanent delegate
  18, // metadata pointer
  19, // metadata
  20, // group pointer
  21, // group
  22, // group member pointer
  23, // group member
  25, // scaled amount: only in how amounts are shown
]);
const NAMES: Readonly<Record<number, string>> = {
  1: 'transfer fee',
  6: 'default account state',
  9: 'non-transferable',
  14: 'transfer hook',
  16: 'confidential transfer fee',
  24: 'confidential mint and burn',
  26: 'pausable',
  28: 'permissioned burn',
};
const DEFAULT_ACCOUNT_STATE = 6;
const STATE_INITIALIZED = 1;

/** Reads a mint's account; undefined if it is not a mint of a token program. */
export function readMint(account: ChainAccount | undefined): PoolMint | undefined {
  if (!account || (account.owner !== TOKEN_PROGRAM && account.owner !== TOKEN_2022_PROGRAM)) return undefined;
  const mint = decodeMint(account.data);
  if (!mint?.initialized) return undefined;
  const facts = { tokenProgram: account.owner, decimals: mint.decimals };
  if (account.owner !== TOKEN_2022_PROGRAM) return facts;
  const extensions = extensionsOf(account.data);
  const unsupported = unsupportedAmong(extensions, mint.freezeAuthority !== undefined);
  const mayReopen = extensions?.some(({ type, data }) => type === CLOSE_AUTHORITY && data.some((byte) => byte !== 0));
  return { ...facts, ...(unsupported !== undefined && { unsupported }), ...(mayReopen && { mayReopen }) };
}

function extensionsOf(data: Uint8Array): { type: number; data: Uint8Array }[] | undefined {
  try {
    return token2022Extensions(data);
  } catch {
    return undefined;
  }
}

/** Whoever may freeze accounts may also have new ones begin frozen at any time: then each route over the mint fails. */
function unsupportedAmong(extensions: ReturnType<typeof extensionsOf>, mayFreeze: boolean): string | undefined {
  if (!extensions) return 'that is cut off';
  for (const extension of extensions) {
    if (HARMLESS.has(extension.type)) continue;
    if (extension.type === DEFAULT_ACCOUNT_STATE && extension.data[0] === STATE_INITIALIZED && !mayFreeze) continue;
    return NAMES[extension.type] ?? `number ${extension.type}`;
  }
  return undefined;
}
