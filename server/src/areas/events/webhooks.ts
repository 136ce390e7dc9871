import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError, requireAddress } from '../../errors/index.js';
import { readFilter } from '../../events/filter.js';
import { whyNotUrl } from '../../events/sender.js';
import { uuidv7 } from '../../lib/ids.js';
import type { Guest } from '../../lib/places.js';
import { Turns } from '../../lib/turns.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { newWebhookSecret } from '../../signer/index.js';
import { accountOfKey, accountOfWallet } from '../../store/event-accounts.js';
import { unfollowKinds } from '../../store/events.js';
import {
  changeWebhookSecrets,
  deleteWebhook,
  insertWebhook,
  listWebhooks,
  sealWebhook,
  type Webhook,
  webhookKinds,
} from '../../store/webhooks.js';
import { type EventsDeps, eventsRoute, tags } from './deps.js';
import { follow, mostOfCaller } from './follow.js';
import * as schema from './webhook-schema.js';

const MOST = 20;
/** Of all wallets that have logged in by one key, and of the key itself. */
const MOST_OF_KEY = 1_000;
/** How long the secret before goes on signing. */
const ROTATION_MS = 24 * 60 * 60_000;
/** Each is a signature of each message. */
const MOST_PROMISED = 3;
/** A webhook follows what concerns everybody for as long as it is there. */
const ALWAYS = new Date('9999-01-01T00:00:00Z');
const SIGNED =
  'Each is signed by the Standard Webhooks specification. Whatever answers other than 2xx within 10 seconds is sent again for 24 hours, then it waits for `redeliver`. The same event may come twice: its number tells.';

export const webhookRoute = { ...eventsRoute, errors: { 404: 'There is no webhook with this id' } };
export const noWebhook = () => new AppError('NOT_FOUND', { message: 'There is no webhook with this id' });

/** Whose events the caller may have: the key's, or those of the wallet that has logged in. */
export const accountOf = ({ wallet, apiKey }: Pick<FastifyRequest, 'wallet' | 'apiKey'>): string =>
  wallet === undefined ? accountOfKey(apiKey!.id) : accountOfWallet(wallet);

type Shown = Pick<Webhook, 'id' | 'url' | 'kinds' | 'wallet' | 'createdAt' | 'failures'>;
const shown = ({ id, url, kinds, wallet, createdAt, failures }: Shown): schema.Webhook => ({
  id,
  url,
  ...(kinds !== null && { kinds }),
  ...(wallet !== null && { wallet }),
  createdAt: createdAt.toISOString(),
  failures,
});

export function registerWebhooks(app: TypedServer, deps: EventsDeps): void {
  /** By account and webhook: many at once would only have each other try again. */
  const rotations = new Turns();
  app.post(
    '/events/v1/webhooks',
    {
      config: { ...eventsRoute, errors: { 409: `There are ${MOST} webhooks already` } },
      schema: {
        tags,
        summary: 'Have events posted to a URL',
        description: `The events of your key or, with the token of a login, of that wallet, from now on. ${SIGNED}`,
        body: schema.WebhookBody,
        response: { 200: schema.NewWebhook },
      },
    },
    (request) =>
      addWebhook(deps, { account: accountOf(request), apiKey: request.apiKey!, caller: request.payer! }, request.body),
  );
  app.get(
    '/events/v1/webhooks',
    {
      config: eventsRoute,
      schema: {
        tags,
        summary: 'List your webhooks',
        description: 'Those of your key or, with the token of a login, of that wallet.',
        response: { 200: schema.Webhooks },
      },
    },
    async (request) => ({
      webhooks: (await listWebhooks(deps.store, deps.box, accountOf(request))).map(shown),
    }),
  );
  app.delete(
    '/events/v1/webhooks/:id',
    {
      config: webhookRoute,
      schema: {
        tags,
        summary: 'Delete a webhook',
        description: 'With what has not arrived yet.',
        params: schema.WebhookParams,
        response: { 200: Type.Object({ id: Type.String() }) },
      },
    },
    async (request) => {
      await removeWebhook(deps, accountOf(request), request.params.id);
      return { id: request.params.id };
    },
  );
  app.post(
    '/events/v1/webhooks/:id/rotate-secret',
    {
      config: webhookRoute,
      schema: {
        tags,
        summary: 'Give a webhook a new secret',
        description: 'For 24 hours messages are signed with the old one, too.',
        params: schema.WebhookParams,
        response: { 200: schema.NewSecret },
      },
    },
    (request) => {
      const [account, { id }] = [accountOf(request), request.params];
      return rotations.take(`${account} ${id}`, () => rotateSecret(deps, account, id));
    },
  );
}

async function addWebhook(
  { store, box, clock, allowsPrivate }: EventsDeps,
  { account, apiKey, caller }: { account: string; apiKey: { id: string; tier: string }; caller: Guest },
  body: schema.WebhookBody,
) {
  const { follows } = readFilter(body);
  const refusal = URL.canParse(body.url) ? whyNotUrl(new URL(body.url), allowsPrivate) : 'expected an absolute URL';
  if (refusal !== undefined) {
    throw new AppError('INVALID_REQUEST', { message: `url: ${refusal}`, details: { url: refusal } });
  }
  const secret = newWebhookSecret();
  const webhook = {
    id: uuidv7(clock),
    account,
    apiKey: apiKey.id,
    caller: caller.id,
    url: body.url,
    secrets: [{ secret }],
    kinds: body.kinds ?? null,
    wallet: body.wallet === undefined ? null : requireAddress('wallet', body.wallet),
    createdAt: new Date(clock.now()),
  };
  const sealed = await sealWebhook(box, webhook);
  const ofCaller = mostOfCaller(caller, MOST_OF_KEY);
  const ofAddress = ofCaller < MOST_OF_KEY ? `${ofCaller} of your address, or ` : '';
  await store.transaction(async (tx) => {
    if (!(await insertWebhook(tx, sealed, { ofAccount: MOST, ofCaller, ofKey: MOST_OF_KEY }))) {
      throw new AppError('CONFLICT', {
        message: `There are ${MOST} webhooks already, or ${ofAddress}${MOST_OF_KEY} of all wallets of this key; delete one that you do not need`,
      });
    }
    await follow(tx, { account, apiKey, caller, until: ALWAYS }, follows);
  });
  return { ...shown({ ...webhook, failures: 0 }), secret };
}

async function removeWebhook({ store, clock, keepMs }: EventsDeps, account: string, id: string): Promise<void> {
  await store.transaction(async (tx) => {
    if (!(await deleteWebhook(tx, account, id))) throw noWebhook();
    const left = await webhookKinds(tx, account);
    const followed = left.flatMap((kinds) => readFilter({ kinds: kinds ?? undefined }).follows);
    const gone = readFilter({ kinds: 'score.*,price.*' }).follows.filter((kind) => !followed.includes(kind));
    await unfollowKinds(tx, account, gone, new Date(clock.now() + keepMs));
  });
}

async function rotateSecret({ store, box, clock }: EventsDeps, account: string, id: string) {
  const secret = newWebhookSecret();
  const now = clock.now();
  const until = now + ROTATION_MS;
  const isDone = await changeWebhookSecrets(store, box, { account, id }, ([newest, ...older]) => {
    // Whoever asks again, because the answer was lost, still has one of those from before.
    const promised = older.filter((each) => each.until !== undefined && each.until > now).slice(0, MOST_PROMISED);
    return [{ secret }, { secret: newest!.secret, until }, ...promised];
  });
  if (!isDone) throw noWebhook();
  return { secret, previousUntil: new Date(until).toISOString() };
}
