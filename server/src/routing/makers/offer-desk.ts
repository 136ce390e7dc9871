import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Clock } from '../../lib/clock.js';
import { uuidv7 } from '../../lib/ids.js';
import { cached } from '../../lib/single-flight.js';
import type { Signer } from '../../signer/index.js';
import { listMakers, suspendMaker, type UrlBox } from '../../store/makers.js';
import type { Sql } from '../../store/sql.js';
import { absurdity, type UsdOf } from '../absurdity.js';
import type { QuoteRequest } from '../router.js';
import { askForOffer, type Offer, type RfqQuestion, readTokens } from './offers.js';
import { createPatience, isNonsense } from './patience.js';
import { type MakerEndpoint, WebhookFailure } from './webhook.js';

export interface OfferDeskDeps {
  /** Holds the registered makers. */
  store: Sql;
  /** Opens their URLs. */
  box: UrlBox;
  /** Knows the service's own wallets, which are no maker's. */
  signer: Pick<Signer, 'wallets'>;
  /** Makers beside the registered ones. */
  own: readonly MakerEndpoint[];
  usd: UsdOf;
  /** Milliseconds that makers have for an offer: see `makersTimeout`. */
  timeoutMs: number;
  clock: Clock;
  steadyNow: () => number;
  log: Logger;
}

/** What a maker has answered to a question. */
export interface LastAnswer {
  /** Unix milliseconds. */
  at: number;
  milliseconds: number;
  offered: boolean;
  /** Why there was no offer. */
  reason?: string;
}

/** Set by the protocol: the longest wait for a maker, and how old a list of tokens may be. */
const MAX_WAIT_MS = 500;
const TOKENS_TTL_MS = 10 * 60_000;
const MAKERS_TTL_MS = 3_000;
/** How long a maker is not asked again for a list that was none: otherwise each quote would read it. */
const LISTLESS_MS = 10_000;
/** The share of the routers' time that the makers get. */
const MAKERS_SHARE = 0.8;
/** The share of that which a maker must have had for its silence to count: a slow node leaves it less. */
const FAIR_SHARE = 0.5;
const NOT_TRADED = 'does not trade these tokens';
const FOREIGN_ROW =
  'a market maker is not asked: its URL in the database was not written by this service for this maker; remove it and register it again';

/** Milliseconds that makers have for an offer, where all routers have `budgetMs` for a quote. */
export function makersTimeout(budgetMs: number): number {
  return Math.round(Math.min(MAX_WAIT_MS, budgetMs * MAKERS_SHARE));
}

/** Knows the market makers, what they trade and how they have answered, and asks them for offers. */
export class OfferDesk {
  /** Milliseconds that makers have for an offer. */
  readonly timeoutMs: number;
  readonly #deps: OfferDeskDeps;
  readonly #makers: () => Promise<MakerEndpoint[]>;
  readonly #tokens = new LRUCache<string, () => Promise<ReadonlySet<string>>>({ max: 1_000 });
  /** By URL: of whom the list of tokens was none, and until when it is not read again. */
  readonly #listless = new LRUCache<string, { error: WebhookFailure; until: number }>({ max: 1_000 });
  readonly #patience: ReturnType<typeof createPatience>;
  readonly #answers = new LRUCache<string, LastAnswer>({ max: 1_000 });
  /** Until the list of makers tells it; those of the service itself are in no list. */
  readonly #suspended = new Set<string>();
  /** Of which the log has told. */
  readonly #unreadable = new Set<string>();

  constructor(deps: OfferDeskDeps) {
    const { own, timeoutMs, steadyNow, log } = deps;
    this.#deps = deps;
    this.timeoutMs = timeoutMs;
    this.#makers = cached(async () => [...own, ...(await this.#registered())], MAKERS_TTL_MS, steadyNow);
    this.#patience = createPatience({ steadyNow, log });
  }

  /** Those that may be asked. A row that the service has not written like this is none of its makers. */
  async #registered(): Promise<MakerEndpoint[]> {
    const { store, box, log } = this.#deps;
    const endpoints: MakerEndpoint[] = [];
    for (const { id, name, url, suspendedAt } of await listMakers(store, box)) {
      if (url === undefined) {
        if (!this.#unreadable.has(id)) log.error({ maker: id }, FOREIGN_ROW);
        this.#unreadable.add(id);
      } else if (suspendedAt === null) endpoints.push({ id, name, url });
    }
    return endpoints;
  }

  /** Undefined where it was not asked yet. */
  lastAnswer(id: string): LastAnswer | undefined {
    return this.#answers.get(id);
  }

