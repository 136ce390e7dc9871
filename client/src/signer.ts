/** A dictionary of signatures, as @solana/kit gives them. */
export type Signatures = Readonly<Record<string, unknown>>;

/** A `TransactionPartialSigner` of @solana/kit, such as a `KeyPairSigner`. Its types are its own. */
export interface PartialSigner {
  readonly address: string;
  // biome-ignore lint/suspicious/noExplicitAny: kit's transaction has branded types, which no other package can name.
  signTransactions(transactions: readonly any[], config?: any): Promise<readonly Signatures[]>;
}

/** A `TransactionModifyingSigner` of @solana/kit, such as that of a wallet. What it changes is refused. */
export interface ModifyingSigner {
  readonly address: string;
  modifyAndSignTransactions(
    // biome-ignore lint/suspicious/noExplicitAny: as above
    transactions: readonly any[],
    // biome-ignore lint/suspicious/noExplicitAny: as above
    config?: any,
  ): Promise<readonly { messageBytes: unknown; signatures: Signatures }[]>;
}

/** An account of a wallet-standard wallet, with the wallet's features. */
export interface WalletSigner {
  readonly account: { readonly address: string; readonly chains?: readonly string[] };
  readonly wallet: { readonly features: Readonly<Record<string, unknown>> };
}

/** Functions that sign. */
export interface CallbackSigner {
  readonly address: string;
  /** Answers the bytes of the transaction with the signature in its place. */
  signTransaction(transaction: Uint8Array): Promise<Uint8Array> | Uint8Array;
  /** Answers the 64 bytes of a signature. Only a login needs it. */
  signMessage?(message: Uint8Array): Promise<Uint8Array> | Uint8Array;
}

/** Whatever signs for a wallet. */
export type Signer = PartialSigner | ModifyingSigner | WalletSigner | CallbackSigner;

/** The wallet's address. */
export const addressOf = (signer: Signer): string => ('account' in signer ? signer.account.address : signer.address);
