import type { FastifyRequest } from 'fastify';
import { AppError } from '../../errors/index.js';
import { attemptOf, deliveryOf, messageOf } from '../../events/messages.js';
import { isReceived } from '../../events/sender.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { withoutNulls } from '../../lib/without-nulls.js';
import { eventsAfter, WEBHOOKS_CHANNEL } from '../../store/events.js';
import {
  addAttempt,
  countFailed,
  failedDeliveries,
  listAttempts,
  putDeliveries,
  retryFailed,
  wakeWebhook,
} from '../../store/webhook-deliveries.js';
import { findWebhook, type Webhook } from '../../store/webhooks.js';
import { type EventsDeps, tags } from './deps.js';
import * as schema from './webhook-schema.js';
import { accountOf, noWebhook, webhookRoute } from './webhooks.js';

const MOST_FAILED = 100;
/** Each is a row that is written, and again when it is given up once more. */
const EVENTS_A_CALL = 100;

export function registerWebhookDeliveries(app: TypedServer, deps: EventsDeps): void {
  const { store, box } = deps;
  const find = async (request: Parameters<typeof accountOf>[0] & { params: { id: string } }): Promise<Webhook> => {
    const webhook = await findWebhook(store, box, accountOf(request), request.params.id);
    if (!webhook) throw noWebhook();
    return webhook;
  };
  app.post(
    '/events/v1/webhooks/:id/test',
    {
      config: webhookRoute,
      schema: {
        tags,
        summary: 'Send a test to a webhook',
        description:
          'An event of the kind `test` with the number 0, signed as others. The answer says what became of it.',
        params: schema.WebhookParams,
        response: { 200: schema.TestAnswer },
      },
    },
    async (request) => test(deps, await find(request)),
  );
  app.get(
    '/events/v1/webhooks/:id/attempts',
    {
      config: webhookRoute,
      schema: {
        tags,
        summary: 'What became of the latest attempts',
        description: 'And which events were given up. `redeliver` sends those again.',
        params: schema.WebhookParams,
        response: { 200: schema.Attempts },
      },
    },
    async (request) => {
      const { id } = await find(request);
      const [attempts, failed] = await Promise.all([listAttempts(store, id), failedDeliveries(store, id, MOST_FAILED)]);
      return {
        attempts: attempts.map(({ number, at, ...outcome }) => ({
          number: Number(number),
          at: at.toISOString(),
          ...withoutNulls(outcome),
        })),
        failed: failed.map(({ number, kind, at, tries }) => ({
          number: Number(number),
          kind,
          at: at.toISOString(),
          tries,
        })),
      };
    },
  );
  app.post(
    '/events/v1/webhooks/:id/redeliver',
    {
      config: webhookRoute,
      schema: {
        tags,
        summary: 'Send events to a webhook again',
        description:
          'One event that is still kept, or all that were given up. Each further 100 events count as a call.',
        params: schema.WebhookParams,
        body: schema.RedeliverBody,
        response: { 200: schema.RedeliverAnswer },
      },
    },
    async (request) => {
      const webhook = await find(request);
      const { number } = request.body;
      if (number === undefined) await pay(request, await countFailed(store, webhook.id));
      return { events: await redeliver(deps, webhook, number) };
    },
  );
}

async function test({ store, clock, send }: EventsDeps, webhook: Webhook) {
  const at = new Date(clock.now());
  const body = JSON.stringify({ number: 0, kind: 'test', at: at.toISOString(), data: {} });
  const times = { now: at.getTime(), wallNow: at.getTime() - clock.offsetMs };
  const outcome = await send(messageOf(webhook, { number: 0n, body }, times));
  await store.transaction((tx) => addAttempt(tx, webhook.id, attemptOf(0n, at, outcome)));
  return { received: isReceived(outcome), ...outcome };
}

/** @throws AppError RATE_LIMITED where fewer calls are left */
async function pay(request: Pick<FastifyRequest, 'charge'>, events: number): Promise<void> {
  const further = Math.ceil(events / EVENTS_A_CALL) - 1;
  if (further < 1 || (await request.charge(further))?.allowed !== false) return;
  const message = `Too many requests: each ${EVENTS_A_CALL} of these ${events} events count as a call, and fewer are left; wait`;
  throw new AppError('RATE_LIMITED', { message });
}

async function redeliver({ store, clock }: EventsDeps, { id, account }: Webhook, number: number | undefined) {
  const now = new Date(clock.now());
  return store.transaction(async (tx) => {
    await wakeWebhook(tx, id);
    await tx.notify(WEBHOOKS_CHANNEL, '');
    if (number === undefined) return retryFailed(tx, id, now);
    const [event] = await eventsAfter(tx, [{ account, after: BigInt(number) - 1n }], 1);
    if (event?.number !== BigInt(number)) {
      throw new AppError('NOT_FOUND', { message: `There is no event ${number}, or it is no longer kept` });
    }
    await putDeliveries(tx, id, [deliveryOf(event)], now);
    return 1;
  });
}
