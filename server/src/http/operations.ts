import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { type Static, Type } from 'typebox';
import { plainError } from '../errors/index.js';
import { steadyNow } from '../lib/clock.js';
import { coalesced } from '../lib/single-flight.js';
import type { Metrics } from './metrics.js';
import type { Readiness } from './ports.js';

const config = { errorShape: plainError, auth: 'none' } as const;
export const OPERATIONS = { name: 'Operations', description: 'Health and metrics, without a key' };
const tags = [OPERATIONS.name];

const Liveness = Type.Object({ status: Type.Literal('live') });
const ReadinessReport = Type.Object({
  status: Type.Union([Type.Literal('ready'), Type.Literal('not ready')]),
  checks: Type.Record(Type.String(), Type.String(), { description: 'What was looked at, and how it is' }),
});

/** Writing the metrics down keeps the process for tens of milliseconds, and anybody may ask for them. */
const METRICS_PAUSE_MS = 100;

const MetricsText = { description: 'Metrics', content: { 'text/plain': { schema: Type.String() } } };

interface OperationsDeps {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly ready: Readiness;
  readonly hasMetrics?: boolean;
}

/** `/livez`, `/readyz` and, unless `hasMetrics` is false, `/metrics`: for operators, without a key. */
export function registerOperations(
  app: FastifyInstance,
  { log, metrics, ready, hasMetrics = true }: OperationsDeps,
): void {
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });

  app.get('/livez', {
    config,
    schema: {
      tags,
      summary: 'The process runs',
      description: 'For a supervisor: answers as long as the process does.',
      response: { 200: Liveness },
    },
    handler: (): Static<typeof Liveness> => ({ status: 'live' }),
  });

  app.get('/readyz', {
    config,
    schema: {
      tags,
      summary: 'The service can serve',
      description: 'For a load balancer: 503 while something is missing that requests need.',
      response: { 200: ReadinessReport, 503: ReadinessReport },
    },
    handler: async (_request, reply): Promise<Static<typeof ReadinessReport>> => {
      const { ok, checks } = closing ? { ok: false, checks: { service: 'is shutting down' } } : await readiness();
      reply.code(ok ? 200 : 503);
      return { status: ok ? 'ready' : 'not ready', checks };
    },
  });

  async function readiness(): ReturnType<Readiness> {
    try {
      return await ready();
    } catch (error) {
      log.warn({ reason: error instanceof Error ? error.message : typeof error }, 'the readiness check failed');
      return { ok: false, checks: { readiness: 'could not be checked' } };
    }
  }

  if (!hasMetrics) return;
  let text = '';
  let writtenAt = Number.NEGATIVE_INFINITY;
  // Each call gets what was written after it came, and all that came meanwhile the same.
  const write = coalesced(async () => {
    const wait = writtenAt + METRICS_PAUSE_MS - steadyNow();
    if (wait > 0) await sleep(wait);
    text = await metrics.registry.metrics();
    writtenAt = steadyNow();
  });
  app.get('/metrics', {
    config,
    schema: {
      tags,
      summary: 'Metrics in the text format of Prometheus',
      description: 'Counters, gauges and histograms of the service and its process.',
      response: { 200: MetricsText },
    },
    handler: async (_request, reply: FastifyReply) => {
      reply.header('content-type', metrics.registry.contentType);
      await write();
      return text;
    },
  });
}
