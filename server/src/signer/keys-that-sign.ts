import type { Address } from '@slipway/wire';
import type { BareKeys, KeyName } from './bare-keys.js';
import { type NamedKey, NotAllowed } from './policies/index.js';
import { isWalletRole, type OwnWallets, usableAddresses, type WalletRole } from './wallet-keys.js';

/** A key that is asked to sign, and its exact name. */
export interface SigningKey extends NamedKey {
  key: KeyName;
}

/**
 * The keys that a request names. A wallet is named by its role, and the signers of the transaction say which of its keys: the
 * current one, or one that was exchanged after it was made. Another one of the keeper, which may only give up what it alone
 * can, comes last.
 * @throws NotAllowed, RangeError for a name of no key
 */
export async function keysThatSign(
  keys: BareKeys,
  names: readonly KeyName[],
  signers: readonly Address[],
): Promise<SigningKey[]> {
  const wallets = keys.wallets?.();
  const [found, more]: [SigningKey[], SigningKey[]] = [[], []];
  for (const name of names) {
    const [role = '', member] = name.split(':');
    if (isWalletRole(role) && member !== undefined) throw new NotAllowed('a wallet is named without its address');
    if (!isWalletRole(name) || !wallets) found.push({ name, key: name, address: await keys.publicKey(name) });
    else {
      const [first, ...others] = keysOfWallet(name, wallets, signers);
      found.push(first!);
      more.push(...others);
    }
  }
  return [...found, ...more];
}

function keysOfWallet(role: WalletRole, wallets: OwnWallets, signers: readonly Address[]): SigningKey[] {
  const { addresses, current } = wallets[role];
  const usable = usableAddresses(wallets[role]);
  const signing = signers.filter((signer) => addresses.includes(signer));
  const used = usable.find((address) => signing.includes(address));
  const named = (address: Address, isEarlier: boolean): SigningKey => ({
    name: role,
    key: `${role}:${address}`,
    address,
    isEarlier,
  });
  const others = signing.filter((address) => address !== used).map((address) => named(address, true));
  if (used !== undefined) return [named(used, false), ...others];
  return others.length > 0 ? others : [named(addresses[current]!, false)];
}

/** The keeper that a transaction is of: the one that signs it, or the current one. */
export async function keeperOf(keys: BareKeys, signers: readonly Address[]): Promise<Address> {
  const keeper = keys.wallets?.().keeper;
  if (keeper === undefined) return keys.publicKey('keeper');
  const [current, ...others] = usableAddresses(keeper);
  return [current!, ...others].find((address) => signers.includes(address)) ?? current!;
}
