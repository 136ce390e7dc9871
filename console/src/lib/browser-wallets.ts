import type { CallbackSigner } from '@slipway/client';
import { getWallets } from '@wallet-standard/app';
import type { Wallet, WalletAccount } from '@wallet-standard/base';
import { useSyncExternalStore } from 'react';

/** An account of a wallet that the browser has, as the wallet standard has it announced. */
export interface BrowserAccount {
  /** Of the wallet. */
  name: string;
  address: string;
  signer: CallbackSigner;
}

/** The part of the wallet standard's features that is used here. */
interface Features {
  'standard:connect': { connect(): Promise<{ accounts: readonly WalletAccount[] }> };
  'standard:events'?: {
    on(event: 'change', listener: (changed: { accounts?: readonly WalletAccount[] }) => void): () => void;
  };
  'solana:signTransaction': {
    signTransaction(input: object): Promise<readonly { signedTransaction: Uint8Array }[]>;
  };
  'solana:signMessage'?: { signMessage(input: object): Promise<readonly { signature: Uint8Array }[]> };
}

const CHAIN = 'solana:localnet';
const announced = getWallets();
const featuresOf = (wallet: Wallet) => wallet.features as unknown as Features;
const isUsable = ({ features, chains }: Wallet): boolean =>
  'standard:connect' in features &&
  'solana:signTransaction' in features &&
  chains.some((chain) => chain.startsWith('solana:'));

let names: readonly string[] = [];
let acting: BrowserAccount | undefined;
let forgetChanges: () => void = () => {};
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

function changed(): void {
  names = announced
    .get()
    .filter(isUsable)
    .map(({ name }) => name);
  if (acting && !names.includes(acting.name)) leaveBrowserWallet();
  for (const listener of listeners) listener();
}
announced.on('register', changed);
announced.on('unregister', changed);
changed();

/** The names of the browser's wallets that can sign here. */
export const useBrowserWallets = (): readonly string[] => useSyncExternalStore(subscribe, () => names);

/** The account that acts on every screen; undefined while a wallet of the sandbox does. */
export const useBrowserAccount = (): BrowserAccount | undefined => useSyncExternalStore(subscribe, () => acting);

/** Asks a wallet for its account, which then acts, until the page is loaded again. @throws what the wallet says */
export async function connectBrowserWallet(name: string): Promise<void> {
  const wallet = announced.get().find((each) => each.name === name && isUsable(each));
  if (!wallet) throw new Error(`${name} is no longer there.`);
  const features = featuresOf(wallet);
  const { accounts } = await features['standard:connect'].connect();
  if (accounts.length === 0) throw new Error(`${name} has given no account.`);
  leaveBrowserWallet();
  act(wallet, accounts);
  const stop = features['standard:events']?.on('change', ({ accounts: now }) => now && act(wallet, now));
  forgetChanges = () => stop?.();
}

export function leaveBrowserWallet(): void {
  forgetChanges();
  forgetChanges = () => {};
  acting = undefined;
  for (const listener of listeners) listener();
}

/** The wallet decides which account is first; without one, a wallet of the sandbox acts again. */
function act(wallet: Wallet, [account]: readonly WalletAccount[]): void {
  acting = account && { name: wallet.name, address: account.address, signer: signerOf(wallet, account) };
  for (const listener of listeners) listener();
}

function signerOf(wallet: Wallet, account: WalletAccount): CallbackSigner {
  const features = featuresOf(wallet);
  const chain = account.chains.find((each) => each === CHAIN) ?? account.chains[0];
  const { 'solana:signMessage': messages } = features;
  return {
    address: account.address,
    async signTransaction(transaction) {
      const [output] = await features['solana:signTransaction'].signTransaction({ account, transaction, chain });
      return output!.signedTransaction;
    },
    ...(messages && {
      async signMessage(message: Uint8Array) {
        const [output] = await messages.signMessage({ account, message });
        return output!.signature;
      },
    }),
  };
}
