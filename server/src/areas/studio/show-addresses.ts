import { MIGRATED_POOL_CONFIGS, migratedPool } from '@slipway/programs';
import { type Address, isAddress } from '@slipway/wire';
import { AppError, requireAddress } from '../../errors/index.js';
import { calledBy } from '../../landing/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { findLaunch, type Launch } from '../../store/launches.js';
import { type StudioDeps, studioRoute, tags } from './deps.js';

import { type FoundPool, readPool, searchPool } from './pool-state.js';
import { AddressesAnswer, MintParams } from './schema.js';

export function registerShowAddresses(app: TypedServer, deps: StudioDeps): void {
  app.get(
    '/studio/v1/dbc-pool/addresses/:mint',
    {
      config: { ...studioRoute, errors: { 404: 'Pool addresses not found' } },
      schema: {
        tags,
        summary: 'Where the pools of a token are',
        description: 'The bonding curve pool, the pool that it has migrated to, and its configuration.',
        params: MintParams,
        response: { 200: AddressesAnswer },
      },
    },
    (request) => showAddresses(calledBy(deps, request), request.params, (weight) => request.charge(weight)),
  );
}

/** As calls: the node looks through all pools of the launch program. */
const SEARCH_WEIGHT = 10;

/** The addresses of a token's pools, and what its creator has submitted about it here. */
export async function showAddresses(
  deps: StudioDeps,
  params: MintParams,
  charge: (weight: number) => Promise<{ allowed: boolean } | undefined>,
): Promise<AddressesAnswer> {
  const mint = requireAddress('mint', params.mint);
  const launch = await findLaunch(deps.store, [mint]);
  // A launch that has not landed does not exist yet for anybody.
  if (launch && launch.state !== 'landed') throw notFound();
  const isFree = launch !== undefined || (await charge(SEARCH_WEIGHT - 1))?.allowed !== false;
  if (!isFree) throw new AppError('RATE_LIMITED', { message: TOO_MANY });
  const address = launch ? launch.pool : await searchPool(deps, mint);
  const pool = address && isAddress(address) ? await readPool(deps, address) : undefined;
  if (!pool) throw notFound();
  return {
    success: true,
    data: {
      dbcPoolAddress: pool.address,
      dammv2PoolAddress: migratedPoolOf(pool),
      configKey: pool.state.config,
      ...pageOf(deps, launch),
    },
  };
}

const TOO_MANY = `Too many requests: a token that was not launched here counts as ${SEARCH_WEIGHT} calls, and fewer are left; wait`;

function notFound(): AppError {
  return new AppError('NOT_FOUND', { message: 'Pool addresses not found' });
}

function migratedPoolOf({ state, config }: FoundPool): Address | null {
  const opened = MIGRATED_POOL_CONFIGS[config.migrationFeeOption];
  return state.isMigrated && opened ? migratedPool(opened, state.baseMint, config.quoteMint) : null;
}

function pageOf({ objects }: StudioDeps, launch: Launch | undefined) {
  return {
    ...(launch?.content && { content: launch.content }),
    ...(launch?.headerKey && { headerImageUrl: objects.publicUrl(launch.headerKey) }),
  };
}
