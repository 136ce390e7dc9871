import { putLoad, type Round } from './load.js';
import type { Rig } from './processes.js';
import { call, craftPath, fundWallets } from './service.js';
import { openTargets, TARGETS, type TargetName } from './targets.js';

const CONNECTIONS = 32;
const WALLETS = 20;
const WARM_UP_SECONDS = 2;
/** What an answer with a transaction says. */
const EXPECTED = '"code":0';

/** Crafts with each kind of database, and the bare route, turn by turn. The service keeps `WALLETS` wallets busy. */
export async function measureCraft(
  rig: Rig,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<Record<TargetName, Round[]>> {
  const { services, startBare } = await openTargets(rig);
  const paths = {
    pglite: await craftPaths(services.pglite),
    postgres: await craftPaths(services.postgres),
  };
  const [path] = paths.pglite as [string, ...string[]];
  const bare = await startBare('GET', path, await call(services.pglite, path));
  const urls = { bare, pglite: services.pglite.url, postgres: services.postgres.url };

  const figures: Record<TargetName, Round[]> = { bare: [], pglite: [], postgres: [] };
  for (let round = 0; round <= rounds; round++) {
    const warmUp = round === 0;
    for (const name of TARGETS) {
      const measured = await putLoad({
        url: urls[name],
        connections: CONNECTIONS,
        requests: paths[name === 'bare' ? 'pglite' : name].map((each) => ({ path: each })),
        seconds: warmUp ? WARM_UP_SECONDS : seconds,
        expect: EXPECTED,
      });
      if (!warmUp) figures[name].push(measured);
    }
  }
  return figures;
}

async function craftPaths(service: Parameters<typeof fundWallets>[0]): Promise<string[]> {
  const wallets = await fundWallets(service, WALLETS, 1);
  return wallets.map(({ address }) => craftPath(address));
}
