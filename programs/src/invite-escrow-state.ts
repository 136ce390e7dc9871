import type { Address } from '@slipway/wire/formats';
import { type Codec, decodeAfter, discriminator, i64, key, struct, u8 } from './borsh.js';

/** Bytes of the account of an invite of SOL. */
export const INVITE_INFO_SIZE = 48;
/** Bytes of the account of an invite of tokens; its fields end before. */
export const INVITE_INFO_TOKEN_SIZE = 120;

/** The account of an invite of SOL. What the invite is of lies on it, beside the rent of its 48 bytes. */
export interface InviteInfo {
  sender: Address;
  /** In unix seconds: from when on it cannot be claimed any more. */
  expiry: bigint;
}

/** The account of an invite of tokens. */
export interface InviteInfoToken extends InviteInfo {
  inviteSigner: Address;
  /** The token account that holds what the invite is of. */
  escrowTokenAccount: Address;
  bump: number;
}

const INFO = discriminator('dd10cf74168ff4d3');
const INFO_TOKEN = discriminator('ea3b8d48076bfdd0');
const infoFields = struct<InviteInfo>({ sender: key, expiry: i64 });
const infoTokenFields: Codec<InviteInfoToken> = struct<InviteInfoToken>({
  sender: key,
  inviteSigner: key,
  escrowTokenAccount: key,
  expiry: i64,
  bump: u8,
});

/** The invite of SOL in an account's data; undefined when that is none. Its owner, the program, is not known here. */
export function decodeInviteInfo(data: Uint8Array): InviteInfo | undefined {
  return decodeAfter(INFO, infoFields, data);
}

/** The invite of tokens in an account's data; undefined when that is none. */
export function decodeInviteInfoToken(data: Uint8Array): InviteInfoToken | undefined {
  return decodeAfter(INFO_TOKEN, infoTokenFields, data);
}
