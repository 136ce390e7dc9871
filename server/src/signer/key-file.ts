import {
  type Address,
  base58Decode,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  type Keypair,
  keypairFromSecret,
  sign,
  withSignature,
} from '@slipway/wire';
import { PrivateFileError, readPrivateFile } from './private-file.js';

/** Signs for one wallet, whose key stays here. */
export interface WalletSigner {
  readonly address: Address;
  /** The transaction with the wallet's signature. */
  signTransaction(wire: Uint8Array): Uint8Array;
  /** The 64 bytes of a signature. */
  signMessage(message: Uint8Array): Uint8Array;
}

/**
 * Opens the key of a wallet: 64 bytes as JSON, as `solana-keygen` writes them, or in base58, as wallets export them.
 * @throws PrivateFileError where it is missing, open to other users, or no key
 */
export async function openKeyFile(path: string): Promise<WalletSigner> {
  const content = await readPrivateFile(path);
  if (content === undefined) throw new PrivateFileError(`${path} does not exist`);
  const keypair = keypairOf(content.toString('utf8').trim());
  if (keypair === undefined) {
    throw new PrivateFileError(`${path} holds no key: expected 64 bytes as JSON ([12, 34, ...]) or in base58`);
  }
  return signerOf(keypair);
}

/** Signs for a new wallet, which ends with this process: nothing keeps its key. */
export const newWalletSigner = (): WalletSigner => signerOf(generateKeypair());

function signerOf(keypair: Keypair): WalletSigner {
  return {
    address: keypair.address,
    signTransaction(wire) {
      const { signatures, message } = decodeTransaction(wire);
      return encodeTransaction(withSignature({ signatures, message }, keypair.address, sign(keypair, message)));
    },
    signMessage: (message) => sign(keypair, message),
  };
}

function keypairOf(text: string): Keypair | undefined {
  try {
    const bytes = text.startsWith('[') ? Uint8Array.from(JSON.parse(text) as number[]) : base58Decode(text);
    return bytes?.length === 64 ? keypairFromSecret(bytes) : undefined;
  } catch {
    return undefined;
  }
}
