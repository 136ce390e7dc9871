import { type Address, type Keypair, keypairFromSeed, sign } from '@slipway/wire';
import { KeyManagementError } from './key-management.js';
import { PrivateFileError, readPrivateFile, replacePrivateFile, whileLocked } from './private-file.js';
import { deriveNode, type KeyNode, wipe } from './slip10.js';
import {
  joined,
  type NotedWallets,
  numbersAfter,
  type OwnWallets,
  openNoted,
  partsOf,
  type RotationStep,
  sealNoted,
  WALLET_ROLES,
  type WalletKeySource,
  type WalletKeys,
  type WalletRole,
} from './wallet-keys.js';

interface RingOptions {
  /** The signer file. */
  file: string;
  source: WalletKeySource;
  /** Authenticates what the file says about the wallets. */
  key: Uint8Array;
}

/** The keys of the wallets, those included that were exchanged for others. The signer file says which one is used. */
export class WalletRing {
  readonly #options: RingOptions;
  #wallets: OwnWallets;

  /** @throws PrivateFileError where the file is damaged; KeyManagementError where a key is missing */
  static async open(options: RingOptions): Promise<WalletRing> {
    return new WalletRing(options, await walletsOf(await readNoted(options), options.source));
  }

  private constructor(options: RingOptions, wallets: OwnWallets) {
    this.#options = options;
    this.#wallets = wallets;
  }

  get wallets(): OwnWallets {
    return this.#wallets;
  }

  /** Of the wallet as it is now. */
  address(role: WalletRole): Address {
    const { addresses, current } = this.#wallets[role];
    return addresses[current]!;
  }

  /** With the key of this address, or the current one. @throws RangeError where the wallet never had it */
  sign(role: WalletRole, address: Address | undefined, message: Uint8Array): Promise<Uint8Array> {
    const { current } = this.#wallets[role];
    const number = address === undefined ? current : this.numberOf(role, address);
    return this.#options.source.sign(role, number, message);
  }

  /** @throws RangeError where the wallet never had it */
  numberOf(role: WalletRole, address: Address): number {
    const number = this.#wallets[role].addresses.indexOf(address);
    if (number < 0) throw new RangeError(`the ${role} wallet never was ${address}`);
    return number;
  }

  /** Takes over what another process has changed. @throws PrivateFileError, KeyManagementError; all is then as it was */
  async reload(): Promise<void> {
    const noted = await readNoted(this.#options);
    if (!WALLET_ROLES.some((role) => isOther(noted[role], this.#wallets[role]))) return;
    if (WALLET_ROLES.some((role) => isBefore(noted[role], this.#wallets[role]))) {
      throw new PrivateFileError(`${this.#options.file} is older than what this process has: it is not used`);
    }
    this.#wallets = await walletsOf(noted, this.#options.source);
  }

  /** Takes a step towards the next key of a wallet. It can be killed at any point, and taken again. */
  rotate(role: WalletRole, step: RotationStep): Promise<void> {
    const { file, source, key } = this.#options;
    return whileLocked(file, async () => {
      await this.reload();
      const [before, numbers] = [this.#wallets[role], numbersAfter(this.#wallets[role], step)];
      if (!isOther(numbers, before)) return;
      if (step === 'make') await source.make(role, numbers.newest);
      const made = step === 'make' ? [(await source.address(role, numbers.newest, true))!] : [];
      const { seed, wallets } = partsOf(await textOf(file));
      const noted = openNoted(wallets, key, file);
      // What is retired and gone stays noted.
      const allOf = (each: WalletRole) =>
        this.#wallets[each].addresses.map((address, number) => noted[each].addresses?.[number] ?? address);
      const listed = WALLET_ROLES.map((each): [WalletRole, WalletKeys] => {
        const [own, more] = each === role ? [numbers, made] : [this.#wallets[each], []];
        return [each, { ...own, addresses: [...allOf(each), ...more] }];
      });
      const after = Object.fromEntries(listed) as OwnWallets;
      const content = joined({ seed, wallets: sealNoted(after, key) });
      await replacePrivateFile(file, content, async (written) => {
        if (written !== content) throw new PrivateFileError(`the disk of ${file} keeps other bytes than were written`);
      });
      await this.reload();
    });
  }
}

type Numbers = Pick<WalletKeys, 'oldest' | 'current' | 'newest'>;
const isOther = (one: Numbers, other: Numbers): boolean =>
  one.oldest !== other.oldest || one.current !== other.current || one.newest !== other.newest;
const isBefore = (one: Numbers, other: Numbers): boolean =>
  one.oldest < other.oldest || one.current < other.current || one.newest < other.newest;

async function textOf(file: string): Promise<string> {
  const content = await readPrivateFile(file);
  if (content === undefined) throw new PrivateFileError(`there is no signer file at ${file}`);
  return content.toString('utf8');
}

async function readNoted({ file, key }: RingOptions): Promise<NotedWallets> {
  return openNoted(partsOf(await textOf(file)).wallets, key, file);
}

/** @throws KeyManagementError where a key is missing, or another one than was there */
async function walletsOf(noted: NotedWallets, source: WalletKeySource): Promise<OwnWallets> {
  const found: [WalletRole, WalletKeys][] = [];
  for (const role of WALLET_ROLES) {
    const { oldest, current, newest, addresses: before } = noted[role];
    const addresses: (Address | null)[] = [];
    for (let number = 0; number <= newest; number += 1) {
      const address = (await source.address(role, number, number >= oldest)) ?? null;
      const expected = before?.[number] ?? address;
      if (address !== null && address !== expected) {
        throw new KeyManagementError(
          `key ${number + 1} of the ${role} wallet is ${address}, and was ${expected} when it was made: give its name back to that one`,
        );
      }
      addresses.push(address);
    }
    found.push([role, { oldest, current, newest, addresses }]);
  }
  return Object.fromEntries(found) as OwnWallets;
}

/** Keys that are derived: the first one at the role's node, the others below it. `roots` stays with it. */
export function derivedWallets(roots: Readonly<Record<WalletRole, KeyNode>>): WalletKeySource {
  const known = new Map<string, Keypair>();
  const keypair = (role: WalletRole, number: number): Keypair => {
    const name = `${role} ${number}`;
    const found = known.get(name) ?? keypairAt(roots[role], number);
    known.set(name, found);
    return found;
  };
  return {
    address: async (role, number) => keypair(role, number).address,
    sign: async (role, number, message) => sign(keypair(role, number), message),
    async make() {},
  };
}

function keypairAt(root: KeyNode, number: number): Keypair {
  const node = deriveNode(root, number === 0 ? [] : [number]);
  const keypair = keypairFromSeed(node.key);
  wipe(node);
  return keypair;
}
