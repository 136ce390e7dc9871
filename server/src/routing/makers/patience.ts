import type { Logger } from 'pino';
import { type MakerEndpoint, WebhookFailure } from './webhook.js';

/** After this many questions in a row without an answer, a maker is left alone for a while. */
const MOST_SILENCES = 5;
const LEFT_ALONE_MS = 10_000;

/** Whether a maker has answered, though with nothing that can be used. */
export function isNonsense(error: unknown): boolean {
  return error instanceof WebhookFailure && error.kind === 'nonsense';
}

/** Which makers are asked. Each order would otherwise wait the full time for a maker that is down. */
interface Patience {
  isAsked(endpoint: MakerEndpoint): boolean;
  /** The maker has answered, whatever it said. */
  answered(endpoint: MakerEndpoint): void;
  failed(endpoint: MakerEndpoint, error: Error): void;
}

export function createPatience({ steadyNow, log }: { steadyNow: () => number; log: Logger }): Patience {
  const silent = new Map<string, { silences: number; until: number }>();

  function answered({ url, name }: MakerEndpoint): void {
    const was = silent.get(url);
    if (was && was.silences >= MOST_SILENCES) log.info({ maker: name }, 'a market maker answers again');
    silent.delete(url);
  }

  return {
    isAsked: ({ url }) => (silent.get(url)?.until ?? Number.NEGATIVE_INFINITY) <= steadyNow(),
    answered,
    failed(endpoint, error) {
      if (isNonsense(error)) return answered(endpoint);
      const { url, name } = endpoint;
      const silences = (silent.get(url)?.silences ?? 0) + 1;
      const isAlone = silences >= MOST_SILENCES;
      if (silences === MOST_SILENCES) {
        log.warn({ maker: name, reason: error.message }, 'a market maker does not answer; retrying from time to time');
      }
      silent.set(url, { silences, until: isAlone ? steadyNow() + LEFT_ALONE_MS : Number.NEGATIVE_INFINITY });
    },
  };
}
