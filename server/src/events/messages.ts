import { signWebhook } from '../signer/index.js';
import type { EventRow } from '../store/events.js';
import type { Delivery, WebhookAttempt } from '../store/webhook-deliveries.js';
import type { Webhook } from '../store/webhooks.js';
import type { Message, Outcome } from './sender.js';
import { eventText } from './text.js';

export const deliveryOf = (event: EventRow): Delivery => ({
  number: event.number,
  kind: event.kind,
  at: event.toldAt,
  body: eventText(event),
  tries: 0,
});

/**
 * A message of a webhook, signed with each secret that has not ended. `now`: Unix milliseconds; `wallNow`: the same where
 * the receiver is, whose clock no sandbox moves.
 */
export function messageOf(
  { id, url, secrets }: Pick<Webhook, 'id' | 'url' | 'secrets'>,
  { number, body }: Pick<Delivery, 'number' | 'body'>,
  { now, wallNow }: { now: number; wallNow: number },
): Message {
  const valid = secrets.filter(({ until }) => until === undefined || until > now).map(({ secret }) => secret);
  const signed = signWebhook(valid, { id: `${id}_${number}`, at: wallNow, body });
  return { url, body, headers: { 'content-type': 'application/json', 'user-agent': 'slipway', ...signed } };
}

export const attemptOf = (number: bigint, at: Date, { status, error, milliseconds }: Outcome): WebhookAttempt => ({
  number,
  at,
  status: status ?? null,
  error: error ?? null,
  milliseconds,
});
