import {
  type Address,
  associatedTokenAddress,
  compileMessage,
  createAssociatedTokenIdempotent,
  encodeTransaction,
  type Instruction,
  type Keypair,
  setComputeUnitLimit,
  sign,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenMintTo,
  tokenSyncNative,
  WRAPPED_SOL_MINT,
  writeAddress,
} from '@slipway/wire';
import { ChainError } from './chain-error.js';
import type { Substitute } from './executor.js';
import type { Account } from './types.js';

const AUTHORITY_LENGTH = 4 + 32;
const BASE_UNITS = 200_000;
const SPARE_UNITS = 1_000_000n;

/** A transaction signed by the faucet. `unique` makes it another one than an equal one before. */
export interface FaucetContext {
  faucet: Keypair;
  blockhash: string;
  unique: bigint;
}

/** Transfers lamports from the faucet. */
export function airdropTransaction(wallet: Address, lamports: bigint, context: FaucetContext): Uint8Array {
  return signed([systemTransfer({ from: context.faucet.address, to: wallet, lamports })], context);
}

/**
 * Mints tokens to the wallet's associated token account, which is made when it is not there; wraps SOL for the wrapped
 * SOL mint. Throws a ChainError of the kind `invalid` when there is no such mint.
 */
export function tokenAirdropTransaction(
  wallet: Address,
  mint: Address,
  amount: bigint,
  mintAccount: Account | undefined,
  context: FaucetContext,
): Uint8Array {
  const tokenProgram = mintAccount?.owner;
  if (tokenProgram !== TOKEN_PROGRAM && tokenProgram !== TOKEN_2022_PROGRAM) {
    throw new ChainError('invalid', `there is no mint ${mint}`);
  }
  const authority = context.faucet.address;
  const destination = associatedTokenAddress(wallet, mint, tokenProgram);
  const create = createAssociatedTokenIdempotent({ payer: authority, owner: wallet, mint, tokenProgram });
  const fill =
    mint === WRAPPED_SOL_MINT
      ? [
          systemTransfer({ from: authority, to: destination, lamports: amount }),
          tokenSyncNative({ account: destination }),
        ]
      : [tokenMintTo({ mint, destination, authority, amount, tokenProgram })];
  return signed([create, ...fill], context);
}

/** The mint with the faucet as its authority for one transaction; undefined when it is the authority anyway. */
export function withFaucetAuthority(mint: Address, account: Account, faucet: Address): Substitute | undefined {
  const own = account.data.subarray(0, AUTHORITY_LENGTH);
  const data = Buffer.from(account.data);
  data.writeUInt32LE(1, 0);
  writeAddress(faucet, data, 4);
  if (data.equals(account.data)) return undefined;
  return {
    address: mint,
    account: { ...account, data },
    restore(after) {
      const restored = Buffer.from(after.data);
      restored.set(own);
      return { ...after, data: restored };
    },
  };
}

function signed(instructions: Instruction[], { faucet, blockhash, unique }: FaucetContext): Uint8Array {
  const limit = setComputeUnitLimit(BASE_UNITS + Number(unique % SPARE_UNITS));
  const message = compileMessage({
    version: 'legacy',
    feePayer: faucet.address,
    instructions: [limit, ...instructions],
    blockhash,
  });
  return encodeTransaction({ signatures: [sign(faucet, message)], message });
}
