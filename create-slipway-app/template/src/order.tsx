import { type Signer, SOL } from '@slipway/client';
import { useCreateLimitOrder, useLimitOrders } from '@slipway/react';
import { useState } from 'react';
import { Failure } from './failure';
import { USDC, unitsOf } from './slipway';

/** Sells 1 SOL once somebody pays the price. The chain holds the SOL meanwhile. */
export function Order({ signer, wallet }: { signer: Signer; wallet: string }) {
  const [price, setPrice] = useState('160');
  const create = useCreateLimitOrder(signer);
  const orders = useLimitOrders(wallet);
  const request = { inputMint: SOL, outputMint: USDC, makingAmount: unitsOf('1', 9), takingAmount: unitsOf(price, 6) };
  return (
    <section>
      <h2>Limit order</h2>
      <label>
        Sell 1 SOL for USDC{' '}
        <input inputMode="decimal" value={price} onChange={({ target }) => setPrice(target.value)} />
      </label>
      <button type="button" disabled={create.isRunning} onClick={() => create.dispatch(request)}>
        Place
      </button>
      <ul>
        {orders.data?.map(({ orderKey, takingAmount, status }) => (
          <li key={orderKey}>
            1 SOL for {takingAmount} USDC: {status}
          </li>
        ))}
      </ul>
      <Failure error={create.error ?? orders.error} />
    </section>
  );
}
