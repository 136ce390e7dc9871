import type { Address } from '@slipway/wire';
import { startChain } from './fleet.js';
import { putLoad } from './load.js';
import { EXPECTED_QUOTE, orderPath } from './order.js';
import type { Rig } from './processes.js';
import { call, craftPath, fundWallets, type Service, startService } from './service.js';
import { startDatabase } from './targets.js';

const CONNECTIONS = 32;
const WALLETS = 20;
const STEP = 50_000;
const MEGABYTE = 1024 * 1024;

/** The memory of the service's process after so many crafts. */
export interface MemoryPoint {
  crafts: number;
  /** Megabytes. */
  residentSet: number;
  heapUsed: number;
}

/** What the service is asked for, again and again: paths, and what each answer contains. */
export type Work = (service: Service) => Promise<{ paths: string[]; expect: string }>;

export const crafting: Work = async (service) => {
  const wallets = await fundWallets(service, WALLETS, 1);
  return { paths: wallets.map(({ address }) => craftPath(address)), expect: '"code":0' };
};

/** Quotes between all pairs of the sandbox's tokens. */
export const quoting: Work = async (service) => {
  const { mints } = await call<{ mints: { mint: Address }[] }>(service, '/sandbox/info');
  const pairs = mints.flatMap(({ mint }) =>
    mints.filter((other) => other.mint !== mint).map((other) => [mint, other.mint]),
  );
  return { paths: pairs.map(([input, output]) => orderPath(input!, output!)), expect: EXPECTED_QUOTE };
};

/** The service with PostgreSQL and a chain in another process, and how its memory grows with what it has answered. */
export async function measureMemory(
  rig: Rig,
  { crafts, work, onPoint }: { crafts: number; work: Work; onPoint: (point: MemoryPoint) => void },
): Promise<MemoryPoint[]> {
  const databaseUrl = await startDatabase(rig);
  const service = await startService(rig, rig.folder(), {
    DATABASE_URL: databaseUrl,
    ...(await startChain(rig)),
    SLIPWAY_SANDBOX: '1',
  });
  const { paths, expect } = await work(service);
  const points: MemoryPoint[] = [];
  const look = async (done: number) => {
    const point = await memoryOf(service, done);
    points.push(point);
    onPoint(point);
  };

  await look(0);
  for (let done = 0; done < crafts; ) {
    const count = Math.min(STEP, crafts - done);
    const requests = Array.from({ length: count }, (_, index) => ({ path: paths[index % paths.length]! }));
    await putLoad({ url: service.url, connections: CONNECTIONS, requests, expect });
    done += count;
    await look(done);
  }
  return points;
}

async function memoryOf({ url }: Service, crafts: number): Promise<MemoryPoint> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const megabytes = (name: string) =>
    Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN) / MEGABYTE;
  return {
    crafts,
    residentSet: megabytes('process_resident_memory_bytes'),
    heapUsed: megabytes('nodejs_heap_size_used_bytes'),
  };
}
