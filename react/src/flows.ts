import type {
  Client,
  FlowOptions,
  LimitOrderRequest,
  Login,
  PriceOrderEdit,
  PriceOrderRequest,
  Progress,
  Signer,
  SwapRequest,
} from '@slipway/client';
import { type ActionResult, useAction } from '@solana/react';
import { useState } from 'react';
import { useSlipway } from './provider.js';

/** What a flow does and has done: `dispatch` begins it. Of the one before nothing is heard any more, but what it has posted may land. `progress` is the last step of it. */
export type Flow<Args extends readonly unknown[], Result> = ActionResult<Args, Result> & {
  progress: Progress | undefined;
};

/** Any flow of the client, as an action. Without a signer, the client's own is used. */
export function useFlow<Args extends readonly unknown[], Result>(
  signer: Signer | undefined,
  flow: (client: Client, options: FlowOptions, ...args: Args) => Promise<Result>,
): Flow<Args, Result> {
  const client = useSlipway();
  const [progress, setProgress] = useState<Progress>();
  const action = useAction(async (signal, ...args: Args) => {
    setProgress(undefined);
    const onProgress = (step: Progress) => signal.aborted || setProgress(step);
    return flow(client, { signal, onProgress, signer }, ...args);
  });
  return { ...action, progress };
}

/** Swaps at the best quote: `dispatch(request)`. */
export const useSwap = (signer?: Signer) =>
  useFlow(signer, (client, options, request: SwapRequest) => client.swap(request, options));

/** Logs the wallet in, for orders that wait for a price: `data` is the login. */
export const useLogin = (signer?: Signer) => useFlow(signer, (client, options) => client.login(options));

/** Ends every login of the wallet, also those of other devices: `dispatch(login)`. */
export const useLogout = () => useFlow(undefined, (client, options, login: Login) => client.logout(login, options));

/** Deposits and places an order that waits for a price. */
export const usePlacePriceOrder = (login: Login, signer?: Signer) =>
  useFlow(signer, (client, options, request: PriceOrderRequest) => client.placePriceOrder(login, request, options));

/** Changes the prices, slippage or expiry of an open order. */
export const useEditPriceOrder = (login: Login, signer?: Signer) =>
  useFlow(signer, (client, options, orderId: string, edit: PriceOrderEdit) =>
    client.editPriceOrder(login, orderId, edit, options),
  );

/** Cancels an order that waits for a price, and takes what it holds out of the vault. */
export const useCancelPriceOrder = (login: Login, signer?: Signer) =>
  useFlow(signer, (client, options, orderId: string) => client.cancelPriceOrder(login, orderId, options));

/** Opens an order that the chain holds. */
export const useCreateLimitOrder = (signer?: Signer) =>
  useFlow(signer, (client, options, request: LimitOrderRequest) => client.createLimitOrder(request, options));
