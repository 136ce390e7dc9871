import { type Codec, discriminator, i64, struct, u64 } from './borsh.js';

// What builders and parser share of the instructions: how their data begins, and their accounts with what they may do.

export const inviteTerms: Codec<{ expiry: bigint; amount: bigint }> = struct({ expiry: i64, amount: u64 });

/** Names of the public interface; there, `initializeToken` calls the invite's key `invite`. */
export type InviteAccount =
  | ('sender' | 'inviteSigner' | 'inviteInfo' | 'claimer' | 'keeper' | 'mint' | 'escrowTokenAccount')
  | ('senderTokenAccount' | 'claimerTokenAccount' | 'tokenProgram' | 'systemProgram' | 'associatedTokenProgram');
/** Signer, writable, both, or only read. */
type Role = 's' | 'w' | 'ws' | 'r';
interface Layout {
  start: Uint8Array;
  accounts: [InviteAccount, Role][];
}

const layout = (start: string, accounts: { [Name in InviteAccount]?: Role }): Layout => ({
  start: discriminator(start),
  accounts: Object.entries(accounts) as [InviteAccount, Role][],
});

export const inviteLayouts = {
  initialize: layout('afaf6d1f0d989bed', { sender: 'ws', inviteSigner: 's', inviteInfo: 'w', systemProgram: 'r' }),
  initializeToken: layout('26d19632be751036', {
    sender: 'ws',
    inviteSigner: 'ws',
    inviteInfo: 'w',
    systemProgram: 'r',
    senderTokenAccount: 'w',
    escrowTokenAccount: 'w',
    tokenProgram: 'r',
    mint: 'r',
    associatedTokenProgram: 'r',
  }),
  claim: layout('3ec6d6c1d59f6cd2', {
    inviteInfo: 'w',
    inviteSigner: 's',
    claimer: 'w',
    systemProgram: 'r',
    keeper: 'ws',
  }),
  claimToken: layout('74ce1bbfa6130049', {
    inviteInfo: 'w',
    inviteSigner: 'ws',
    claimer: 'w',
    systemProgram: 'r',
    keeper: 'ws',
    claimerTokenAccount: 'w',
    escrowTokenAccount: 'w',
    tokenProgram: 'r',
    mint: 'w',
    associatedTokenProgram: 'r',
  }),
  clawback: layout('6f5c8e4f21ea521b', { inviteInfo: 'w', sender: 'ws' }),
  clawbackToken: layout('f64a82e28959889a', {
    inviteInfo: 'w',
    sender: 'ws',
    senderTokenAccount: 'w',
    escrowTokenAccount: 'w',
    tokenProgram: 'r',
    associatedTokenProgram: 'r',
    systemProgram: 'r',
    mint: 'w',
  }),
  expire: layout('f353cd3a39c9f792', { inviteInfo: 'w', sender: 'w', keeper: 'ws' }),
  expireToken: layout('5ad0bd8248fccc0b', {
    inviteInfo: 'w',
    sender: 'w',
    senderTokenAccount: 'w',
    escrowTokenAccount: 'w',
    tokenProgram: 'r',
    associatedTokenProgram: 'r',
    systemProgram: 'r',
    mint: 'w',
    keeper: 'ws',
  }),
};
export type InviteInstructionName = keyof typeof inviteLayouts;
