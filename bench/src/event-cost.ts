import { fileURLToPath } from 'node:url';
import { executions, wealthyWallets } from './execute.js';
import { putLoad, type Round } from './load.js';
import type { Rig } from './processes.js';
import { startService } from './service.js';
import { startDatabase } from './targets.js';

const SILENT = fileURLToPath(new URL('silent.js', import.meta.url));

/** Payments that are executed by the service, and by the same program without the statement that tells of them. */
export async function measureEventCost(
  rig: Rig,
  { rounds }: { rounds: number },
): Promise<Record<'telling' | 'silent', Round[]>> {
  const start = async (options: string) =>
    startService(
      rig,
      rig.folder(),
      { DATABASE_URL: await startDatabase(rig), NODE_OPTIONS: options },
      'server/dist/start.js',
    );
  const services = { telling: await start(''), silent: await start(`--import=${SILENT}`) };
  const wallets = {
    telling: await wealthyWallets(services.telling, rounds),
    silent: await wealthyWallets(services.silent, rounds),
  };
  const figures: Record<'telling' | 'silent', Round[]> = { telling: [], silent: [] };
  for (let round = 0; round <= rounds; round++) {
    // The second one has the warmer machine: they take turns.
    const names = round % 2 === 0 ? (['telling', 'silent'] as const) : (['silent', 'telling'] as const);
    for (const name of names) {
      const measured = await putLoad({ url: services[name].url, ...(await executions(services[name], wallets[name])) });
      if (round > 0) figures[name].push(measured);
    }
  }
  return figures;
}
