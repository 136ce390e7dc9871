import { SlipwayProvider } from '@slipway/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { client } from './slipway.js';

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <SlipwayProvider client={client}>
      <App />
    </SlipwayProvider>
  </StrictMode>,
);
