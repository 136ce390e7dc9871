import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { createFailureLog } from '../lib/failure-log.js';
import type { SignerRefused } from '../signer/index.js';

/** Counts and logs what no policy of the signer allows: the service never asks for it, so somebody else does. */
export function refusalObserver(registry: Registry, log: Logger): (refusal: SignerRefused) => void {
  const counter = new Counter({
    name: 'slipway_signer_refusals_total',
    help: 'What the signer has not signed, because no policy allows it, by kind of key',
    labelNames: ['key'],
    registers: [registry],
  });
  for (const key of ['gas', 'keeper', 'vault', 'tracker', 'mint', 'launch', 'login', 'seal']) counter.inc({ key }, 0);
  const failures = createFailureLog(
    (line, message) => log.error(line, message),
    'the signer does not sign what no policy allows',
  );
  return ({ key, reason }) => {
    const kind = key.split(/[:,]/)[0]!;
    counter.inc({ key: kind });
    // Whoever has the copy ask may do so as often as he likes.
    failures.report(kind, () => ({ key, reason }));
  };
}
