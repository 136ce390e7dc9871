import type { CallbackSigner } from '@slipway/client';
import { useSyncExternalStore } from 'react';

export interface SandboxWallet {
  name: string;
  address: string;
  secretKey: string;
}

/** Whoever acts on every screen: a wallet of the sandbox, or of the browser. */
export interface ActingWallet {
  name: string;
  address: string;
  signer: CallbackSigner;
}

/** What stands before the seed of an Ed25519 key in PKCS #8. */
const PKCS8 = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32];
const SEED_BYTES = 32;

/** Signs with a wallet of the sandbox, whose key everybody knows. */
export function signerOf({ address, secretKey }: SandboxWallet): CallbackSigner {
  const sign = async (message: Uint8Array): Promise<Uint8Array> => {
    const { base58Decode } = await import('@slipway/wire/formats');
    const seed = base58Decode(secretKey)!.slice(0, SEED_BYTES);
    const key = await crypto.subtle.importKey('pkcs8', new Uint8Array([...PKCS8, ...seed]), 'Ed25519', false, ['sign']);
    return new Uint8Array(await crypto.subtle.sign('Ed25519', key, new Uint8Array(message)));
  };
  return {
    address,
    signMessage: sign,
    async signTransaction(wire) {
      const formats = await import('@slipway/wire/formats');
      const { signatures, message } = formats.decodeTransaction(wire);
      const signature = await sign(message);
      const signed = formats.withSignature({ signatures, message }, formats.address(address), signature);
      return formats.encodeTransaction(signed);
    },
  };
}

const PLACE = 'slipway.wallet';
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The name of the wallet that acts on every screen. */
export function useWalletName(): string {
  return useSyncExternalStore(subscribe, () => localStorage.getItem(PLACE) ?? 'alice');
}

export function chooseWallet(name: string): void {
  localStorage.setItem(PLACE, name);
  for (const listener of listeners) listener();
}
