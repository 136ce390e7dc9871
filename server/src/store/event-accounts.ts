/** The account of a key, by the key's id. */
export const accountOfKey = (keyId: string): string => `key:${keyId}`;
/** The account of a wallet. */
export const accountOfWallet = (wallet: string): string => `wallet:${wallet}`;
