import { SlipwayProvider } from '@slipway/react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { client } from './slipway';

createRoot(document.querySelector('#root')!).render(
  <SlipwayProvider client={client}>
    <App />
  </SlipwayProvider>,
);