  /** Undefined if it is no longer registered, or suspended. */
  async endpointOf(id: string): Promise<MakerEndpoint | undefined> {
    const makers = await this.#makers().catch(() => this.#deps.own);
    return makers.find((maker) => maker.id === id && !this.#suspended.has(id));
  }

  /** Asks a maker no more who has sent this transaction after saying that it would not, until an operator registers it
   * again. */
  async suspend(id: string, signature: string): Promise<void> {
    this.#suspended.add(id);
    const { store, clock, log } = this.#deps;
    log.error({ maker: id, signature }, 'a market maker has sent what it had rejected, and is suspended');
    await suspendMaker(store, id, { at: new Date(clock.now()), signature });
  }

  /**
   * Asks all makers at once. One that is late, fails or answers nonsense is left out, with the reason in the log; `silent`
   * counts those that may still have had an offer.
   */
  async gather(
    question: RfqQuestion,
    request: QuoteRequest,
    signal: AbortSignal,
  ): Promise<{ offers: Offer[]; silent: number }> {
    const offers: Offer[] = [];
    let silent = 0;
    const makers = (await whileOpen(this.#makers(), signal)).filter(({ id }) => !this.#suspended.has(id));
    const asked = makers.filter(this.#patience.isAsked);
    const fairTime = AbortSignal.timeout(Math.round(this.timeoutMs * FAIR_SHARE));
    await Promise.all(
      asked.map(async (endpoint) => {
        const begin = this.#deps.steadyNow();
        const note = (answer: Pick<LastAnswer, 'offered' | 'reason'>) => {
          const milliseconds = Math.round(this.#deps.steadyNow() - begin);
          this.#answers.set(endpoint.id, { at: this.#deps.clock.now(), milliseconds, ...answer });
        };
        try {
          const offer = await this.#ask(endpoint, question, request, signal);
          if (offer) {
            offers.push(offer);
            this.#patience.answered(endpoint);
          }
          note(offer ? { offered: true } : { offered: false, reason: NOT_TRADED });
        } catch (error) {
          if (!isNonsense(error)) silent += 1;
          if (fairTime.aborted || !signal.aborted) this.#patience.failed(endpoint, error as Error);
          this.#tell(endpoint, question, error as Error);
          note({ offered: false, reason: (error as Error).message });
        }
      }),
    );
    return { offers, silent };
  }

  /** Undefined if the maker does not trade the tokens, so that it is not asked: nobody knows whether it would have answered. */
  async #ask(
    endpoint: MakerEndpoint,
    question: RfqQuestion,
    request: QuoteRequest,
    signal: AbortSignal,
  ): Promise<Offer | undefined> {
    const { clock, usd, signer } = this.#deps;
    const list = await whileOpen(this.#tokensOf(endpoint), signal);
    if (!list.has(question.inputMint) || !list.has(question.outputMint)) return undefined;
    const options = { timeoutMs: this.timeoutMs, signal, clock };
    const offer = await askForOffer(endpoint, { ...question, quoteId: uuidv7(clock) }, options);
    if (Object.values(signer.wallets()).some(({ addresses }) => addresses.includes(offer.maker))) {
      throw new WebhookFailure('nonsense', 'names a wallet of this service as its own');
    }
    const absurd = absurdity(request, offer, usd);
    if (absurd) throw new WebhookFailure('nonsense', absurd);
    return offer;
  }

  #tell(endpoint: MakerEndpoint, { requestId }: RfqQuestion, error: Error): void {
    const level = error instanceof WebhookFailure ? 'debug' : 'error';
    this.#deps.log[level](
      { maker: endpoint.name, request: requestId, reason: error.message },
      'skipped a market maker',
    );
  }

  async #tokensOf(endpoint: MakerEndpoint): Promise<ReadonlySet<string>> {
    const { clock, steadyNow } = this.#deps;
    const { url } = endpoint;
    const listless = this.#listless.get(url);
    if (listless && steadyNow() < listless.until) throw listless.error;
    let read = this.#tokens.get(url);
    if (!read) {
      read = cached(() => readTokens(endpoint, clock), TOKENS_TTL_MS, steadyNow);
      this.#tokens.set(url, read);
    }
    try {
      return await read();
    } catch (error) {
      if (error instanceof WebhookFailure && error.kind === 'nonsense') {
        this.#listless.set(url, { error, until: steadyNow() + LISTLESS_MS });
      }
      throw error;
    }
  }
}

/** The promise's value, unless the signal aborts first. */
async function whileOpen<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const over = new Promise<never>((_, reject) => {
    stop = () => reject(new WebhookFailure('timeout', 'did not answer in time'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}
