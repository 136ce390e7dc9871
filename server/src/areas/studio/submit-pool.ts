import { AppError, requireAddress } from '../../errors/index.js';
import {
  checkAgainstCrafted,
  explain,
  explainEnd,
  isRefusal,
  type Refusal,
  ReservationRefused,
  readSigned,
  type SignedTransaction,
  WouldFail,
} from '../../landing/index.js';
import { imageKey, metadataKey, publishLaunch, removeLaunchFiles } from '../../launches/index.js';
import { uuidv7 } from '../../lib/ids.js';
import { ContentRefused, type StoredObject } from '../../objects/index.js';
import { findLaunch, type Launch } from '../../store/launches.js';
import type { LedgerRow } from '../../store/ledger.js';
import type { StudioDeps } from './deps.js';
import { requirePrograms } from './launch-programs.js';
import { refuse } from './launch-request.js';
import type { SubmitPoolAnswer, SubmitPoolBody } from './schema.js';

/** Lands a signed launch, and publishes what was uploaded for it. */
export async function submitPool(
  deps: StudioDeps,
  body: SubmitPoolBody,
  headerImage: StoredObject | undefined,
): Promise<SubmitPoolAnswer> {
  const owner = requireAddress('owner', body.owner);
  const signed = readSigned(body.transaction);
  if (isRefusal(signed)) throw refuse('transaction', textOf(signed));
  const { launch, request } = await findCrafted(deps, signed);
  if (launch.creator !== owner) throw refuse('owner', 'expected the creator, for whom the transaction was crafted');
  const refusal = checkAgainstCrafted(
    signed,
    request,
    signed.signers.filter((signer) => isOurs(launch, signer)),
  );
  if (refusal) throw refuse('transaction', textOf(refusal));
  if (request.state !== 'crafted') return finish(deps, await deps.landing.execute(request, signed.transaction), launch);
  if ((await deps.chain.blockHeight()) > request.lastValidBlockHeight) throw new AppError('TRANSACTION_EXPIRED');
  await requirePrograms(deps);
  await requireUploads(deps, launch);
  const headerKey = headerImage ? await storeHeader(deps, launch, headerImage) : null;
  return land(deps, { launch, request, signed }, { content: body.content ?? null, headerKey });
}

function isOurs({ mint, config }: Launch, signer: string): boolean {
  return signer === mint || signer === config;
}

/** By the mint, which signs. */
async function findCrafted(
  deps: StudioDeps,
  { signers }: SignedTransaction,
): Promise<{ launch: Launch; request: LedgerRow }> {
  const launch = await findLaunch(deps.store, signers);
  const request = launch && (await deps.findRequest(launch.requestId));
  if (!launch || !request) {
    throw refuse('transaction', 'expected one that dbc-pool/create-tx has crafted; craft a new one');
  }
  if (request.state === 'crafted' && request.expiresAt.getTime() < deps.clock.now()) {
    throw new AppError('TRANSACTION_EXPIRED', { message: 'Transaction expired: craft a new one' });
  }
  return { launch, request };
}

/** A token whose image and metadata nobody could read would be half made. */
async function requireUploads({ objects }: StudioDeps, { mint }: Launch): Promise<void> {
  const uploads = [
    { field: 'image', key: imageKey(mint), url: 'imagePresignedUrl' },
    { field: 'metadata', key: metadataKey(mint), url: 'metadataPresignedUrl' },
  ];
  await Promise.all(
    uploads.map(async ({ field, key, url }) => {
      const found = await objects.uploaded(key).catch(refusedAs(field));
      if (!found) throw refuse(field, `expected to be uploaded first: PUT it to ${url}, then post this again`);
    }),
  );
}

/** Under a name that nobody knows before the token is launched. */
async function storeHeader({ objects, clock }: StudioDeps, { mint }: Launch, image: StoredObject): Promise<string> {
  const key = `headers/${mint}-${uuidv7(clock)}`;
  if (!image.contentType.startsWith('image/')) {
    throw refuse('headerImage', 'expected an image: image/png, image/jpeg, image/gif or image/webp');
  }
  await objects.store(key, image).catch(refusedAs('headerImage'));
  return key;
}

function refusedAs(field: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof ContentRefused ? refuse(field, error.message) : error;
  };
}

async function land(
  deps: StudioDeps,
  { launch, request, signed }: { launch: Launch; request: LedgerRow; signed: SignedTransaction },
  page: { content: string | null; headerKey: string | null },
): Promise<SubmitPoolAnswer> {
  try {
    return await finish(deps, await deps.landing.execute(request, signed.transaction, page), launch);
  } catch (error) {
    if (error instanceof WouldFail) {
      throw new AppError('INVALID_REQUEST', { message: `Not sent: ${explain(error.err).message}` });
    }
    if (error instanceof ReservationRefused) throw new AppError('CONFLICT', { message: error.message });
    throw error;
  } finally {
    await forgetUnusedHeader(deps, launch, page.headerKey);
  }
}

/** Where another post has sent the transaction, or nobody has, the image of this one belongs to nothing. */
async function forgetUnusedHeader({ store, objects }: StudioDeps, { mint }: Launch, key: string | null): Promise<void> {
  if (key === null) return;
  const launch = await findLaunch(store, [mint]);
  if (launch?.headerKey !== key) await objects.remove(key);
}

/** The same for everybody who asks: it is read from the final row. */
async function finish(deps: StudioDeps, row: LedgerRow, { mint }: Launch): Promise<SubmitPoolAnswer> {
  const launch = await findLaunch(deps.store, [mint]);
  if (!launch) throw new Error(`the launch of ${mint} has disappeared`);
  if (row.state !== 'landed') {
    await removeLaunchFiles(deps, launch);
    throw new AppError('INVALID_REQUEST', { message: `The launch has not landed: ${explainEnd(row).message}` });
  }
  if (launch.finishedAt === null) await publishLaunch(deps, launch, deps.uploadMs);
  return { success: true, data: { mint, configKey: launch.config } };
}

function textOf(refusal: Refusal): string {
  switch (refusal.reason) {
    case 'undecodable':
      return refusal.detail;
    case 'message-changed':
      return 'its message is not the one that was crafted for this mint';
    case 'missing-signature':
      return `the signature of ${refusal.signer} is missing`;
    case 'invalid-signature':
      return `the signature of ${refusal.signer} does not match`;
  }
}
