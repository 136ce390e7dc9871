import { leaseEnd } from './leases.js';
import type { Sql, Tx } from './sql.js';

/** Encrypts and opens texts, each for its own row; see the signer's secret box. */
export interface TextBox {
  seal(text: string, place: string): Promise<Uint8Array>;
  open(sealed: Uint8Array, place: string): Promise<string | undefined>;
}

/** One that signs; `until`, in Unix milliseconds, is the end of one that another has replaced. */
export interface WebhookSecret {
  secret: string;
  until?: number;
}

/** Where an account has its events sent. */
export interface Webhook {
  id: string;
  account: string;
  url: string;
  /** The newest first. */
  secrets: readonly WebhookSecret[];
  /** As in the query of a stream. */
  kinds: string | null;
  wallet: string | null;
  createdAt: Date;
  /** The number of the last event that was tried, or was not wanted. */
  last: bigint;
  /** Names the key that it was added by; one from before keys were noted stands for itself. */
  addedBy: string;
  /** How often in a row the receiver was away, and until when all rests; with 0, only what is tried again does. */
  failures: number;
  restUntil: Date | null;
}

interface Sealed {
  urlSealed: Uint8Array;
  secretsSealed: Uint8Array;
}

/** A webhook as it is stored. */
export type SealedWebhook = Omit<Webhook, 'url' | 'secrets'> & Sealed;

/** Columns of `webhooks w`: who has added it, and all of `SealedWebhook`. */
export const ADDED_BY = `coalesce(w.api_key, w.account)`;
export const COLUMNS = `w.id, w.account, w.url_sealed as "urlSealed", w.secrets_sealed as "secretsSealed", w.kinds, w.wallet,
  w.created_at as "createdAt", w.last, ${ADDED_BY} as "addedBy", w.failures, w.rest_until as "restUntil"`;

const placeOf = (column: 'url' | 'secrets', id: string): string => `webhooks.${column} of ${id}`;

/** Undefined where the row does not hold what this service has written for it. */
async function opened(box: TextBox, { urlSealed, secretsSealed, ...row }: SealedWebhook): Promise<Webhook | undefined> {
  const [url, secrets] = await Promise.all([
    box.open(urlSealed, placeOf('url', row.id)),
    box.open(secretsSealed, placeOf('secrets', row.id)),
  ]);
  return url === undefined || secrets === undefined
    ? undefined
    : { ...row, url, secrets: JSON.parse(secrets) as WebhookSecret[] };
}

/** Those that this service has written, in their order. */
export async function openWebhooks(box: TextBox, rows: readonly SealedWebhook[]): Promise<Webhook[]> {
  const webhooks = await Promise.all(rows.map((row) => opened(box, row)));
  return webhooks.filter((webhook) => webhook !== undefined);
}

/** Encrypts what is stored of the webhooks with another box. What does not open is left as it is: it never will. */
export async function resealWebhooks(tx: Tx, from: TextBox, to: TextBox): Promise<void> {
  const { rows } = await tx.query<SealedWebhook>(`select ${COLUMNS} from webhooks w`);
  for (const { id, url, secrets } of await openWebhooks(from, rows)) {
    const [urlSealed, secretsSealed] = [await to.seal(url, placeOf('url', id)), await sealSecrets(to, id, secrets)];
    await tx.query('update webhooks set url_sealed = $2, secrets_sealed = $3 where id = $1', [
      id,
      urlSealed,
      secretsSealed,
    ]);
  }
}

type NewWebhook = Pick<Webhook, 'id' | 'account' | 'url' | 'secrets' | 'kinds' | 'wallet' | 'createdAt'> & {
  /** The id of the key that it is added by. */
  apiKey: string;
  /** Who calls by that key: it itself or, where it stands in pages, one address. */
  caller: string;
};

/** The most webhooks: of an account, of all accounts that one caller has added any for, and of all that one key has. */
interface MostWebhooks {
  ofAccount: number;
  ofCaller: number;
  ofKey: number;
}

/** What is stored of a new webhook. */
export async function sealWebhook(
  box: TextBox,
  { url, secrets, ...row }: NewWebhook,
): Promise<Omit<NewWebhook, 'url' | 'secrets'> & Sealed> {
  const [urlSealed, secretsSealed] = await Promise.all([
    box.seal(url, placeOf('url', row.id)),
    sealSecrets(box, row.id, secrets),
  ]);
  return { ...row, urlSealed, secretsSealed };
}

