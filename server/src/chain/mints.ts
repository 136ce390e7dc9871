import {
  type Address,
  decodeMint,
  type Mint,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  token2022Extensions,
} from '@slipway/wire';
import { GrowingCache } from '../lib/growing-cache.js';
import { waitAtMost } from '../lib/wait-at-most.js';
import { type ChainAccount, createAccountReader } from './accounts.js';
import type { Rpc } from './rpc.js';

export interface MintInfo extends Mint {
  tokenProgram: Address;
  /** Amounts are shown times a multiplier that changes: what is said of a unit that is shown is not true of one that is held. */
  shownScaled?: true;
}

/** Interest, and a multiplier that the issuer sets, as `ExtensionType` of the Token-2022 program numbers them. */
const SCALING = [10, 25];

/** The mint in an account; undefined if the account is not a token mint. */
export function mintFacts(account: ChainAccount | undefined): MintInfo | undefined {
  if (!account || (account.owner !== TOKEN_PROGRAM && account.owner !== TOKEN_2022_PROGRAM)) return undefined;
  const mint = decodeMint(account.data);
  if (!mint?.initialized) return undefined;
  const shownScaled = account.owner === TOKEN_2022_PROGRAM && isShownScaled(account.data);
  return { ...mint, tokenProgram: account.owner, ...(shownScaled && { shownScaled }) };
}

function isShownScaled(data: Uint8Array): boolean {
  try {
    return token2022Extensions(data).some(({ type }) => SCALING.includes(type));
  } catch {
    return true;
  }
}

/** A node that takes longer has no opinion. */
const WAIT_MS = 1_000;
const KEPT_MS = 10 * 60_000;
/** How long others are not asked again where none of them had an opinion. */
const SILENT_MS = 10_000;
const MAX_KEPT = 10_000;

/** Why a mint is not what the first node says; undefined where no other node contradicts it. */
export type MintOpinions = (mint: Address, facts: Compared) => Promise<string | undefined>;
type Compared = Pick<MintInfo, 'decimals' | 'tokenProgram'>;

/**
 * Compares what one node says of mints with what these other ones say. How many decimals a token has decides what an
 * amount of it is worth: a node that lies about it could have orders filled for a thousandth of that, or their makers pay a
 * thousand times the cost.
 */
export function createMintOpinions(others: readonly Rpc[], steadyNow: () => number): MintOpinions {
  const readers = others.map((rpc) => ({ name: rpc.name, account: createAccountReader(rpc) }));
  const uncontradicted = new GrowingCache<Address, { text: string; until: number }>(MAX_KEPT);
  /** What was said against the first node, until another one agrees with it: silence takes nothing back. */
  const contradicted = new GrowingCache<Address, { text: string; why: string }>(MAX_KEPT);
  return async (mint, facts) => {
    const text = textOf(facts);
    const known = uncontradicted.get(mint);
    if (readers.length === 0 || (known?.text === text && known.until > steadyNow())) return undefined;
    const opinions = await Promise.all(
      readers.map(async ({ name, account }) => {
        let said: MintInfo | undefined;
        const read = account(mint).then((found) => {
          said = mintFacts(found);
        });
        await waitAtMost(WAIT_MS, read).catch(() => {});
        return { name, text: said && textOf(said) };
      }),
    );
    const other = opinions.find((opinion) => opinion.text !== undefined && opinion.text !== text);
    const isAgreed = opinions.some((opinion) => opinion.text === text);
    const why = other && `${other.name} says something else of the mint ${mint} than the first node`;
    if (why !== undefined) contradicted.set(mint, { text, why });
    else if (isAgreed) contradicted.delete(mint);
    const against = contradicted.get(mint);
    if (against?.text === text) return against.why;
    uncontradicted.set(mint, { text, until: steadyNow() + (isAgreed ? KEPT_MS : SILENT_MS) });
    return undefined;
  };
}

const textOf = ({ decimals, tokenProgram }: Compared) => `${decimals} ${tokenProgram}`;
