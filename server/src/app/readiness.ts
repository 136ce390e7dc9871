import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Chain } from '../chain/index.js';
import type { Config } from '../config/index.js';
import { Outage } from '../errors/index.js';
import type { Readiness } from '../http/index.js';
import { cached } from '../lib/single-flight.js';
import { waitAtMost } from '../lib/wait-at-most.js';
import type { RemoteSigner, SignerHealth } from '../signer/index.js';
import type { Store } from '../store/sql.js';
import type { Stops } from '../store/stops.js';

/** No check takes longer, so that whoever asks has an answer before it gives up. */
const LONGEST_PROBE_MS = 5_000;
/** How long an answer is kept: whoever asks needs no key, so that asking often must cost nothing. */
const KEPT_MS = 1_000;
/** More than a block, because the last block of a file has room even on a full disk. */
const TRIAL = Buffer.alloc(64 * 1024);

interface Spending {
  /** Of a process that has the keepers. */
  wallet: { readonly warning: string | undefined } | undefined;
  /** Set where the wallets lose much. */
  losses: { readonly alarm: string | undefined };
}

interface ReadinessDeps {
  config: Config;
  store: Store;
  chain: Chain;
  steadyNow: () => number;
  /** Set where the keys are in another process. */
  remoteSigner: Pick<RemoteSigner, 'probe'> | undefined;
  spending: () => Spending;
  stops: Pick<Stops, 'list'>;
}

/**
 * Whether requests can be served: the database and, where something of the service lies in it, the data folder take
 * writes, the chain's node is well, and a signer of its own answers. It also says what the operator has stopped, and a
 * keeper when it cannot pay, which keeps no instance from serving: whoever asks must hear why. At most a second old.
 */
export function createReadiness(deps: ReadinessDeps): Readiness {
  const { config, store, chain, steadyNow, spending, stops, remoteSigner } = deps;
  const usesFolder = config.sandbox || config.store.kind === 'embedded' || config.objects.store.kind === 'local';
  const look = async () => {
    let health: SignerHealth | undefined;
    const keepHealth = (found: SignerHealth) => {
      health = found;
    };
    const [database, node, signer, files, stopped] = await Promise.all([
      stateOf(store.probe()),
      stateOf(chain.rpc.call('getHealth', [])),
      remoteSigner && stateOf(remoteSigner.probe().then(keepHealth)),
      usesFolder ? stateOf(writeTrial(config.dataDir)) : undefined,
      stopsText(stops),
    ]);
    const needed = { database, chain: node, ...(signer && { signer }), ...(files !== undefined && { files }) };
    const ok = Object.values(needed).every((state) => state === 'ok');
    return {
      ok,
      checks: { ...needed, ...shownOf(health), ...spendingOf(spending()), ...(stopped !== '' && { stopped }) },
    };
  };
  return cached(look, KEPT_MS, steadyNow);
}

/** Says why a wallet pays for nothing; that keeps no instance from serving. */
function spendingOf({ wallet, losses: { alarm } }: Spending): Record<string, string> {
  return { ...(wallet && { keeper: wallet.warning ?? 'ok' }), ...(alarm !== undefined && { losses: alarm }) };
}

/** What a signer of its own has stopped by itself; and that its operator should do something, which only he is told. */
function shownOf(health: SignerHealth | undefined): Record<string, string> {
  if (health === undefined) return {};
  const { stopped, warnings } = health;
  return {
    ...(stopped.length > 0 && { signerStopped: stopped.map(({ what, why }) => `${what}: ${why}`).join('; ') }),
    ...(warnings.length > 0 && { signerWarning: '"slipway doctor" says what to do about the signer' }),
  };
}

/** Nothing where the database is away, which is said beside it. */
async function stopsText(stops: ReadinessDeps['stops']): Promise<string> {
  const stopped = await stops.list().catch(() => []);
  return stopped.map(({ what, why }) => `${what}: ${why}`).join('; ');
}

async function stateOf(check: Promise<unknown>): Promise<string> {
  try {
    const isInTime = await waitAtMost(
      LONGEST_PROBE_MS,
      check.then(() => {}),
    );
    return isInTime ? 'ok' : 'failed';
  } catch (error) {
    return error instanceof Outage && error.told !== undefined ? `failed: ${error.told}` : 'failed';
  }
}

async function writeTrial(folder: string): Promise<void> {
  const path = join(folder, `.write-trial-${process.pid}`);
  try {
    await writeFile(path, TRIAL);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const told = `The data folder takes no writes: ${code === 'ENOSPC' ? 'the disk is full' : (code ?? 'unknown')}`;
    throw new Outage('STORAGE_UNAVAILABLE', message, { cause: error, told });
  } finally {
    await rm(path, { force: true }).catch(() => {});
  }
}
