import {
  bondingCurvePool,
  createCurveConfig,
  initializeCurvePool,
  type LaunchChoices,
  launchConfig,
} from '@slipway/programs';
import { type Address, compileMessage, generateKeypair } from '@slipway/wire';
import { putLoad, type Round } from './load.js';
import { type Rig, startProgram } from './processes.js';
import { call, fundWallets, type Service, startService } from './service.js';

const CONNECTIONS = 8;
const WARM_UP_SECONDS = 2;
const WALLETS = 20;
const PATH = '/studio/v1/dbc-pool/create-tx';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' as Address;
const EXPECTED = '"imagePresignedUrl"';

/** `crafted`: with our stand-ins for the launch programs; `programs`: with the real ones. Each launch is tried out on them. */
export const STUDIO_TARGETS = ['bare', 'crafted', 'programs'] as const;
export type StudioTarget = (typeof STUDIO_TARGETS)[number];

/** Launches crafted, next to a bare route; those with the real programs only where SLIPWAY_PROGRAMS_DIR names them. */
export async function measureStudio(
  rig: Rig,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<Partial<Record<StudioTarget, Round[]>> & { bare: Round[] }> {
  const { SLIPWAY_PROGRAMS_DIR } = process.env;
  const crafted = await startService(rig, rig.folder());
  const bodies = await launchBodies(crafted);
  const targets: { name: StudioTarget; url: string; requests: { path: string; body: string }[] }[] = [
    {
      name: 'bare',
      url: await startBare(rig, await call(crafted, PATH, JSON.parse(bodies[0]!.body))),
      requests: bodies,
    },
    { name: 'crafted', url: crafted.url, requests: bodies },
  ];
  if (SLIPWAY_PROGRAMS_DIR) {
    const service = await startService(rig, rig.folder(), { SLIPWAY_PROGRAMS_DIR });
    targets.push({ name: 'programs', url: service.url, requests: await launchBodies(service) });
  }
  const figures: Partial<Record<StudioTarget, Round[]>> & { bare: Round[] } = { bare: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const { name, url, requests } of targets) {
      const load = { url, connections: CONNECTIONS, requests, expect: EXPECTED };
      const measured = await putLoad({ ...load, seconds: round === 0 ? WARM_UP_SECONDS : seconds });
      if (round > 0) figures[name] = [...(figures[name] ?? []), measured];
    }
  }
  return figures;
}

async function launchBodies(service: Service): Promise<{ path: string; body: string }[]> {
  const wallets = await fundWallets(service, WALLETS, 1);
  const vesting = { totalLockedVestingAmount: 100_000_000, cliffUnlockAmount: 0, numberOfVestingPeriod: 365 };
  return wallets.map(({ address: creator }) => ({
    path: PATH,
    body: JSON.stringify({
      buildCurveByMarketCapParam: {
        quoteMint: USDC,
        tokenQuoteDecimal: 6,
        initialMarketCap: 32_000,
        migrationMarketCap: 240_000,
        lockedVestingParam: { ...vesting, totalVestingDuration: 31_536_000, cliffDurationFromMigrationTime: 0 },
      },
      antiSniping: true,
      fee: { feeBps: 100 },
      tokenName: 'Bench',
      tokenSymbol: 'BENCH',
      tokenImageContentType: 'image/png',
      creator,
    }),
  }));
}

async function startBare(rig: Rig, answer: object): Promise<string> {
  const { output } = await startProgram(rig, {
    file: 'bench/dist/bare.js',
    args: ['POST', PATH, JSON.stringify(answer)],
    ready: /listening on .*\n/,
  });
  return /http\S+/.exec(output)![0];
}

/** Microseconds that the pure parts of one craft take, each alone in this process. */
export function timeParts(): Record<string, number> {
  const choices: LaunchChoices = {
    initialMarketCap: 32_000_000_000n,
    migrationMarketCap: 240_000_000_000n,
    feeBps: 100,
    isLpLocked: true,
    vesting: undefined,
    sniperFee: undefined,
  };
  const [creator, config, mint] = [generateKeypair(), generateKeypair(), generateKeypair()].map(
    ({ address }) => address,
  );
  const pool = bondingCurvePool(config!, mint!, USDC);
  const { terms } = launchConfig(choices);
  const people = { feeClaimer: creator!, leftoverReceiver: creator!, payer: creator! };
  const texts = { name: 'Bench', symbol: 'BENCH', uri: `http://127.0.0.1:8080/objects/metadata/${mint}.json` };
  const compile = () =>
    compileMessage({
      version: 0,
      feePayer: creator!,
      blockhash: USDC,
      instructions: [
        createCurveConfig({ config: config!, quoteMint: USDC, terms, ...people }),
        initializeCurvePool({ pool, creator: creator!, ...texts }),
      ],
    });
  return {
    'two new keys': timed(() => [generateKeypair(), generateKeypair()]),
    'four derived addresses': timed(() => bondingCurvePool(config!, mint!, USDC)),
    'curve and configuration': timed(() => launchConfig(choices)),
    'instructions and message': timed(compile),
  };
}

function timed(work: () => unknown): number {
  const times = 2_000;
  for (let i = 0; i < times / 10; i++) work();
  const started = performance.now();
  for (let i = 0; i < times; i++) work();
  return ((performance.now() - started) / times) * 1_000;
}
