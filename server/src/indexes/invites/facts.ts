import { parseInviteInstruction } from '@slipway/programs';
import type { Address, Instruction } from '@slipway/wire';
import type { InviteFact } from '../../store/invites.js';

const ENDS = {
  claim: 'claimed',
  claimToken: 'claimed',
  clawback: 'clawed_back',
  clawbackToken: 'clawed_back',
  expire: 'expired',
  expireToken: 'expired',
} as const;

/**
 * What the instruction has done with an invite; undefined for another one. From the instruction, not from the log, which
 * nodes cut off, so that a caller of the program can hide events.
 */
export function factOf(instruction: Instruction, program: Address): InviteFact | undefined {
  const parsed = parseInviteInstruction(instruction, program);
  if (!parsed) return undefined;
  const { inviteInfo: invitePda } = parsed;
  switch (parsed.name) {
    case 'initialize':
    case 'initializeToken': {
      const { inviteSigner, sender, amount, expiry } = parsed;
      const { mint = null, tokenProgram = null } = parsed.name === 'initializeToken' ? parsed : {};
      return {
        ...{ kind: 'created', invitePda, inviteSigner, sender, mint, tokenProgram },
        ...{ amount: `${amount}`, expiry: `${expiry}` },
      };
    }
    default:
      return { kind: ENDS[parsed.name], invitePda, receiver: 'claimer' in parsed ? parsed.claimer : null };
  }
}
