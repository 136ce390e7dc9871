import { bondingCurvePool } from '@slipway/programs';
import { rentExemptLamports, SYSTEM_PROGRAM } from '@slipway/wire';
import { craftLaunch, type Launch } from '../../crafting/launch.js';
import { base64Of, type Crafted, TransactionTooLarge } from '../../crafting/transaction.js';
import { AppError } from '../../errors/index.js';
import { askedBy, explain, newRequest } from '../../landing/index.js';
import { imageKey, launchFiles, metadataKey } from '../../launches/index.js';
import { decimalString } from '../../lib/decimal.js';
import type { Guest } from '../../lib/places.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { insertLaunch } from '../../store/launches.js';
import { AREA, type StudioDeps, studioRoute, tags } from './deps.js';
import { boundLaunches } from './launch-bound.js';
import { missingPrograms } from './launch-programs.js';
import { type LaunchRequest, readLaunch, refuse } from './launch-request.js';
import { type LaunchKeys, withLaunchKeys } from './mint-keys.js';
import { CreatePoolAnswer, CreatePoolBody } from './schema.js';

/**
 * What the creator pays besides the fee: rent of configuration, pool, mint, two vaults and metadata, and Metaplex's
 * fee.
 */
const launchLamports = () =>
  [1_048, 424, 82, 165, 165, 679].reduce((sum, space) => sum + rentExemptLamports(space), 0n) + 10_000_000n;

export function registerCreatePool(app: TypedServer, deps: StudioDeps): void {
  const bound = boundLaunches(deps);
  app.post(
    '/studio/v1/dbc-pool/create-tx',
    {
      config: {
        ...studioRoute,
        crafts: true,
        errors: {
          409: 'The chain lacks a program that launches need',
          429: 'Too many launches of this key are under way: try again when some have landed or expired',
        },
      },
      schema: {
        tags,
        summary: 'Craft the launch of a token',
        description:
          'Upload image and metadata to the presigned URLs, sign `transaction` as the creator, and post it to `dbc-pool/submit`.',
        body: CreatePoolBody,
        response: { 200: CreatePoolAnswer },
      },
    },
    (request) => {
      const caller = request.payer!;
      return bound(caller, () => createPool(askedBy(deps, request), request.body, caller));
    },
  );
}

/** Crafts the transaction that launches a token, and says where its image and metadata go. */
export async function createPool(deps: StudioDeps, body: CreatePoolBody, caller: Guest): Promise<CreatePoolAnswer> {
  const request = readLaunch(deps, body);
  const { creator, quoteMint, name, symbol, sniperSlots } = request;
  const payload = { caller: caller.id, ...(caller.together !== undefined && { together: caller.together }) };
  const craftWith = async (keys: LaunchKeys) => {
    const { pool, ...made } = await craft(deps, request, keys);
    const row = newRequest({ ...made, area: AREA, wallet: creator, cosigners: keys.names, payload }, deps.clock);
    await deps.remember(row);
    return { mint: keys.mint, crafted: made.crafted, pool, remembered: row };
  };
  const { mint, crafted, remembered } = await withLaunchKeys(deps, craftWith, (tx, { mint, pool, remembered }) =>
    insertLaunch(tx, {
      mint,
      requestId: remembered.id,
      creator,
      quoteMint,
      name,
      symbol,
      sniperSlots,
      config: pool.config,
      pool: pool.pool,
      createdAt: remembered.createdAt,
    }),
  );
  const { objects } = deps;
  const uploader = caller.together ?? caller.id;
  const { image, metadata } = launchFiles({ mint, requestId: remembered.id, uploadsByRequest: true });
  const [imagePresignedUrl, metadataPresignedUrl] = await Promise.all([
    objects.presignUpload({ key: image.upload, contentType: body.tokenImageContentType, uploader }),
    objects.presignUpload({ key: metadata.upload, contentType: 'application/json', uploader }),
  ]);
  const transaction = base64Of(crafted);
  return { transaction, mint, imagePresignedUrl, metadataPresignedUrl, imageUrl: objects.publicUrl(imageKey(mint)) };
}

async function craft(deps: StudioDeps, request: LaunchRequest, { mint, config }: LaunchKeys) {
  const { chain, operator, objects } = deps;
  const { creator, quoteMint, name, symbol } = request;
  const pool = bondingCurvePool(config, mint, quoteMint);
  const launch: Launch = {
    creator,
    operator,
    pool,
    name,
    symbol,
    terms: request.config.terms,
    uri: objects.publicUrl(metadataKey(mint)),
  };
  const [{ blockhash, lastValidBlockHeight }, price, missing, wallet] = await Promise.all([
    chain.latestBlockhash(),
    chain.computeUnitPrice(),
    missingPrograms(deps),
    chain.account(creator),
  ]);
  if (wallet && (wallet.owner !== SYSTEM_PROGRAM || wallet.data.length > 0))
    throw refuse('creator', 'expected a wallet: this account belongs to a program, or holds data');
  const crafted = craftOrRefuse(launch, blockhash, price);
  const needed = launchLamports() + rentExemptLamports(0) + crafted.feeLamports - (wallet?.lamports ?? 0n);
  if (needed > 0n)
    throw refuse('creator', `expected a wallet that can pay: it needs ${decimalString(needed, 9)} SOL more`);
  // Without the programs nothing can be simulated; the bytes have been checked by decoding them.
  if (missing.length === 0) await requireSuccess(deps, crafted);
  return { crafted, pool, lastValidBlockHeight };
}

function craftOrRefuse(launch: Launch, blockhash: string, price: bigint): Crafted {
  try {
    return craftLaunch(launch, blockhash, price);
  } catch (error) {
    if (!(error instanceof TransactionTooLarge)) throw error;
    const bytes = (text: string) => Buffer.byteLength(text);
    const { name, symbol, uri } = launch;
    const parts = `tokenName has ${bytes(name)} bytes, tokenSymbol ${bytes(symbol)} and the metadata's URL ${bytes(uri)}`;
    throw new AppError('INVALID_REQUEST', { message: `${error.message}: ${parts}` });
  }
}

/** A launch always has the same compute budget, so it is simulated unchanged. */
async function requireSuccess({ chain }: StudioDeps, { wire }: Crafted): Promise<void> {
  const { err } = await chain.simulate(wire, { sigVerify: false });
  if (err === null) return;
  throw new AppError('CRAFT_FAILED', {
    details: { details: `The chain would refuse this launch: ${explain(err).message}` },
  });
}
