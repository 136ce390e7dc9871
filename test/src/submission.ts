import type { TransactionStatus } from '@slipway/client';
import {
  type Address,
  compileMessage,
  encodeTransaction,
  type Instruction,
  type Keypair,
  sign,
  systemTransfer,
} from '@slipway/wire';
import { eventually } from './rounds.js';
import { type Answer, request, type Service } from './service.js';
import { rpc } from './wallet.js';

/** A transaction that was built and signed here, in base64. The first signer pays. */
export function signed(blockhash: string, instructions: Instruction[], ...signers: [Keypair, ...Keypair[]]): string {
  const message = compileMessage({ version: 0, feePayer: signers[0].address, instructions, blockhash });
  const signatures = signers.map((signer) => sign(signer, message));
  return Buffer.from(encodeTransaction({ signatures, message })).toString('base64');
}

export async function latestBlockhash(service: Pick<Service, 'rpcUrl'>): Promise<string> {
  return (await rpc<{ value: { blockhash: string } }>(service, 'getLatestBlockhash')).value.blockhash;
}

/** A signed transfer of lamports with the newest blockhash. */
export async function transfer(service: Service, from: Keypair, to: Address, lamports: bigint): Promise<string> {
  return signed(await latestBlockhash(service), [systemTransfer({ from: from.address, to, lamports })], from);
}

export function submit(
  service: Service,
  signedTransaction: unknown,
): Promise<Answer<{ signature?: string; error?: string }>> {
  return request(`${service.url}/tx/v1/submit`, { body: { signedTransaction } });
}

export type Status = TransactionStatus;

export function statusOf(service: Service, signature: string): Promise<Answer<Status>> {
  return request<Status>(`${service.url}/tx/v1/status/${signature}`);
}

/** The transaction's status once it is no longer pending; 404 counts as one: `undefined`. */
export async function settledStatus(service: Service, signature: string): Promise<Status | undefined> {
  const found = await eventually(`${signature} is settled`, async () => {
    const { status, body } = await statusOf(service, signature);
    if (status === 404) return 'unknown';
    if (status !== 200) throw new Error(`the status route answered ${status}: ${JSON.stringify(body)}`);
    return body.status === 'pending' ? undefined : body;
  });
  return found === 'unknown' ? undefined : found;
}

/** What the chain itself says of a transaction; undefined when it has never seen it. */
export async function onChain(service: Service, signature: string): Promise<{ err: unknown } | undefined> {
  const { value } = await rpc<{ value: ({ err: unknown } | null)[] }>(service, 'getSignatureStatuses', [signature], {
    searchTransactionHistory: true,
  });
  return value[0] ?? undefined;
}
