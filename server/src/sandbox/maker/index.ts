import type { AddressInfo } from 'node:net';
import type { Address } from '@slipway/wire';
import fastify, { type FastifyError } from 'fastify';
import { Desk, type DeskDeps } from './desk.js';
import { createQuotedPrices } from './pricing.js';
import { QuoteBody, SwapBody } from './schema.js';

export { fundMaker } from './funding.js';

export interface MakerDeps extends Omit<DeskDeps, 'prices'> {
  /** USD for one whole token; undefined where it is not known. */
  usd: (mint: Address) => number | undefined;
}

/** The sandbox's market maker. */
export interface RunningMaker {
  /** Of its webhook. */
  url: string;
  address: Address;
  /** The mints that it trades. */
  tokens: string[];
  /** Quotes at this price until `usd` says the same. */
  quoteAt(mint: Address, usd: number): void;
  close(): Promise<void>;
}

/**
 * Starts a market maker on a free port of this machine. Like any other, it is reached only through the public RFQ
 * webhook protocol, and has nothing but its own wallet.
 */
export async function startMaker(deps: MakerDeps): Promise<RunningMaker> {
  const prices = createQuotedPrices(deps.usd);
  const desk = new Desk({ ...deps, prices });
  const app = fastify({
    bodyLimit: 16_384,
    forceCloseConnections: true,
    // The two schemas are ours: to check them as well would take 40 ms of each start.
    ajv: { customOptions: { coerceTypes: false, validateSchema: false } },
  });
  app.setErrorHandler((error: FastifyError, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) deps.log.warn({ reason: error.message }, 'the maker could not answer');
    return reply.code(status).send({ message: status >= 500 ? 'Internal error' : error.message });
  });
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ message: 'Not found' }));
  app.get('/tokens', async () => desk.tokens);
  app.post<{ Body: QuoteBody }>('/quote', { schema: { body: QuoteBody } }, async ({ body }, reply) => {
    const answer = await desk.quote(body);
    return answer ?? reply.code(404).send({ message: 'No quote for this' });
  });
  app.post<{ Body: SwapBody }>('/swap', { schema: { body: SwapBody } }, ({ body }) => desk.swap(body));
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    address: desk.maker,
    tokens: desk.tokens,
    quoteAt: prices.quoteAt,
    close: () => app.close(),
  };
}
