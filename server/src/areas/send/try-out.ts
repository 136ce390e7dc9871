import { INVITE_ERRORS } from '@slipway/programs';
import { CPI_GUARDED, NO_MEMO } from '../../chain/index.js';
import { craftInvite, type InviteAction } from '../../crafting/invite.js';
import { walletMinimum } from '../../crafting/wallet.js';
import { AppError } from '../../errors/index.js';
import { explain, tryOut, type Working } from '../../landing/index.js';
import type { SendDeps } from './deps.js';

/** What the program's errors mean for a client's request. */
const meanings = (): Readonly<Record<number, string>> => ({
  [NO_MEMO]:
    'the token account that gets it requires memos, which the program does not add: its owner turns that off first',
  [CPI_GUARDED]: "the sender's token account has CPI Guard on, which lets no program take from it: turn that off first",
  2014: 'mint: expected a token that can be held in escrow; transfers of this one are taxed or restricted',
  6000: 'the rents of the invite do not pay for the token account that is missing: make it before',
  6001: `amount: expected at least ${walletMinimum()} lamports; the minimum balance of an account`,
  6003: 'the invite has expired',
});

/**
 * Crafts the transaction and simulates it on the chain as it is now.
 * @throws AppError INVALID_REQUEST that says why it would fail
 */
export async function craft({ chain, program, index }: SendDeps, action: InviteAction): Promise<Working> {
  // What becomes of it is told to whoever listens.
  await index.begin();
  const tried = await tryOut(chain, (blockhash, budget) => craftInvite(action, program, blockhash, budget));
  if ('crafted' in tried) return tried;
  throw new AppError('INVALID_REQUEST', { message: whyNot(tried.err) });
}

/** An error of the chain in this area's words. */
export function whyNot(err: unknown): string {
  const { code, message } = explain(err);
  const names: Readonly<Record<number, string>> = INVITE_ERRORS;
  return meanings()[code] ?? `the chain would refuse it: ${names[code] ?? message}`;
}
