import { randomInt } from 'node:crypto';

export const REQUEST_ID_HEADER = 'x-api-gateway-request-id';

/** Ids that are unique across processes and requests, for the price of one addition: a random prefix and a count. */
export function createRequestIds(): () => string {
  const prefix = `${randomInt(36 ** 5)
    .toString(36)
    .padStart(5, '0')}${randomInt(36 ** 5)
    .toString(36)
    .padStart(5, '0')}-`;
  let count = 0;
  return () => prefix + (++count).toString(36);
}
