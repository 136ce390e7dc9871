import { base58Decode, CLOCK_SYSVAR } from '@slipway/wire';
import { readClock, slotsOf } from '../chain/index.js';
import type { HistoryPlace, IndexCursor } from '../store/index-cursors.js';
import type { IndexDeps, IndexedProgram } from './indexed-program.js';

type Newest = Pick<HistoryPlace, 'txId' | 'slot'>;

/** How long a node may deny the newest transaction before it may be none: most nodes that are behind catch up. */
export const DENIAL_MS = 60_000;
/** As many as a node tells of in one answer. */
const LOOKED_AT = 256;
const SIGNATURE_SIZE = 64;

/**
 * Where to go on in the place of a transaction that is none, which a node has denied for `DENIAL_MS`: after the newest recorded one
 * that it knows, or from the beginning. Undefined if it may be one. @throws ChainUnavailable
 */
export async function placeBefore<E>(
  deps: Pick<IndexDeps, 'store' | 'chain' | 'clock'>,
  program: Pick<IndexedProgram<E>, 'newest'>,
  newest: Newest,
  isDenied: boolean,
): Promise<Partial<IndexCursor> | undefined> {
  if (!(await isNone(deps, newest, isDenied))) return undefined;
  const recorded = (await program.newest(deps.store, LOOKED_AT)).filter(({ txId }) => isSignature(txId));
  const slots = await slotsOf(
    deps.chain.rpc,
    recorded.map(({ txId }) => txId),
  );
  const known = recorded.find(({ slot }, index) => slot === slots[index]);
  return known
    ? { newest: known.txId, newestSlot: known.slot }
    : { newest: '', newestSlot: 0n, oldest: '', complete: false };
}

/**
 * Whether there is no such transaction in this slot. A node that has pruned it does not know it either, so this one must have older
 * ones (`isDenied`) or not have reached the slot. Nor does a node that is behind, but its clock tells.
 */
async function isNone(
  { chain, clock }: Pick<IndexDeps, 'chain' | 'clock'>,
  { txId, slot }: Newest,
  isDenied: boolean,
): Promise<boolean> {
  // A node refuses to tell of it.
  if (!isSignature(txId)) return true;
  const [told] = await slotsOf(chain.rpc, [txId]);
  if (told !== undefined) return told !== slot;
  const now = readClock(await chain.account(CLOCK_SYSVAR));
  if (!now || Number(now.unixTimestamp) * 1_000 < clock.now() - DENIAL_MS) return false;
  return isDenied || now.slot < slot;
}

const isSignature = (txId: string): boolean => base58Decode(txId)?.length === SIGNATURE_SIZE;
