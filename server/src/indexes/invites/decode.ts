import { isDeepStrictEqual } from 'node:util';
import { parseInviteInstruction } from '@slipway/programs';
import type { Address, Instruction } from '@slipway/wire';
import type { PastTransaction } from '../../chain/index.js';
import type { InviteEvent } from '../../store/invite-events.js';

const ENDS = {
  claim: 'claimed',
  claimToken: 'claimed',
  clawback: 'clawed_back',
  clawbackToken: 'clawed_back',
  expire: 'expired',
  expireToken: 'expired',
} as const;

/**
 * What a transaction has done with invites. Read from its instructions, not from its log: nodes truncate logs, so a
 * caller of the program could hide events.
 */
export function decodeInviteEvents({ hasFailed, instructions }: PastTransaction, program: Address): InviteEvent[] {
  if (hasFailed) return [];
  return instructions.flatMap((instruction) => {
    const isLong = instruction.program === program && instruction.isTooLong;
    return (isLong ? longEventOf(instruction, program) : eventOf(instruction, program)) ?? [];
  });
}

/**
 * Of a call with kilobytes behind its arguments, by which somebody would hide it. A succeeded one begins with what the
 * program knows. Undefined where the bytes behind the terms of a new invite leave it open what these are: only whoever makes
 * it so misses it, and what else the transaction did is told.
 */
function longEventOf(instruction: PastTransaction['instructions'][number], program: Address): InviteEvent | undefined {
  const { accounts, beginnings = [] } = instruction;
  const events = beginnings.flatMap((data) => eventOf({ program, accounts, data }, program) ?? []);
  return events[1] && !isDeepStrictEqual(events[0], events[1]) ? undefined : events[0];
}

function eventOf(instruction: Instruction, program: Address): InviteEvent | undefined {
  const parsed = parseInviteInstruction(instruction, program);
  if (!parsed) return undefined;
  const { inviteInfo: invitePda } = parsed;
  switch (parsed.name) {
    case 'initialize':
    case 'initializeToken': {
      const { inviteSigner, sender, amount, expiry } = parsed;
      const { mint = null, tokenProgram = null } = parsed.name === 'initializeToken' ? parsed : {};
      return {
        kind: 'created',
        invitePda,
        inviteSigner,
        sender,
        mint,
        tokenProgram,
        amount: `${amount}`,
        expiry: `${expiry}`,
      };
    }
    default:
      return { kind: ENDS[parsed.name], invitePda, receiver: 'claimer' in parsed ? parsed.claimer : null };
  }
}
