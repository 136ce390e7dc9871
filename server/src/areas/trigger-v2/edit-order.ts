import { type Address, base58Decode, verify } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { CONSENT_MS, type Consent, termsThatWiden, wideningText } from '../../signer/index.js';
import {
  lockTriggerOrders,
  type TriggerOrderRow,
  type TriggerOrderTerms,
  editTriggerOrder as writeTerms,
} from '../../store/trigger-orders.js';
import { type Login, type TriggerV2Deps, tags, walletRoute } from './deps.js';

import { editTerms, invalid } from './order-terms.js';
import { EditAnswer, EditBody, OrderParams } from './schema.js';

export function registerEditOrder(app: TypedServer, deps: TriggerV2Deps): void {
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
    ({ wallet, loginToken: token, params, body }) => editOrder(deps, { wallet, token }, params.orderId, body),
  );
}

type EditDeps = Pick<TriggerV2Deps, 'store' | 'clock' | 'prices' | 'signer' | 'host' | 'maxUnsignedSlippageBps'> & {
  landing: Pick<TriggerV2Deps['landing'], 'vouchesForOrder'>;
};

/**
 * Changes the terms of an open order. They are read under the order's lock, because a keeper moves the mark of a
 * trailing order at any time, and another edit may be under way.
 * @throws AppError: 404 unless the order is the wallet's own, 400 if it is not open, 403 if the wallet must sign it.
 */
export async function editOrder(
  deps: EditDeps,
  { wallet, token }: Login,
  id: string,
  { signature, signedAt, ...changes }: EditBody,
): Promise<EditAnswer> {
  const { store, clock, prices, signer, landing } = deps;
  return store.transaction(async (tx) => {
    const [order] = await lockTriggerOrders(tx, [id], { skip: false });
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
    const price = prices.forOrders(order.triggerMint as Address);
    const terms = editTerms({ ...order, type, stage }, changes, now, 'none' in price ? undefined : price.usd);
    const consent = requireConsent(deps, order, terms, { signature, signedAt });
    const edit = { before: order, consent };
    const seal = await signer.sealOrder({ token, order: { ...order, ...terms }, proof: { edit } });
    await writeTerms(tx, { wallet, id }, { ...terms, seal }, new Date(now));
    return { id };
  });
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
