import type { Keypair } from '@slipway/wire';
import { type Load, putLoad, type Request, type Round } from './load.js';
import type { Rig } from './processes.js';
import { call, EXECUTE_PATH, fundWallets, newTokens, type Service, signedPayment } from './service.js';
import { openTargets, TARGETS, type TargetName } from './targets.js';

const CONNECTIONS = 64;
const PAYMENTS = 20 * CONNECTIONS;
const WALLETS = 20;
/** How many payments are crafted at a time beforehand. */
const CRAFTERS = 16;
/** What an answer says when the payment has landed. */
const EXPECTED = '"status":"Success"';

/** Lands payments that were crafted and signed beforehand, each for a token of its own; the bare route takes the same bodies. */
export async function measureExecute(rig: Rig, { rounds }: { rounds: number }): Promise<Record<TargetName, Round[]>> {
  const { services, startBare } = await openTargets(rig);
  const wallets = {
    pglite: await wealthyWallets(services.pglite, rounds),
    postgres: await wealthyWallets(services.postgres, rounds),
  };
  const [sample] = await signedPayments(services.pglite, wallets.pglite, 1);
  const bare = await startBare('POST', EXECUTE_PATH, await call<object>(services.pglite, EXECUTE_PATH, sample));

  const figures: Record<TargetName, Round[]> = { bare: [], pglite: [], postgres: [] };
  for (let round = 0; round <= rounds; round++) {
    const warmUp = round === 0;
    let load: Omit<Load, 'url'> | undefined;
    for (const name of [...TARGETS].reverse()) {
      if (name !== 'bare') load = await executions(services[name], wallets[name]);
      const measured = await putLoad({ ...load!, url: name === 'bare' ? bare : services[name].url });
      if (!warmUp) figures[name].push(measured);
    }
  }
  return figures;
}

/** Payments of these wallets, crafted and signed, to be executed at once. */
export async function executions(service: Service, wallets: Keypair[], count = PAYMENTS): Promise<Omit<Load, 'url'>> {
  const bodies = await signedPayments(service, wallets, count);
  const requests: Request[] = bodies.map((body) => ({ path: EXECUTE_PATH, body: JSON.stringify(body) }));
  return { connections: CONNECTIONS, requests, expect: EXPECTED };
}

export function wealthyWallets(service: Service, rounds: number): Promise<Keypair[]> {
  return fundWallets(service, WALLETS, Math.ceil(((rounds + 1) * PAYMENTS) / WALLETS) + 1);
}

async function signedPayments(service: Service, wallets: Keypair[], count: number): Promise<object[]> {
  const tokens = await newTokens(service, count);
  const bodies: object[] = [];
  let next = 0;
  const craftSome = async () => {
    for (let index = next++; index < count; index = next++) {
      bodies[index] = await signedPayment(service, wallets[index % wallets.length]!, tokens[index]!);
    }
  };
  await Promise.all(Array.from({ length: CRAFTERS }, craftSome));
  return bodies;
}
