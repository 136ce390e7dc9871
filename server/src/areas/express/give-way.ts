import { giveWay, type VerificationKind } from '../../store/verifications.js';
import type { ExpressDeps } from './deps.js';

/** How long a payment holds its token for certain. One that can land does so within seconds. */
export const HELD_MS = 10_000;

/**
 * Frees the token from payments that have held it for a while and would fail by now: their senders have moved the
 * money away. Otherwise two of them in turn keep a rival from paying, at no cost.
 */
export async function letOthersPay(
  {
    store,
    clock,
    findHolders,
    findRequest,
    landing,
  }: Pick<ExpressDeps, 'store' | 'clock' | 'findHolders' | 'findRequest' | 'landing'>,
  tokenId: string,
  kinds: readonly VerificationKind[],
): Promise<void> {
  const now = clock.now();
  for (const requestId of await findHolders({ tokenId, kinds, before: new Date(now - HELD_MS) })) {
    const held = await findRequest(requestId);
    if (held?.state !== 'sending' || !(await landing.wouldFail(held))) continue;
    await store.transaction((tx) => giveWay(tx, requestId, new Date(now)));
  }
}
