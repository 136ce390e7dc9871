import { type Address, isAddress, verify } from '@slipway/wire';
import type { Clock } from '../lib/clock.js';
import type { BareKeys } from './bare-keys.js';
import { type Cosign, createCosign } from './cosign.js';
import { readLogin, SKEW_SECONDS, secondsOf, writeLogin } from './login-claims.js';
import type { LossLimits } from './loss-limits.js';
import { bytesOfOrder, type SealedOrder } from './order-seal.js';
import {
  type Consent,
  checkEdit,
  checkNewOrder,
  createLoginPolicy,
  type KnownPrograms,
  type LoginProof,
  NotAllowed,
  SignerRefused,
} from './policies/index.js';
import type { StopNow } from './stop-file.js';

/** The service whose wallets log in, as the texts that they sign name it. */
export interface ServiceWords {
  /** The start of a login challenge, up to the wallet that it names. */
  challengePrefix: () => string;
  /** In the text of an edit that the wallet signs. */
  host: () => string;
  /** The most slippage, in basis points, that a login alone may have an order accept. */
  maxUnsignedSlippageBps: number;
}

export interface LoginRequest {
  wallet: Address;
  proof: LoginProof;
  /** In Unix seconds: the login begins then, or now where that is later. */
  notBefore: number;
}

/** A trigger order whose wallet has asked for it: with the deposit that it has signed, or as an edit. */
export interface SealRequest {
  /** The login of the order's wallet. */
  token: string;
  order: SealedOrder;
  proof:
    | { deposit: Uint8Array }
    | { edit: { before: SealedOrder & { seal: Uint8Array | null }; consent: Consent | undefined } };
}

/** What the keys do, each by its policy. Everything throws SignerRefused where nothing was signed. */
export interface GuardedKeys {
  /** The signatures of keys under a transaction that their policies allow. */
  cosign: Cosign;
  /** A token for a wallet that has signed a challenge. Where `noted` throws, it is not given, and no challenge is used up. */
  issueLogin(request: LoginRequest, noted?: () => void): Promise<string>;
  /** The seal of a trigger order that its wallet has asked for. */
  sealOrder(request: SealRequest): Promise<Uint8Array>;
  /** The seal of a row of the ledger: it decides nothing here, and keeps the database from making rows. */
  sealRow(row: Uint8Array): Promise<Uint8Array>;
}

interface GuardOptions {
  programs: KnownPrograms;
  clock: Clock;
  /** Without it, no wallet can log in or have an order edited. */
  service?: ServiceWords | undefined;
  /** For how long it has been there, in milliseconds by a steady clock: challenges of before are not taken. */
  age?: (() => number) | undefined;
  /** What the wallets may lose by what they sign. */
  limits?: Pick<LossLimits, 'take'> | undefined;
  /** What its operator has stopped. */
  stops?: (() => Promise<readonly StopNow[]>) | undefined;
  /** Hears of each refusal. */
  refused?: ((refusal: SignerRefused) => void) | undefined;
}

/** What the seal of a row is over. The seal of an order begins differently, and no transaction message begins like either. */
export function sealedRow(row: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from('slipway ledger row 1\n'), row]);
}

export function guardKeys(
  keys: BareKeys,
  { programs, clock, service, age, limits, stops, refused }: GuardOptions,
): GuardedKeys {
  const checkLogin = createLoginPolicy({ prefix: () => wordsOf(service).challengePrefix(), age });
  /** Whatever a policy throws is a refusal: what it cannot read is not signed. */
  const checked = async <T>(key: string, check: () => T | Promise<T>): Promise<T> => {
    try {
      return await check();
    } catch (error) {
      const why = error instanceof NotAllowed ? error.message : `it cannot be read: ${(error as Error).message}`;
      const refusal = new SignerRefused(key, why);
      refused?.(refusal);
      throw refusal;
    }
  };

  async function checkOrder({ token, order, proof }: SealRequest): Promise<void> {
    const now = clock.now();
    // A copy has taken it a moment before, by its own clock: what it may ask for must not look as if it were broken into.
    const login = await readLogin(token, now, keys.publicKey, SKEW_SECONDS);
    if (login === undefined) throw new NotAllowed('the login is none, or has expired');
    const { wallet } = login;
    const asked = { wallet, vault: await keys.publicKey(`vault:${wallet}`), now };
    if ('deposit' in proof) {
      checkNewOrder(order, proof.deposit, asked);
      return;
    }
    const { before, consent } = proof.edit;
    const isSealed = before.seal !== null && verify(await keys.publicKey('seal'), bytesOfOrder(before), before.seal);
    if (!isSealed) throw new NotAllowed('the order is not as its owner made it');
    const { host, maxUnsignedSlippageBps: mostBps } = wordsOf(service);
    checkEdit({ before, after: order, consent }, asked, { host: host(), mostBps });
  }

  return {
    cosign: createCosign(keys, { programs, limits, stops, refused }),

    async issueLogin({ wallet, proof, notBefore }, noted = () => {}) {
      const now = clock.now();
      const giveBack = await checked('login', () => {
        if (!isAddress(wallet)) throw new NotAllowed('this is no wallet');
        if (notBefore > secondsOf(now) + SKEW_SECONDS) throw new NotAllowed('the login would begin later');
        return checkLogin(wallet, proof, now);
      });
      try {
        const token = await writeLogin({ wallet, begunAt: Math.max(secondsOf(now), notBefore) }, keys.sign);
        noted();
        return token;
      } catch (error) {
        giveBack();
        throw error;
      }
    },

    async sealOrder(request) {
      await checked('seal', () => checkOrder(request));
      return keys.sign('seal', bytesOfOrder(request.order));
    },

    sealRow: (row) => keys.sign('seal', sealedRow(row)),
  };
}

function wordsOf(service: ServiceWords | undefined): ServiceWords {
  if (service === undefined) throw new NotAllowed('this signer was not told of which service it is');
  return service;
}
