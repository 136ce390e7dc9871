import type { CallbackSigner, ClientOptions, WalletSigner } from '@slipway/client';
import { createClient } from '@slipway/client';
import { decodeTransaction, encodeTransaction, type Keypair, sign, withSignature } from '@slipway/wire';
import { createKeyPairSignerFromBytes, type KeyPairSigner } from '@solana/kit';
import type { Service } from './service.js';

/** A client of the service that acts for this wallet. */
export function clientOf(service: Service, wallet: Keypair, options: Partial<ClientOptions> = {}) {
  const { url, rpcUrl } = service;
  const own = { url, apiKey: 'sandbox', signer: callbackSigner(wallet), rpcUrl, sandbox: true };
  return createClient({ ...own, ...options });
}

function signedBytes(wallet: Keypair, wire: Uint8Array): Uint8Array {
  const { signatures, message } = decodeTransaction(wire);
  return encodeTransaction(withSignature({ signatures, message }, wallet.address, sign(wallet, message)));
}

export function callbackSigner(wallet: Keypair): CallbackSigner {
  return {
    address: wallet.address,
    signTransaction: (wire) => signedBytes(wallet, wire),
    signMessage: (message) => sign(wallet, message),
  };
}

export function kitSigner(wallet: Keypair): Promise<KeyPairSigner> {
  return createKeyPairSignerFromBytes(wallet.secretKey);
}

interface WalletInput {
  transaction: Uint8Array;
  message: Uint8Array;
}

/** What a browser's wallet offers by the wallet standard. */
export function standardSigner(wallet: Keypair): WalletSigner {
  const features = {
    'solana:signTransaction': {
      signTransaction: async ({ transaction }: WalletInput) => [
        { signedTransaction: signedBytes(wallet, transaction) },
      ],
    },
    'solana:signMessage': {
      signMessage: async ({ message }: WalletInput) => [{ signedMessage: message, signature: sign(wallet, message) }],
    },
  };
  return { account: { address: wallet.address, chains: ['solana:localnet'] }, wallet: { features } };
}
