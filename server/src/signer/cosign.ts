import { INVITE_PROGRAM, LIMIT_ORDER_PROGRAM, ROUTER_PROGRAM, TOKEN_SWAP_PROGRAM } from '@slipway/programs/formats';
import { type Address, verify } from '@slipway/wire';
import type { BareKeys, KeyName } from './bare-keys.js';
import { KeyManagementError } from './key-management.js';
import { keeperOf, keysThatSign, type SigningKey } from './keys-that-sign.js';
import { type LossLimits, PAYERS, type Payer } from './loss-limits.js';
import { bytesOfOrder, type SealedOrder } from './order-seal.js';
import {
  checkPolicies,
  isClaim,
  type KnownPrograms,
  type NamedKey,
  NotAllowed,
  NotNow,
  readToSign,
  SignerHolds,
  SignerRefused,
} from './policies/index.js';
import type { StopNow } from './stop-file.js';

/** A transaction that keys of the service are asked to sign, and what speaks for it. */
export interface CosignRequest {
  keys: readonly KeyName[];
  /** The transaction's message. */
  message: Uint8Array;
  /** The trigger order that a fill is for, with its seal. */
  order?: SealedOrder & { seal: Uint8Array | null };
  /** The request of the caller that this is for, for the record. */
  request?: string;
}

/** A signature (64 bytes) of one of the keys. */
export interface Cosigned {
  address: Address;
  signature: Uint8Array;
}

/** Signs what the policies of the keys allow. @throws SignerRefused: nothing was signed. */
export type Cosign = (request: CosignRequest) => Promise<Cosigned[]>;

/** The programs that a sandbox has. */
export const SANDBOX_PROGRAMS: KnownPrograms = {
  router: ROUTER_PROGRAM,
  tokenSwap: TOKEN_SWAP_PROGRAM,
  limitOrder: LIMIT_ORDER_PROGRAM,
  invite: INVITE_PROGRAM,
};

interface CosignOptions {
  programs: KnownPrograms;
  /** Without them, the policies alone decide. */
  limits?: Pick<LossLimits, 'take'> | undefined;
  /** What is stopped here. */
  stops?: (() => Promise<readonly StopNow[]>) | undefined;
  /** Hears of each refusal. */
  refused?: ((refusal: SignerRefused) => void) | undefined;
}

export function createCosign(keys: BareKeys, { programs, limits, stops, refused }: CosignOptions): Cosign {
  return async ({ keys: names, message, order }) => {
    let asked: SigningKey[];
    try {
      const transaction = readToSign(message);
      const { signers } = transaction;
      asked = await keysThatSign(keys, names, signers);
      const facts = { keeper: await keeperOf(keys, signers), programs, ...(order && { order }) };
      if (order) await checkOrder(keys, order, asked);
      const losses = checkPolicies(transaction, asked, facts);
      // Whoever else signs, and whichever keys are asked for: a copy that was broken into adds signers, and asks key by key.
      const isOwnDeed = signers[0] === facts.keeper && !isClaim(facts.keeper, transaction, programs);
      if (stops) await requireGoing(stops, isOwnDeed);
      // What cannot be signed must not count as signed for: an outage would use up the hour.
      await Promise.all(names.map((name) => keys.ready?.(name)));
      await limits?.take(
        message,
        asked.flatMap(({ name, isEarlier }, i) =>
          isPayer(name) && !isEarlier ? { payer: name, lamports: losses[i]!, fillsOrder: order !== undefined } : [],
        ),
      );
    } catch (error) {
      if (error instanceof KeyManagementError) throw error;
      const refusal = refusalOf(error, names);
      refused?.(refusal);
      throw refusal;
    }
    return Promise.all(asked.map(async ({ key, address }) => ({ address, signature: await keys.sign(key, message) })));
  };
}

/** Asked last before anything is counted or signed. */
async function requireGoing(stops: () => Promise<readonly StopNow[]>, isOwnDeed: boolean): Promise<void> {
  const stopped = await stops().catch((error: Error) => {
    throw new NotNow(`it is not known what is stopped: ${error.message}`);
  });
  const stop = stopped.find(({ what }) => what === 'all') ?? (isOwnDeed ? stopped[0] : undefined);
  if (stop === undefined) return;
  const { what, why, by } = stop;
  if (by === undefined) {
    const told = `Stopped by the operator of the signer (${what}): ${why}`;
    throw new NotNow(`its operator has stopped ${what}: ${why}`, told);
  }
  // Whoever has broken into a copy has it say what he likes: a client would read it as the word of the operator.
  throw new NotNow(`${by} has said that ${what} is stopped: ${why}`, `Stopped for now (${what})`);
}

const isPayer = (name: string): name is Payer => (PAYERS as readonly string[]).includes(name);

/** Whatever a policy throws is a refusal: what it cannot read is not signed. */
function refusalOf(error: unknown, names: readonly KeyName[]): SignerRefused {
  const all = names.join(', ');
  if (error instanceof NotNow) return new SignerHolds(error.key ?? all, error.message, error.told);
  if (error instanceof NotAllowed) return new SignerRefused(error.key ?? all, error.message);
  return new SignerRefused(all, `it cannot be read: ${(error as Error).message}`);
}

/** An order speaks for a fill only if the signer has sealed it, and of the wallet whose vault is to sign. */
async function checkOrder(
  keys: BareKeys,
  order: NonNullable<CosignRequest['order']>,
  asked: readonly NamedKey[],
): Promise<void> {
  const isSealed = order.seal !== null && verify(await keys.publicKey('seal'), bytesOfOrder(order), order.seal);
  if (!isSealed) throw new NotAllowed('the order is not as its owner made it');
  const ofWallet = asked.some(({ name }) => name === `vault:${order.wallet}`);
  if (!ofWallet) throw new NotAllowed('the order is one of another wallet');
}
