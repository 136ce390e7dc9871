import { base58Encode, decodeTransaction, encodeTransaction, isAddress, withSignature } from '@slipway/wire/formats';
import { SlipwayError } from './errors.js';
import { addressOf, type PartialSigner, type Signatures, type Signer, type WalletSigner } from './signer.js';

type Bytes = Uint8Array;

/**
 * The transaction with the wallet's signature.
 * @throws SlipwayError signer where the wallet does not sign, or signs something else
 */
export async function signTransaction(signer: Signer, wire: Bytes, signal?: AbortSignal): Promise<Bytes> {
  signal?.throwIfAborted();
  const { message } = decodeTransaction(wire);
  const { signed, answered } = await told(signer, async () => {
    const bytes = await signWith(signer, wire, signal);
    return { signed: bytes, answered: decodeTransaction(bytes) };
  });
  signal?.throwIfAborted();
  if (!equal(message, answered.message))
    throw new SlipwayError('signer', 'the wallet has changed the transaction that it signed; it is not sent');
  return signed;
}

/** The 64-byte signature of a text's bytes. */
export async function signMessage(signer: Signer, message: Bytes, signal?: AbortSignal): Promise<Bytes> {
  const signature = await told(signer, () => signMessageWith(signer, message, signal));
  signal?.throwIfAborted();
  if (signature?.length === 64) return signature;
  throw new SlipwayError('signer', 'this signer signs no messages, which a login needs');
}

async function signWith(signer: Signer, wire: Bytes, signal: AbortSignal | undefined): Promise<Bytes> {
  if ('account' in signer) {
    const input = { account: signer.account, transaction: wire, chain: signer.account.chains?.[0] };
    const [output] = await featureOf(signer, 'solana:signTransaction', 'signTransaction')(input);
    return output!.signedTransaction as Bytes;
  }
  if ('signTransaction' in signer) return signer.signTransaction(wire);
  const config = { ...(signal && { abortSignal: signal }) };
  const { signatures, message } = decodeTransaction(wire);
  const { header, accounts } = decodeTransaction(wire).decoded;
  const names = accounts.slice(0, header.requiredSignatures);
  const missing = (bytes: Bytes) => bytes.every((byte) => byte === 0);
  const transaction = {
    messageBytes: message,
    signatures: Object.fromEntries(names.map((name, i) => [name, missing(signatures[i]!) ? null : signatures[i]])),
  };
  if ('signTransactions' in signer) {
    const [given] = await signer.signTransactions([transaction], config);
    return withSignatures({ signatures, message }, given);
  }
  const [given] = await signer.modifyAndSignTransactions([transaction], config);
  return withSignatures({ signatures, message: new Uint8Array(given!.messageBytes as Bytes) }, given?.signatures);
}

function withSignatures(transaction: { signatures: Bytes[]; message: Bytes }, given: Signatures = {}): Bytes {
  let signed = transaction;
  for (const [address, signature] of Object.entries(given)) {
    if (isAddress(address) && signature instanceof Uint8Array) signed = withSignature(signed, address, signature);
  }
  return encodeTransaction(signed);
}

async function signMessageWith(signer: Signer, message: Bytes, signal: AbortSignal | undefined) {
  if ('account' in signer) {
    const input = { account: signer.account, message };
    const [output] = await featureOf(signer, 'solana:signMessage', 'signMessage')(input);
    if (!equal(output!.signedMessage as Bytes, message))
      throw new SlipwayError('signer', 'the wallet has changed the message that it signed');
    return output!.signature as Bytes;
  }
  if ('signMessage' in signer) return signer.signMessage?.(message);
  if (!('signMessages' in signer)) return undefined;
  const { signMessages } = signer as unknown as { signMessages: PartialSigner['signTransactions'] };
  const config = { ...(signal && { abortSignal: signal }) };
  const [given] = await signMessages.call(signer, [{ content: message, signatures: {} }], config);
  return given?.[addressOf(signer)] as Bytes | undefined;
}

type Feature = (...inputs: object[]) => Promise<readonly Record<string, unknown>[]>;

function featureOf({ wallet }: WalletSigner, name: string, method: string): Feature {
  const feature = wallet.features[name] as Record<string, Feature> | undefined;
  if (feature?.[method] === undefined) throw new SlipwayError('signer', `the wallet has no ${name}`);
  return (...inputs) => feature[method]!(...inputs);
}

async function told<T>(signer: Signer, sign: () => Promise<T>): Promise<T> {
  try {
    return await sign();
  } catch (cause) {
    if (cause instanceof SlipwayError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SlipwayError('signer', `${addressOf(signer)} did not sign: ${reason}`, { cause });
  }
}

function equal(a: Bytes, b: Bytes): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** The signature of a signed transaction's fee payer: its id. Undefined where the fee payer has yet to sign. */
export function signatureOf(wire: Bytes): string | undefined {
  const [first] = decodeTransaction(wire).signatures;
  return first?.some((byte) => byte !== 0) ? base58Encode(first) : undefined;
}
