import { isDeepStrictEqual } from 'node:util';
import { type Address, base58Decode, verify } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import { Turns } from '../../lib/turns.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { CONSENT_MS, type Consent, termsThatWiden, wideningText } from '../../signer/index.js';
import {
  findTriggerOrder,
  lockTriggerOrders,
  type TriggerOrderRow,
  type TriggerOrderTerms,
  editTriggerOrder as writeTerms,
} from '../../store/trigger-orders.js';
import { type Login, type TriggerV2Deps, tags, walletRoute } from './deps.js';

import { editTerms, invalid } from './order-terms.js';
import { EditAnswer, EditBody, OrderParams } from './schema.js';

export function registerEditOrder(app: TypedServer, deps: TriggerV2Deps): void {
  /** By order: many at once would only have each other try again. */
  const turns = new Turns();
  app.patch(
    '/trigger/v2/orders/price/:orderId',
    {
      config: { ...walletRoute, errors: { 404: 'Order not found' } },
      schema: {
        tags,
        summary: 'Change the terms of an open order',
        description:
          'Only while the order is `open`. Fields that are left out stay as they are. What lets the order lose more than the operator allows a login alone is refused with 403: sign the text of `details.sign` with the wallet, and send the same with `signature` and `signedAt`.',
        params: OrderParams,
        body: EditBody,
        response: { 200: EditAnswer },
      },
    },
    ({ wallet, loginToken: token, params: { orderId }, body }) =>
      turns.take(orderId, () => editOrder(deps, { wallet, token }, orderId, body)),
  );
}

type EditDeps = Pick<TriggerV2Deps, 'store' | 'clock' | 'tick' | 'signer' | 'host' | 'maxUnsignedSlippageBps'> & {
  landing: Pick<TriggerV2Deps['landing'], 'vouchesForOrder'>;
};

/** Of an edit, while a keeper or other copies change the order ever again. */
const MOST_TRIES = 5;

/**
 * Changes the terms of an open order, as they are: a keeper moves the mark of a trailing order at any time, and another edit may
 * be under way. No connection to the database waits for the signer: there are few, for all.
 * @throws AppError: 404 unless the order is the wallet's own, 400 if it is not open, 403 if the wallet must sign it.
 */
export async function editOrder(deps: EditDeps, login: Login, id: string, body: EditBody): Promise<EditAnswer> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const order = await findTriggerOrder(deps.store, id);
    const { terms, at } = await sealTerms(deps, login, order, body);
    const isWritten = await deps.store.transaction(async (tx) => {
      const [now] = await lockTriggerOrders(tx, [id], { skip: false });
      if (!isDeepStrictEqual(toEdit(now), toEdit(order))) return false;
      await writeTerms(tx, { wallet: login.wallet, id }, terms, at);
      return true;
    });
    if (isWritten) return { id };
  }
  throw new AppError('OVERLOADED', { message: 'The order is being changed all the time; try again in a moment' });
}

/** All of it but who works on it. */
const toEdit = (order: TriggerOrderRow | undefined) => order && { ...order, leaseUntil: null, retryAt: null };

async function sealTerms(
  deps: EditDeps,
  { wallet, token }: Login,
  order: TriggerOrderRow | undefined,
  { signature, signedAt, ...changes }: EditBody,
): Promise<{ terms: TriggerOrderTerms & { seal: Uint8Array }; at: Date }> {
  const { clock, signer, landing } = deps;
  if (order?.wallet !== wallet) throw new AppError('NOT_FOUND', { message: 'Order not found' });
  if (order.progress.state !== 'open') {
    throw new AppError('INVALID_REQUEST', { message: 'Only open orders can be updated' });
  }
  // A new seal would make good what somebody else has written into the row.
  if (!(await landing.vouchesForOrder(order))) {
    throw new AppError('INVALID_REQUEST', { message: 'This order cannot be changed: cancel it, and make another' });
  }
  const { type, stage } = order.progress;
  const now = clock.now();
  const price = deps.tick(order.triggerMint as Address);
  const terms = editTerms({ ...order, type, stage }, changes, now, typeof price === 'string' ? undefined : price.usd);
  const consent = requireConsent(deps, order, terms, { signature, signedAt });
  const edit = { before: order, consent };
  const seal = await signer.sealOrder({ token, order: { ...order, ...terms }, proof: { edit } });
  return { terms: { ...terms, seal }, at: new Date(now) };
}

/**
 * A login may have been stolen: it alone gives away only so much of an order.
 * @returns the wallet's signature where it is needed. @throws AppError
 */
function requireConsent(
  { clock, host, maxUnsignedSlippageBps: mostBps }: EditDeps,
  order: TriggerOrderRow,
  after: TriggerOrderTerms,
  { signature, signedAt }: Pick<EditBody, 'signature' | 'signedAt'>,
): Consent | undefined {
  const widening = termsThatWiden(order, after, mostBps);
  if (widening.length === 0) return undefined;
  const now = clock.now();
  const textAt = (time: number) => wideningText({ id: order.id, host: host(), signedAt: new Date(time) }, order, after);
  if (signature === undefined || signedAt === undefined) {
    const what = widening.join(' and ');
    throw new AppError('FORBIDDEN', {
      message: `The wallet must sign this change of ${what}, because the order would accept more than ${mostBps} basis points of slippage: sign the text details.sign as a message, and send the same again with signature (base58) and signedAt`,
      details: { sign: textAt(now), signedAt: now },
    });
  }
  if (Math.abs(now - signedAt) > CONSENT_MS) {
    throw invalid('signedAt', 'must be within five minutes of now, in unix milliseconds: sign a new text');
  }
  const bytes = base58Decode(signature);
  const text = Buffer.from(textAt(signedAt));
  if (bytes?.length === 64 && verify(order.wallet as Address, text, bytes)) return { signature: bytes, signedAt };
  throw new AppError('FORBIDDEN', {
    message: "signature: expected the wallet's signature (base58) of the text details.sign, which names its signedAt",
    details: { sign: textAt(signedAt), signedAt },
  });
}
