import {
  base58Decode,
  decodeMessage,
  decodeTransaction,
  encodeTransaction,
  requiredSigners,
  address as toAddress,
  withSignature,
} from '@slipway/wire/formats';
import { createKeyPairFromBytes, signBytes } from '@solana/kit';
import { SOLANA_CHAINS } from '@solana/wallet-standard-chains';
import {
  SolanaSignAndSendTransaction,
  type SolanaSignAndSendTransactionInput,
  SolanaSignMessage,
  type SolanaSignMessageInput,
  SolanaSignTransaction,
  type SolanaSignTransactionInput,
} from '@solana/wallet-standard-features';
import type { Wallet, WalletAccount } from '@wallet-standard/base';
import {
  StandardConnect,
  StandardDisconnect,
  StandardEvents,
  type StandardEventsListeners,
} from '@wallet-standard/features';
import { ReadonlyWalletAccount } from '@wallet-standard/wallet';
import { ask, type Question } from './ask.js';
import { explain } from './explain.js';
import { callChain, type Sandbox, toBase64 } from './sandbox.js';

type Person = Sandbox['wallets'][number];

/** As wallets by the older interface of browsers number it. */
const REJECTED = 4001;
const SIGNING = [SolanaSignAndSendTransaction, SolanaSignTransaction, SolanaSignMessage] as const;

/**
 * One of the sandbox's wallets, by the wallet standard. It says that it is on every chain, and signs for all of them, so
 * that an app that asks for mainnet runs on the sandbox as it is.
 */
