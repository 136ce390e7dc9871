import { address } from './address.js';

export const SYSTEM_PROGRAM = address('11111111111111111111111111111111');
export const TOKEN_PROGRAM = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
export const TOKEN_2022_PROGRAM = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
export const ASSOCIATED_TOKEN_PROGRAM = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
export const COMPUTE_BUDGET_PROGRAM = address('ComputeBudget111111111111111111111111111111');
export const MEMO_PROGRAM = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
export const MEMO_V1_PROGRAM = address('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo');
export const ADDRESS_LOOKUP_TABLE_PROGRAM = address('AddressLookupTab1e1111111111111111111111111');
/** Metaplex's token metadata. */
export const METADATA_PROGRAM = address('metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s');

export const NATIVE_LOADER = address('NativeLoader1111111111111111111111111111111');
export const BPF_LOADER_2 = address('BPFLoader2111111111111111111111111111111111');
export const BPF_LOADER_UPGRADEABLE = address('BPFLoaderUpgradeab1e11111111111111111111111');

export const SYSVAR_OWNER = address('Sysvar1111111111111111111111111111111111111');
export const CLOCK_SYSVAR = address('SysvarC1ock11111111111111111111111111111111');
export const RENT_SYSVAR = address('SysvarRent111111111111111111111111111111111');
export const RECENT_BLOCKHASHES_SYSVAR = address('SysvarRecentB1ockHashes11111111111111111111');
export const SLOT_HASHES_SYSVAR = address('SysvarS1otHashes111111111111111111111111111');
export const INSTRUCTIONS_SYSVAR = address('Sysvar1nstructions1111111111111111111111111');

/** The mint that wraps SOL; its token accounts are "native" and hold lamports. */
export const WRAPPED_SOL_MINT = address('So11111111111111111111111111111111111111112');
/** The same of Token-2022, which hardly anybody uses. */
export const WRAPPED_SOL_2022_MINT = address('9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP');

/** Whether the accounts of a mint hold SOL: they are closed with all that they hold, and those of others only when they are empty. */
export const holdsSol = (mint: string): boolean => mint === WRAPPED_SOL_MINT || mint === WRAPPED_SOL_2022_MINT;