function sealSecrets(box: TextBox, id: string, secrets: readonly WebhookSecret[]): Promise<Uint8Array> {
  return box.seal(JSON.stringify(secrets), placeOf('secrets', id));
}

/** Adds a webhook that gets what happens from now on, and waits for its turn from now on. False where there are as many already. */
export async function insertWebhook(
  tx: Tx,
  webhook: Awaited<ReturnType<typeof sealWebhook>>,
  most: MostWebhooks,
): Promise<boolean> {
  const { id, account, urlSealed, secretsSealed, kinds, wallet, createdAt, apiKey, caller } = webhook;
  for (const name of [account, `key ${apiKey}`])
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('webhooks of ' || $1, 0))`, [name]);
  const { rowCount } = await tx.query(
    `insert into webhooks (id, account, url_sealed, secrets_sealed, kinds, wallet, created_at, api_key, caller, last, lease_until)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, coalesce((select last from event_accounts where account = $2), 0),
       ${leaseEnd(0)}
     where (select count(*) from webhooks where account = $2) < $10
       and (select count(*) from webhooks where caller = $9) < $11
       and (select count(*) from webhooks where api_key = $8) < $12`,
    [
      ...[id, account, urlSealed, secretsSealed, kinds, wallet, createdAt, apiKey, caller],
      ...[most.ofAccount, most.ofCaller, most.ofKey],
    ],
  );
  return rowCount === 1;
}

/** The webhooks of an account, oldest first. */
export async function listWebhooks(sql: Sql, box: TextBox, account: string): Promise<Webhook[]> {
  const { rows } = await sql.query<SealedWebhook>(
    `select ${COLUMNS} from webhooks w where account = $1 order by created_at, id`,
    [account],
  );
  return openWebhooks(box, rows);
}

/** Which kinds of events the webhooks of an account want, each as in the query of a stream. */
export async function webhookKinds(sql: Sql, account: string): Promise<(string | null)[]> {
  const { rows } = await sql.query<{ kinds: string | null }>('select kinds from webhooks where account = $1', [
    account,
  ]);
  return rows.map(({ kinds }) => kinds);
}

/** The webhooks of all accounts, the newest first. */
export async function listAllWebhooks(sql: Sql, box: TextBox, limit: number): Promise<Webhook[]> {
  const { rows } = await sql.query<SealedWebhook>(
    `select ${COLUMNS} from webhooks w order by created_at desc, id limit $1`,
    [limit],
  );
  return openWebhooks(box, rows);
}

/** Undefined where the account has no such webhook. */
export async function findWebhook(sql: Sql, box: TextBox, account: string, id: string): Promise<Webhook | undefined> {
  const row = await findSealed(sql, account, id);
  return row && opened(box, row);
}

async function findSealed(sql: Sql, account: string, id: string): Promise<SealedWebhook | undefined> {
  const { rows } = await sql.query<SealedWebhook>(`select ${COLUMNS} from webhooks w where account = $1 and id = $2`, [
    account,
    id,
  ]);
  return rows[0];
}

/** False where the account has no such webhook. */
export async function deleteWebhook(tx: Tx, account: string, id: string): Promise<boolean> {
  return (await tx.query('delete from webhooks where account = $1 and id = $2', [account, id])).rowCount === 1;
}

/**
 * Replaces the secrets by what `change` makes of them. Where another call does the same meanwhile, it is done after that one,
 * so that neither's secret is lost. False where the account has no such webhook.
 */
export async function changeWebhookSecrets(
  sql: Sql,
  box: TextBox,
  { account, id }: Pick<Webhook, 'account' | 'id'>,
  change: (secrets: readonly WebhookSecret[]) => readonly WebhookSecret[],
): Promise<boolean> {
  for (;;) {
    const row = await findSealed(sql, account, id);
    const webhook = row && (await opened(box, row));
    if (!webhook) return false;
    const sealed = await sealSecrets(box, id, change(webhook.secrets));
    const { rowCount } = await sql.query(
      'update webhooks set secrets_sealed = $2 where id = $1 and secrets_sealed = $3',
      [...[id, sealed, row.secretsSealed]],
    );
    if (rowCount === 1) return true;
  }
}
