import type { AccountMeta, Instruction } from '@slipway/wire';

/** Whether an instruction is the one that a builder makes: the same accounts with at least the same rights, as much data. */
export function isMadeOf(instruction: Instruction, { accounts, data }: Instruction): boolean {
  return (
    accounts.length === instruction.accounts.length &&
    accounts.every((needed, i) => grants(instruction.accounts[i]!, needed)) &&
    data.length === instruction.data.length
  );
}

/** Whether it is the same account with at least these rights; in a message it can have more, from other instructions. */
function grants(meta: AccountMeta, needed: AccountMeta): boolean {
  return meta.address === needed.address && meta.signer >= needed.signer && meta.writable >= needed.writable;
}
