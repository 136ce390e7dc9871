import type { Address } from '@slipway/wire';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import type { Chain } from '../chain/index.js';
import { cached } from '../lib/single-flight.js';
import type { KeeperLoop } from './keeper.js';
import { Loop } from './loop.js';

/** With less, the keeper begins nothing: it could not pay for a fill and the accounts that the fill creates. */
export const KEEPER_LEAST_LAMPORTS = 20_000_000n;
/** With less, no invite is claimed: what anybody may claim leaves the rest for fills. */
const CLAIMS_LEAST_LAMPORTS = 2n * KEEPER_LEAST_LAMPORTS;

const WARN_AGAIN_MS = 5 * 60_000;
const INTERVAL_MS = 10_000;
const LEFT_FOR_MS = 1_000;

interface KeeperWalletDeps {
  chain: Pick<Chain, 'account'>;
  address: Address;
  steadyNow: () => number;
  log: Logger;
}

/** The wallet that pays for everything that the keepers send. Warns at once, and every five minutes, while it is short. */
export class KeeperWallet {
  readonly #deps: KeeperWalletDeps;
  #shortage: string | undefined;
  #warning: string | undefined;
  #warnAt = Number.NEGATIVE_INFINITY;
  /** Whether it had enough for claims of invites within the last second: one reading for all who ask. @throws ChainUnavailable */
  readonly leavesFills: () => Promise<boolean>;

  constructor(deps: KeeperWalletDeps) {
    this.#deps = deps;
    const read = async () => (await this.#lamports()) >= CLAIMS_LEAST_LAMPORTS;
    this.leavesFills = cached(read, LEFT_FOR_MS, deps.steadyNow);
  }

  get address(): Address {
    return this.#deps.address;
  }

  /** Why the keeper begins nothing, and what to do, by the last reading; undefined if the wallet has enough. */
  get shortage(): string | undefined {
    return this.#shortage;
  }

  /** `shortage`, or why no invite is claimed. */
  get warning(): string | undefined {
    return this.#warning;
  }

  /** Whether the wallet has enough now. @throws ChainUnavailable */
  async canPay(): Promise<boolean> {
    await this.read();
    return this.#shortage === undefined;
  }

  /** Its lamports. @throws ChainUnavailable */
  async read(): Promise<bigint> {
    const { address, steadyNow, log } = this.#deps;
    const lamports = await this.#lamports();
    const wasShort = this.#warning !== undefined;
    this.#warning = keeperWarning(address, lamports);
    this.#shortage = lamports < KEEPER_LEAST_LAMPORTS ? this.#warning : undefined;
    if (this.#warning === undefined) {
      if (wasShort) log.info({ wallet: address, lamports: `${lamports}` }, 'the keeper wallet has SOL again');
      this.#warnAt = Number.NEGATIVE_INFINITY;
    } else if (steadyNow() >= this.#warnAt) {
      log.warn({ wallet: address, lamports: `${lamports}` }, this.#warning);
      this.#warnAt = steadyNow() + WARN_AGAIN_MS;
    }
    return lamports;
  }

  async #lamports(): Promise<bigint> {
    const { chain, address } = this.#deps;
    return (await chain.account(address))?.lamports ?? 0n;
  }
}

/** What to say about a keeper wallet with too little; undefined if it has enough. */
export function keeperWarning(address: Address, lamports: bigint): string | undefined {
  if (lamports >= CLAIMS_LEAST_LAMPORTS) return undefined;
  const sol = (amount: bigint) => Number(amount) / 1e9;
  const [least, effect] =
    lamports < KEEPER_LEAST_LAMPORTS
      ? [KEEPER_LEAST_LAMPORTS, 'the keepers begin nothing']
      : [CLAIMS_LEAST_LAMPORTS, 'no invite is claimed'];
  return `the keeper wallet ${address} has ${sol(lamports)} SOL: with less than ${sol(least)} ${effect}; send it SOL`;
}

/** Keeps `slipway_wallet_lamports` up to date, and the keeper's shortage while nothing is due. */
export function startWalletReadings(deps: {
  chain: Pick<Chain, 'account'>;
  /** By the name of the signer's role. */
  wallets: () => Readonly<Record<string, Address>>;
  /** If this instance runs the keepers. */
  keeper: KeeperWallet | undefined;
  registry: Registry;
  log: Logger;
}): Pick<KeeperLoop, 'close'> {
  const { chain, wallets, keeper, registry, log } = deps;
  const lamports = new Gauge({
    name: 'slipway_wallet_lamports',
    help: "Lamports of the service's own wallets, by role, as of the last 10 s",
    labelNames: ['wallet'],
    registers: [registry],
  });
  const readings = new Loop(
    async () => {
      await Promise.all([
        keeper?.read(),
        ...Object.entries(wallets()).map(async ([wallet, address]) => {
          lamports.set({ wallet }, Number((await chain.account(address))?.lamports ?? 0n));
        }),
      ]);
    },
    {
      intervalMs: INTERVAL_MS,
      log,
      failure: "the balances of the service's wallets cannot be read; will try again",
      logsFirstFailureOnly: true,
    },
  );
  readings.start();
  return readings;
}