export function createWallet(sandbox: Sandbox, person: Person): Wallet {
  const { name, address } = person;
  const publicKey = base58Decode(address)!;
  const account = new ReadonlyWalletAccount({
    address,
    publicKey,
    chains: SOLANA_CHAINS,
    features: SIGNING,
    label: name,
  });
  const listeners = new Set<StandardEventsListeners['change']>();
  // A page that was connected is so after a reload, as with other wallets.
  const remembered = `slipway-sandbox:${address}`;
  let accounts: readonly WalletAccount[] = localStorage.getItem(remembered) === null ? [] : [account];

  const change = (to: readonly WalletAccount[]) => {
    if (accounts.length === to.length) return;
    accounts = to;
    if (to.length === 0) localStorage.removeItem(remembered);
    else localStorage.setItem(remembered, '');
    for (const listener of listeners) listener({ accounts });
  };
  const requireOurs = (asked: WalletAccount) => {
    if (accounts.length === 0) throw new Error(`${name} is not connected: call standard:connect first`);
    if (asked.address !== address) throw new Error(`${asked.address} is no account of ${name}`);
  };
  const signed = async (input: SolanaSignTransactionInput, verb: string) => {
    requireOurs(input.account);
    return signTransaction(sandbox, person, input.transaction, verb);
  };

  return {
    version: '1.0.0',
    name: `${name} (sandbox)`,
    icon: iconOf(name),
    chains: SOLANA_CHAINS,
    get accounts() {
      return accounts;
    },
    features: {
      [StandardConnect]: {
        version: '1.0.0',
        connect: async ({ silent }: { silent?: boolean } = {}) => {
          if (!silent) change([account]);
          return { accounts };
        },
      },
      [StandardDisconnect]: { version: '1.0.0', disconnect: async () => change([]) },
      [StandardEvents]: {
        version: '1.0.0',
        on: (_event: 'change', listener: StandardEventsListeners['change']) => {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
      [SolanaSignMessage]: {
        version: '1.1.0',
        signMessage: (...inputs: SolanaSignMessageInput[]) =>
          oneByOne(inputs, async ({ account: asked, message }) => {
            requireOurs(asked);
            return { signedMessage: message, signature: await signMessage(person, message) };
          }),
      },
      [SolanaSignTransaction]: {
        version: '1.0.0',
        supportedTransactionVersions: ['legacy', 0],
        signTransaction: (...inputs: SolanaSignTransactionInput[]) =>
          oneByOne(inputs, async (input) => ({ signedTransaction: await signed(input, 'sign') })),
      },
      [SolanaSignAndSendTransaction]: {
        version: '1.0.0',
        supportedTransactionVersions: ['legacy', 0],
        signAndSendTransaction: (...inputs: SolanaSignAndSendTransactionInput[]) =>
          oneByOne(inputs, async (input) => {
            const wire = toBase64(await signed(input, 'sign and send'));
            const { preflightCommitment, skipPreflight } = input.options ?? {};
            const config = { encoding: 'base64', preflightCommitment, skipPreflight };
            return { signature: base58Decode(await callChain<string>(sandbox, 'sendTransaction', wire, config))! };
          }),
      },
    },
  };
}

async function oneByOne<I, O>(inputs: readonly I[], each: (input: I) => Promise<O>): Promise<O[]> {
  const outputs: O[] = [];
  for (const input of inputs) outputs.push(await each(input));
  return outputs;
}

async function signTransaction(sandbox: Sandbox, { name, address, secretKey }: Person, wire: Uint8Array, verb: string) {
  const { message, signatures, decoded } = decodeTransaction(wire);
  if (!requiredSigners(decoded).some((signer) => signer === address))
    throw new Error(`this transaction needs no signature of ${name}`);
  const { changes, failure, fee, instructions } = await explain(sandbox, wire, address);
  const strange = instructions.filter(({ does }) => does === undefined).map(({ program }) => program);
  await requireApproval({
    title: `${location.host} asks ${name} to ${verb} a transaction`,
    warnings: [
      ...(failure === undefined ? [] : [`It would fail now: ${failure}`]),
      ...[...new Set(strange)].map((program) => `An instruction of ${program} is not understood here`),
    ],
    sections: [
      { heading: `What changes for ${name}`, lines: changes.length > 0 ? changes : ['No change that is known'] },
      {
        heading: 'What it does',
        lines: instructions.map(({ program, does }) => `${program}: ${does ?? 'not understood'}`),
      },
      { heading: 'Fee', lines: [fee] },
    ],
  });
  return encodeTransaction(
    withSignature({ message, signatures }, toAddress(address), await signatureOf(secretKey, message)),
  );
}

/** @throws Error for the bytes of a transaction, which a signature would be good for */
async function signMessage({ name, secretKey }: Person, message: Uint8Array): Promise<Uint8Array> {
  if (isTransaction(message)) throw new Error('these are the bytes of a transaction: use solana:signTransaction');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(message);
  } catch {
    text = `Bytes: ${Array.from(message, (byte) => byte.toString(16).padStart(2, '0')).join(' ')}`;
  }
  const title = `${location.host} asks ${name} to sign a message`;
  await requireApproval({ title, warnings: [], sections: [{ heading: 'Message', lines: [text] }] });
  return signatureOf(secretKey, message);
}

function isTransaction(bytes: Uint8Array): boolean {
  try {
    decodeMessage(bytes);
    return true;
  } catch {
    return false;
  }
}

async function requireApproval(question: Question): Promise<void> {
  if (await ask(question)) return;
  throw Object.assign(new Error('The user has rejected the request'), { code: REJECTED });
}

async function signatureOf(secretKey: string, bytes: Uint8Array): Promise<Uint8Array> {
  const { privateKey } = await createKeyPairFromBytes(base58Decode(secretKey)!);
  return signBytes(privateKey, bytes);
}

function iconOf(name: string): `data:image/svg+xml;base64,${string}` {
  const letter = name.charAt(0).toUpperCase();
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1d4ed8"/><text x="16" y="22" font-family="sans-serif" font-size="18" text-anchor="middle" fill="#fff">${letter}</text></svg>`;
  return `data:image/svg+xml;base64,${btoa(svg)}`;
}
