import type { CallbackSigner } from '@slipway/client';
import { useSignMessage, useSignTransaction } from '@solana/react';
import type { UiWalletAccount } from '@wallet-standard/react';
import { useMemo } from 'react';
import { useLatest } from './use-latest.js';

/**
 * The signer of a connected account, for the flows. `chain` is the name by which the wallet knows the service's chain.
 * @throws WalletStandardError where the wallet does not sign transactions and messages, or not for this chain
 */
export function useWalletSigner(account: UiWalletAccount, chain: `solana:${string}`): CallbackSigner {
  const transactions = useLatest(useSignTransaction(account, chain));
  const messages = useLatest(useSignMessage(account));
  return useMemo(
    () => ({
      address: account.address,
      signTransaction: async (transaction) => (await transactions.current({ transaction })).signedTransaction,
      signMessage: async (message) => (await messages.current({ message })).signature,
    }),
    [account.address, transactions, messages],
  );
}
