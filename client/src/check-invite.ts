import { checkInvite, type InviteAction, invitePlan, type ReadTransaction } from '@slipway/checks';
import { INVITE_PROGRAM, inviteAddress, parseInviteInstruction } from '@slipway/programs/formats';
import { type Address, address as toAddress, WRAPPED_SOL_MINT } from '@slipway/wire/formats';
import type { Programs } from './context.js';
import { type Check, MAX_FEE_LAMPORTS } from './flow.js';
import { expect } from './refuse.js';
import { budgetOf, checkFee } from './transaction.js';

/** The checks of transactions of invites. */
export function inviteChecks({ inviteEscrow }: Partial<Programs>) {
  const program = toAddress(inviteEscrow ?? INVITE_PROGRAM);
  /** The instruction's own token, for an invite of tokens: of which mint, the caller compares. */
  const tokenOf = ({ instructions }: ReadTransaction) => {
    const parsed = parseInviteInstruction(instructions[2]!, program);
    return parsed && 'mint' in parsed ? { mint: parsed.mint, tokenProgram: parsed.tokenProgram } : undefined;
  };
  const check = (read: ReadTransaction, payer: string, action: InviteAction) => {
    const budget = budgetOf(read);
    checkFee(read, budget, payer, MAX_FEE_LAMPORTS);
    checkInvite(read, invitePlan(action, program), program, budget);
  };
  return {
    checkSend(asked: {
      wallet: string;
      inviteSigner: string;
      amount: bigint;
      mint?: string | undefined;
      expiry: string;
    }): Check {
      return (read) => {
        const token = tokenOf(read);
        expect((token?.mint ?? WRAPPED_SOL_MINT) === (asked.mint ?? WRAPPED_SOL_MINT), 'another token');
        const expiry = BigInt(Date.parse(asked.expiry)) / 1_000n;
        const [sender, inviteSigner] = [toAddress(asked.wallet), toAddress(asked.inviteSigner)];
        check(read, asked.wallet, { do: 'create', sender, inviteSigner, amount: asked.amount, expiry, token });
      };
    },
    checkClaim(asked: { inviteSigner: string; receiver: string }): Check {
      return (read) => {
        const [keeper] = read.signers as [Address];
        const [inviteSigner, claimer] = [toAddress(asked.inviteSigner), toAddress(asked.receiver)];
        expect(keeper !== inviteSigner && keeper !== claimer, 'another fee payer');
        check(read, inviteSigner, { do: 'claim', inviteSigner, claimer, keeper, token: tokenOf(read) });
        const parsed = parseInviteInstruction(read.instructions[2]!, program);
        expect(parsed?.inviteInfo === inviteAddress(inviteSigner, program), 'another invite');
      };
    },
    checkTakeBack({ wallet, invite }: { wallet: string; invite: string }): Check {
      return (read) => {
        const action = { inviteInfo: toAddress(invite), sender: toAddress(wallet), token: tokenOf(read) };
        check(read, wallet, { do: 'clawback', ...action });
      };
    },
  };
}
