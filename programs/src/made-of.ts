import type { AccountMeta, Instruction } from '@slipway/wire/formats';

/**
 * Whether the instruction is the one that the builder makes, with at least its rights; in a message an account can have
 * more of them, from other instructions. Of the data only the length is compared: the caller has read it.
 */
export function isMadeOf(instruction: Instruction, build: () => Instruction): boolean {
  const { accounts, data } = build();
  return (
    accounts.length === instruction.accounts.length &&
    accounts.every((needed, i) => grants(instruction.accounts[i]!, needed)) &&
    data.length === instruction.data.length
  );
}

function grants(meta: AccountMeta, needed: AccountMeta): boolean {
  return meta.address === needed.address && meta.signer >= needed.signer && meta.writable >= needed.writable;
}
