import { verify } from '@slipway/wire';
import { type Signer, sealedRow } from '../signer/index.js';
import type { LedgerRow, NewRequest } from '../store/ledger.js';

/** What a seal covers: everything that decides which bytes are signed, by which keys, and what follows. */
type Sealed = Pick<
  LedgerRow | NewRequest,
  'id' | 'area' | 'wallet' | 'messageHash' | 'cosigners' | 'lastValidBlockHeight' | 'payload'
>;

/** The request with its seal. One that none of our keys signs needs none. */
export async function sealed(signer: Pick<Signer, 'sealRow'>, request: NewRequest): Promise<NewRequest> {
  if (request.cosigners.length === 0) return request;
  return { ...request, seal: await signer.sealRow(bytesOf(request)) };
}

/** Whether a row is as this service has crafted it; always, if none of our keys signs it. */
export async function isAsCrafted(signer: Pick<Signer, 'publicKey'>, row: LedgerRow): Promise<boolean> {
  if (row.cosigners.length === 0) return true;
  return row.seal !== null && verify(await signer.publicKey('seal'), sealedRow(bytesOf(row)), row.seal);
}

function bytesOf({ id, area, wallet, messageHash, cosigners, lastValidBlockHeight, payload }: Sealed): Uint8Array {
  const hash = Buffer.from(messageHash).toString('hex');
  // Without undefined, as the database has it.
  const stored: unknown = JSON.parse(JSON.stringify(payload ?? null));
  const parts = [id, area, wallet, hash, cosigners, lastValidBlockHeight.toString(), sorted(stored)];
  return Buffer.from(JSON.stringify(parts));
}

/** The database keeps no order of fields. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, sorted(field)]));
}
