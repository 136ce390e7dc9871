/** A price as Pyth published it. */
export interface Published {
  usd: number;
  /** In USD. */
  confidence: number;
  /** Unix milliseconds. */
  publishedAt: number;
}

const UNSIGNED = /^\d{1,20}$/;
/** Pyth's own are between -12 and 0. */
const MOST_EXPONENT = 18;

/**
 * The usable prices in an answer of `/v2/updates/price/latest`, by feed id in lower case. An entry that is not a price
 * is skipped and does not affect the others. Throws TypeError if there is no list of prices at all.
 */
export function readUpdates(body: unknown): Map<string, Published> {
  const { parsed } = Object(body) as { parsed?: unknown };
  if (!Array.isArray(parsed)) throw new TypeError('no list of prices');
  const updates = new Map<string, Published>();
  for (const entry of parsed) {
    const { id, price } = Object(entry) as { id?: unknown; price?: unknown };
    const published = readPrice(price);
    if (typeof id === 'string' && published) updates.set(id.toLowerCase().replace(/^0x/, ''), published);
  }
  return updates;
}

function readPrice(value: unknown): Published | undefined {
  const { price, conf, expo, publish_time: time } = Object(value) as Record<string, unknown>;
  if (typeof price !== 'string' || typeof conf !== 'string' || !UNSIGNED.test(price) || !UNSIGNED.test(conf)) {
    return undefined;
  }
  if (!Number.isInteger(expo) || Math.abs(expo as number) > MOST_EXPONENT) return undefined;
  if (!Number.isSafeInteger(time) || (time as number) <= 0 || (time as number) > 1e11) return undefined;
  // Read as one decimal number, so that nothing is rounded twice.
  const usd = Number(`${price}e${expo}`);
  if (usd === 0) return undefined;
  return { usd, confidence: Number(`${conf}e${expo}`), publishedAt: (time as number) * 1_000 };
}
