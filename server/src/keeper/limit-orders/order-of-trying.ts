/** For so long an order comes the sooner the longer it was not tried, and the more it is worth, in milliseconds. */
const WORTH_FOR_MS = 60_000;
/** In USD: what is worth less, or of no known price, counts as this, and what is worth more as the most. */
const [LEAST_WORTH, MOST_WORTH] = [1, 1_000];

/**
 * Which order is tried first in half of the turns: the one of the greatest urgency. What is sold counts by its root: a hundred times the worth has ten
 * times the turns, and whoever opens many small orders keeps nobody's larger one from a pool, which takes one fill at a time.
 * Whoever waits for a pool comes first in the end, whatever others are worth. Times in milliseconds.
 */
export function urgencyOf({
  untriedMs,
  waitsMs,
  usd = 0,
}: {
  untriedMs: number;
  waitsMs: number;
  usd?: number | undefined;
}) {
  const weight = Math.sqrt(Math.min(Math.max(usd, LEAST_WORTH), MOST_WORTH));
  return Math.min(untriedMs, WORTH_FOR_MS) * weight + waitsMs;
}

/** Of each in turn as many as it takes until one was tried: those in front that need not be must not keep the others waiting. */
export function* inTurns<T>(turns: readonly IterableIterator<T>[], wasTried: (item: T) => boolean): Generator<T> {
  for (let isMore = true; isMore; ) {
    isMore = false;
    for (const turn of turns) {
      for (const item of turn) {
        isMore = true;
        yield item;
        if (wasTried(item)) break;
      }
    }
  }
}
