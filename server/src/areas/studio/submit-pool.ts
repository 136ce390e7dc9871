import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { Address } from '@slipway/wire';
import { AppError, requireAddress } from '../../errors/index.js';
import {
  accept,
  calledBy,
  explain,
  explainBadTransaction,
  explainEnd,
  isRefusal,
  type Refusal,
} from '../../landing/index.js';
import { launchFiles, newHeaderKey, publishLaunch } from '../../launches/index.js';
import { uuidv7 } from '../../lib/ids.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { ContentRefused, type StoredObject } from '../../objects/index.js';
import { findLaunch, type Launch } from '../../store/launches.js';
import type { LedgerRow } from '../../store/ledger.js';
import { AREA, type StudioDeps, studioRoute, tags } from './deps.js';
import { requirePrograms } from './launch-programs.js';
import { refuse } from './launch-request.js';
import { acceptForm, FORM_FIELDS_BYTES } from './multipart.js';
import { SubmitPoolAnswer, SubmitPoolBody } from './schema.js';
import { boundLooks, type Look } from './upload-looks.js';

/** The only route that takes a form; its parser must not apply to the others. */
export function registerSubmitPool(app: TypedServer, deps: StudioDeps): void {
  const looks = boundLooks(deps.objects);
  app.register(async (forms) => {
    acceptForm(forms, 'headerImage', deps.objects.maxImageBytes);
    forms.withTypeProvider<TypeBoxTypeProvider>().post(
      '/studio/v1/dbc-pool/submit',
      {
        config: {
          ...studioRoute,
          bucket: 'execute',
          paysForBody: 'upload',
          errors: { 409: 'The chain lacks a program that launches need, or the launch is under way' },
        },
        bodyLimit: deps.objects.maxImageBytes + FORM_FIELDS_BYTES,
        schema: {
          tags,
          summary: 'Land a signed launch',
          description:
            'Adds the signatures of mint and configuration, lands the launch, and publishes what was uploaded for it. The same post gets the same answer.',
          consumes: ['multipart/form-data'],
          body: SubmitPoolBody,
          response: { 200: SubmitPoolAnswer },
        },
      },
      (request) =>
        submitPool(calledBy(deps, request), request.body, { headerImage: request.formFile, look: looks(request) }),
    );
  });
}

/** Lands a signed launch, and publishes what was uploaded for it. */
export async function submitPool(
  deps: StudioDeps,
  body: SubmitPoolBody,
  { headerImage, look }: { headerImage: StoredObject | undefined; look: Look },
): Promise<SubmitPoolAnswer> {
  const owner = requireAddress('owner', body.owner);
  let launch: Launch | undefined;
  let headerKey: string | null = null;
  try {
    const ended = await accept(deps, {
      area: AREA,
      base64: body.transaction,
      // Found by the mint, which is a signer.
      async request({ signers }) {
        launch = await findLaunch(deps.store, signers);
        return launch && deps.findRequest(launch.requestId);
      },
      terms() {
        const { creator, mint, config } = launch!;
        if (creator !== owner) throw refuse('owner', 'expected the creator, for whom the transaction was crafted');
        return { ours: [mint, config] as Address[] };
      },
      async prepare() {
        await requirePrograms(deps);
        await requireUploads(deps, launch!, look);
        headerKey = headerImage ? await storeHeader(deps, launch!, headerImage) : null;
        return { content: body.content ?? null, headerKey };
      },
    });
    if (isRefusal(ended)) throw explainRefusal(ended);
    return await finish(deps, ended, launch!, look);
  } finally {
    if (launch) await forgetUnusedHeader(deps, launch, headerKey);
  }
}

function explainRefusal(refusal: Refusal): AppError {
  switch (refusal.reason) {
    case 'unknown-request':
      return refuse('transaction', 'expected one that dbc-pool/create-tx has crafted; craft a new one');
    case 'expired-request':
      return new AppError('TRANSACTION_EXPIRED', { message: 'Transaction expired: craft a new one' });
    case 'too-late':
      return new AppError('TRANSACTION_EXPIRED');
    case 'reserved':
      return new AppError('CONFLICT', { message: refusal.error.message });
    case 'would-fail':
      return new AppError('INVALID_REQUEST', { message: `Not sent: ${explain(refusal.err).message}` });
    default:
      return refuse(
        'transaction',
        explainBadTransaction(refusal, 'its message is not the one that was crafted for this mint'),
      );
  }
}

/** A token needs an image and metadata that everybody can read. */
async function requireUploads({ objects }: StudioDeps, launch: Launch, look: Look): Promise<void> {
  const { image, metadata } = launchFiles(launch);
  const uploads = [
    { field: 'image', key: image.upload, url: 'imagePresignedUrl' },
    { field: 'metadata', key: metadata.upload, url: 'metadataPresignedUrl' },
  ];
  const require = (isThere: boolean, { field, url }: (typeof uploads)[number]) => {
    if (!isThere) throw refuse(field, `expected to be uploaded first: PUT it to ${url}, then post this again`);
  };
  const sizes = await Promise.all(uploads.map(({ key }) => objects.uploadedBytes(key)));
  for (const [index, upload] of uploads.entries()) require(sizes[index]! > 0, upload);
  await look(bytesIn(objects, sizes), () =>
    Promise.all(
      uploads.map(async (upload, index) => {
        const found = await objects.uploaded(upload.key, sizes[index]).catch(refusedAs(upload.field));
        require(found !== undefined, upload);
      }),
    ),
  );
}

/** What is read of files of these sizes: of one that is too large, nothing. */
function bytesIn({ maxImageBytes }: StudioDeps['objects'], sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + (size > maxImageBytes ? 0 : size), 0);
}

/** Who posts too often leaves it to the chore that publishes what was left behind. */
async function publish(deps: StudioDeps, launch: Launch, look: Look): Promise<void> {
  const { objects, uploadMs } = deps;
  const files = Object.values(launchFiles(launch));
  const sizes = await Promise.all(files.map(({ upload }) => objects.uploadedBytes(upload)));
  await look(bytesIn(objects, sizes), () => publishLaunch(deps, launch, uploadMs, sizes)).catch((error) => {
    if (!(error instanceof AppError)) throw error;
  });
}

/** Stored under a name that nobody knows before the token is launched. */
async function storeHeader({ objects, clock }: StudioDeps, { mint }: Launch, image: StoredObject): Promise<string> {
  const key = newHeaderKey(mint, uuidv7(clock));
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

/** If another post has sent the transaction, or nobody has, this post's image is not used. */
async function forgetUnusedHeader({ store, objects }: StudioDeps, { mint }: Launch, key: string | null): Promise<void> {
  if (key === null) return;
  const launch = await findLaunch(store, [mint]);
  if (launch?.headerKey !== key) await objects.remove(key);
}

/**
 * Derived from the final row, so every caller gets the same answer. The files of a launch that has not landed are left to the
 * chore, which asks the chain first: a row that says so may be wrong.
 */
async function finish(deps: StudioDeps, row: LedgerRow, { mint }: Launch, look: Look): Promise<SubmitPoolAnswer> {
  const launch = await findLaunch(deps.store, [mint]);
  if (!launch) throw new Error(`the launch of ${mint} has disappeared`);
  if (row.state !== 'landed') {
    throw new AppError('INVALID_REQUEST', { message: `The launch has not landed: ${explainEnd(row).message}` });
  }
  await deps.learnPool(launch.pool as Address);
  if (launch.finishedAt === null) await publish(deps, launch, look);
  return { success: true, data: { mint, configKey: launch.config } };
}
