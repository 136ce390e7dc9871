import type { Logger } from 'pino';
import { Counter, Histogram, type Registry } from 'prom-client';
import { isRefused, type Quote, type QuoteRequest, type Refusal, type Router, type RouterId } from './router.js';

/** What one router said in a race; `ms` is how long it took. */
export type Answer = { router: RouterId; ms: number } & ({ quote: Quote } | Refusal);

export interface Best {
  /** The best for the taker first. */
  ranked: Quote[];
  /** One from each router that was asked. */
  answers: Answer[];
}

export interface Routing {
  readonly routers: readonly Router[];
  /**
   * Asks all routers that `mayTake` it at once and ends when all have answered or the budget is used up. A router that
   * hangs, refuses or fails costs only its quote.
   */
  best(request: QuoteRequest, mayTake?: (router: Router) => boolean): Promise<Best>;
}

interface RoutingDeps {
  routers: readonly Router[];
  /** Milliseconds that the routers have together. */
  budgetMs: number;
  steadyNow: () => number;
  log: Logger;
  registry: Registry;
}

/** A rejected promise is a bug in the router: it is logged as one, and counts as no answer. */
const DEFECT: Refusal = { refused: 'unavailable', reason: 'the router failed' };

export function createRouting({ routers, budgetMs, steadyNow, log, registry }: RoutingDeps): Routing {
  const count = answerCounter(registry);
  const tooLate: Refusal = { refused: 'timeout', reason: `no answer within ${budgetMs} ms` };

  async function ask(router: Router, request: QuoteRequest, signal: AbortSignal): Promise<Quote | Refusal> {
    try {
      return await router.quote(request, signal);
    } catch (error) {
      // Most code reacts to an aborted signal by rejecting.
      if (signal.aborted) return tooLate;
      log.error({ router: router.id, err: error }, 'a router failed');
      return DEFECT;
    }
  }

  return {
    routers,
    async best(request, mayTake = () => true) {
      const asked = routers.filter(mayTake);
      if (asked.length === 0) return { ranked: [], answers: [] };
      const giveUp = new AbortController();
      const started = steadyNow();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<Refusal>((resolve) => {
        timer = setTimeout(() => {
          resolve(tooLate);
          giveUp.abort();
        }, budgetMs);
      });
      const answers = await Promise.all(
        asked.map(async (router): Promise<Answer> => {
          const said = await Promise.race([ask(router, request, giveUp.signal), late]);
          const answer = { router: router.id, ms: steadyNow() - started };
          return isRefused(said) ? { ...answer, ...said } : { ...answer, quote: said };
        }),
      );
      clearTimeout(timer);
      for (const answer of answers) count(answer);
      if (log.isLevelEnabled('debug')) log.debug({ answers: answers.map(summaryOf) }, 'routers answered');
      const ranked = answers.flatMap((answer) => ('quote' in answer ? [answer.quote] : []));
      return { ranked: ranked.sort(request.mode === 'exact-in' ? byOutput : byInput), answers };
    },
  };
}

function byOutput(a: Quote, b: Quote): number {
  return a.outAmount === b.outAmount ? 0 : a.outAmount > b.outAmount ? -1 : 1;
}

function byInput(a: Quote, b: Quote): number {
  return a.inAmount === b.inAmount ? 0 : a.inAmount < b.inAmount ? -1 : 1;
}

function summaryOf(answer: Answer): object {
  const { router, ms } = answer;
  if (!('quote' in answer)) return { router, ms, refused: answer.refused, reason: answer.reason };
  return { router, ms, inAmount: answer.quote.inAmount.toString(), outAmount: answer.quote.outAmount.toString() };
}

const ANSWER_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 1, 2];

function answerCounter(registry: Registry): (answer: Answer) => void {
  const counter = new Counter({
    name: 'slipway_router_answers_total',
    help: 'Answers of routers to requests for a quote, by router and outcome (quoted, or why not)',
    labelNames: ['router', 'outcome'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'slipway_router_answer_duration_seconds',
    help: 'Time until a router answers a request for a quote, whatever it answers',
    labelNames: ['router'],
    buckets: ANSWER_SECONDS,
    registers: [registry],
  });
  // Looking a counter up by its labels costs more than counting, so every handle is kept.
  const handles = new Map<string, Counter.Internal>();
  const timers = new Map<RouterId, Histogram.Internal<'router'>>();
  return (answer) => {
    let timer = timers.get(answer.router);
    if (timer === undefined) {
      timer = durations.labels({ router: answer.router });
      timers.set(answer.router, timer);
    }
    timer.observe(answer.ms / 1_000);
    const outcome = 'quote' in answer ? 'quoted' : answer.refused;
    const key = `${answer.router} ${outcome}`;
    let handle = handles.get(key);
    if (handle === undefined) {
      handle = counter.labels({ router: answer.router, outcome });
      handles.set(key, handle);
    }
    handle.inc();
  };
}
