import type { Client } from '@slipway/client';
import { createContext, createElement, type ReactNode, useContext } from 'react';

const SlipwayContext = createContext<Client | undefined>(undefined);

/** Gives the client to the hooks below. Make it once, outside of components. */
export function SlipwayProvider({ client, children }: { client: Client; children?: ReactNode }) {
  return createElement(SlipwayContext.Provider, { value: client }, children);
}

/** The client of the nearest provider. @throws Error where there is none */
export function useSlipway(): Client {
  const client = useContext(SlipwayContext);
  if (client === undefined) throw new Error('useSlipway: there is no SlipwayProvider around this component');
  return client;
}
