import { test } from 'node:test';
import { createClient, type Login, SOL, type SwapOrder } from '@slipway/client';
import type { UiWalletAccount } from '@wallet-standard/react';
import { createElement } from 'react';
import {
  SlipwayProvider,
  useEvents,
  useOrders,
  usePlacePriceOrder,
  useQuote,
  useSwap,
  useWalletSigner,
} from './index.js';

// Nothing runs here: that it compiles is the test. Where something must not, the compiler says so if it does.

export function WrongUseDoesNotCompile({ account, login }: { account: UiWalletAccount; login: Login | undefined }) {
  const signer = useWalletSigner(account, 'solana:localnet');
  // @ts-expect-error: a chain of another name
  useWalletSigner(account, 'localnet');
  const { data } = useQuote({ inputMint: SOL, outputMint: SOL, amount: 1n });
  const order: SwapOrder | undefined = data;
  // @ts-expect-error: an amount is a whole number of the smallest unit
  useQuote({ inputMint: SOL, outputMint: SOL, amount: 1.5 });
  const swap = useSwap(signer);
  swap.dispatch({ inputMint: SOL, outputMint: SOL, amount: 1n });
  // @ts-expect-error: of what?
  swap.dispatch({ inputMint: SOL, amount: 1n });
  const output: bigint | undefined = swap.data?.outputAmount;
  // @ts-expect-error: there is no such step
  if (swap.progress?.step === 'done') return null;
  useOrders(login).data?.map(({ orderState }) => orderState);
  // @ts-expect-error: without a login
  usePlacePriceOrder(login, signer);
  useEvents({ kinds: ['order.*', 'order.filled'] }, ({ kind }) => kind);
  // @ts-expect-error: nothing of this kind happens
  useEvents({ kinds: ['order.vanished'] }, () => {});
  // @ts-expect-error: without a client
  createElement(SlipwayProvider, {});
  const text = `${order?.outAmount} ${output}`;
  return createElement(SlipwayProvider, { client: createClient({ url: '' }) }, text);
}

test('wrong use of the hooks does not compile', () => {});
