import { AppError } from '../../errors/index.js';
import type { Answer, Best } from '../../routing/race.js';
import type { Quote, QuoteRequest, Refusal, Router, Surroundings } from '../../routing/router.js';
import type { SwapDeps } from './deps.js';
import type { OrderRequest } from './order-request.js';
import { surroundingsOf } from './setting.js';
import type { Candidate, Inquiry, Order, Terms } from './swap-order.js';

/** Refusals that the same request may not meet the next time. */
const PASSING: ReadonlySet<Refusal['refused']> = new Set(['unavailable', 'timeout']);

type Sponsorable = Router['sponsorable'];

/** Terms on which the gas wallet pays: all of the gas, or only the rent. */
export interface SponsoredTerms {
  gas?: Terms | undefined;
  rent?: Terms | undefined;
}

/**
 * The best quote of all routers; no wallet is needed.
 * @throws AppError INVALID_REQUEST if there is none, QUOTES_UNAVAILABLE if a router may have one soon
 */
export async function bestQuote(deps: SwapDeps, inquiry: Inquiry, terms: Terms): Promise<Quote> {
  const { ranked, answers } = await ask(deps, inquiry, terms);
  const [quote] = ranked;
  if (!quote) throw noQuotes(answers);
  return quote;
}

/**
 * All quotes, best first. What the gas wallet pays is priced into the quote: all gas, only rent or nothing, as the
 * router allows.
 * @throws AppError INVALID_REQUEST if there is no quote, QUOTES_UNAVAILABLE if a router may have one soon
 */
export async function candidatesOf(deps: SwapDeps, order: Order, { gas, rent }: SponsoredTerms): Promise<Candidate[]> {
  const { terms } = order;
  const lap = async (on: Terms, sponsorable?: Sponsorable) => ({
    terms: on,
    ...(await ask(deps, order, on, { sponsorable, surroundings: surroundingsOf(deps, order, on) })),
  });
  const laps = await Promise.all(
    gas || rent ? [lap(gas ?? terms, 'gas'), lap(rent ?? terms, 'rent'), lap(terms, 'nothing')] : [lap(terms)],
  );
  const candidates = laps.flatMap((each) => each.ranked.map((quote) => ({ quote, terms: each.terms })));
  if (candidates.length === 0) throw noQuotes(laps.flatMap(({ answers }) => answers));
  return candidates.sort(
    (a, b) => Number(b.quote.outAmount > a.quote.outAmount) - Number(b.quote.outAmount < a.quote.outAmount),
  );
}

/** Whether any router that supports the request lets the gas wallet pay that much. */
export function canBeSponsored({ routing }: SwapDeps, { asked }: Inquiry, sponsorable: Sponsorable): boolean {
  return routing.routers.some(mayTake(asked, sponsorable));
}

interface Circumstances {
  sponsorable?: Sponsorable | undefined;
  surroundings?: Surroundings;
}

function ask(
  { routing }: SwapDeps,
  inquiry: Inquiry,
  terms: Terms,
  { sponsorable, surroundings }: Circumstances = {},
): Promise<Best> {
  const { asked, input, output } = inquiry;
  const { amount, taker, receiver, excludeVenues } = asked;
  const request: QuoteRequest = {
    mode: 'exact-in',
    input,
    output,
    amount,
    excludeVenues,
    ...(taker && { owner: taker }),
    ...(receiver && receiver !== taker && { receiver }),
    ...(terms.bps > 0 && { fee: { bps: terms.bps, side: terms.side } }),
    ...(surroundings && { surroundings }),
  };
  return routing.best(request, mayTake(asked, sponsorable));
}

/** Matches routers that support the request; with `sponsorable`, only those that let the gas wallet pay that much. */
function mayTake({ exclude, payer, manual }: OrderRequest, sponsorable?: Sponsorable) {
  const setsFee = manual?.priorityFee !== undefined || (manual?.tipLamports ?? 0n) > 0n;
  return (router: Router): boolean =>
    !exclude.has(router.id) &&
    (!payer || router.thirdPartyPayer) &&
    (!setsFee || !router.paysNetworkFee) &&
    (sponsorable === undefined || router.sponsorable === sponsorable);
}

function noQuotes(answers: readonly Answer[]): AppError {
  // An unsupported token is a definite answer, whatever other routers lack.
  const certain = answers.find((answer) => 'refused' in answer && answer.refused === 'unsupported-token');
  const reasons = (certain ? [certain] : answers).flatMap((answer) =>
    'refused' in answer ? [`${answer.router}: ${answer.reason}`] : [],
  );
  const reason = reasons.length > 0 ? reasons.join('; ') : 'no router is left that takes such an order';
  const mayCome = !certain && answers.some((answer) => 'refused' in answer && PASSING.has(answer.refused));
  return new AppError(mayCome ? 'QUOTES_UNAVAILABLE' : 'INVALID_REQUEST', {
    message: `Failed to get quotes: ${reason}`,
  });
}
