import { type Login, type PriceOrder, type Signer, SOL } from '@slipway/client';
import { useCancelPriceOrder, useFlow, useLogin, useOrders, usePlacePriceOrder } from '@slipway/react';
import { useState } from 'react';
import { Failure } from './failure.js';
import { info, lamportsOf, shown, USDC } from './slipway.js';

const DAY_MS = 86_400_000;
const PRICE = info.mints.find(({ mint }) => mint === SOL)?.usdPrice ?? 0;

/** Orders need a login: a message that the wallet signs. */
export function StopLoss({ signer }: { signer: Signer }) {
  const login = useLogin(signer);
  return (
    <section>
      <h2>Stop loss</h2>
      {login.data ? (
        <Orders signer={signer} login={login.data} />
      ) : (
        <button type="button" disabled={login.isRunning} onClick={() => login.dispatch()}>
          Log in
        </button>
      )}
      <Failure error={login.error} />
    </section>
  );
}

function Orders({ signer, login }: { signer: Signer; login: Login }) {
  const orders = useOrders(login);
  const place = usePlacePriceOrder(login, signer);
  const cancel = useCancelPriceOrder(login, signer);
  const [text, setText] = useState('1');
  const [below, setBelow] = useState((PRICE * 0.95).toFixed(2));
  const movePrice = useFlow(signer, (client, { signal }, usd: number) =>
    client.api.post('/sandbox/prices', { body: { mint: SOL, usd }, signal }),
  );
  const submit = () =>
    place.dispatch({
      orderType: 'single',
      triggerCondition: 'below',
      triggerPriceUsd: Number(below),
      inputMint: SOL,
      outputMint: USDC,
      inputAmount: lamportsOf(text),
      expiresAt: new Date(info.unixTimestamp * 1_000 + DAY_MS),
    });
  return (
    <>
      <label>
        Sell SOL <input inputMode="decimal" value={text} onChange={({ target }) => setText(target.value)} />
      </label>
      <label>
        below USD <input inputMode="decimal" value={below} onChange={({ target }) => setBelow(target.value)} />
      </label>
      <button type="button" disabled={place.isRunning || lamportsOf(text) === 0n} onClick={submit}>
        Place
      </button>
      <button type="button" onClick={() => movePrice.dispatch(Number(below) * 0.99)}>
        Let the price fall
      </button>
      <Failure error={place.error ?? cancel.error ?? movePrice.error ?? orders.error} />
      <table>
        <thead>
          <tr>
            {['Sells', 'Below', 'State', 'Got', ''].map((title) => (
              <th key={title}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {orders.data?.map((order) => (
            <Row key={order.id} order={order} cancel={() => cancel.dispatch(order.id)} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function Row({ order, cancel }: { order: PriceOrder; cancel: () => void }) {
  return (
    <tr>
      <td>{shown(order.initialInputAmount, 'SOL')}</td>
      <td>{order.triggerPriceUsd} USD</td>
      <td>{order.orderState}</td>
      <td>{order.outputAmount ? shown(order.outputAmount, 'USDC') : ''}</td>
      <td>
        {order.orderState === 'open' && (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        )}
      </td>
    </tr>
  );
}
