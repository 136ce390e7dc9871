import { AppError, requireAddress } from '../../errors/index.js';
import { isoTime } from '../../lib/iso-time.js';
import type { TypedServer } from '../../lib/typed-server.js';
import { endedInvites, type InvitePage, type InviteRow, pendingInvites } from '../../store/invite-lists.js';
import type { Sql } from '../../store/sql.js';
import type { SendDeps } from './deps.js';
import { sendRoute, tags } from './deps.js';
import { type Invite, InvitesAnswer, InvitesQuery } from './schema.js';

const PAGE_SIZE = 10;

export function registerListPending(app: TypedServer, deps: SendDeps): void {
  app.get(
    '/send/v1/pending-invites',
    {
      config: sendRoute,
      schema: {
        tags,
        summary: 'Open invites of a sender, the newest first',
        description: 'Invites that can still be claimed, 10 a page.',
        querystring: InvitesQuery,
        response: { 200: InvitesAnswer },
      },
    },
    ({ query }) => listPending(deps, query),
  );
}

export function registerListHistory(app: TypedServer, deps: SendDeps): void {
  app.get(
    '/send/v1/invite-history',
    {
      config: sendRoute,
      schema: {
        tags,
        summary: 'Invites that were claimed, taken back or have expired, of their sender or receiver',
        description:
          '10 a page, the newest first. A row may appear again on a later page while new ones arrive; none is skipped.',
        querystring: InvitesQuery,
        response: { 200: InvitesAnswer },
      },
    },
    ({ query }) => listHistory(deps, query),
  );
}

/** Open invites that the wallet has sent, newest first. */
export function listPending(deps: SendDeps, query: InvitesQuery): Promise<InvitesAnswer> {
  return list(deps, query, pendingInvites);
}

/** Ended invites that the wallet has sent or received, most recently ended first. */
export function listHistory(deps: SendDeps, query: InvitesQuery): Promise<InvitesAnswer> {
  return list(deps, query, endedInvites);
}

async function list(
  { store, index }: SendDeps,
  { address, page = 1 }: InvitesQuery,
  read: (sql: Sql, address: string, page: InvitePage) => Promise<InviteRow[]>,
): Promise<InvitesAnswer> {
  const wallet = requireAddress('address', address);
  await index.fresh();
  const rows = await read(store, wallet, { page, size: PAGE_SIZE });
  return { invites: rows.slice(0, PAGE_SIZE).map(toInvite), hasMoreData: rows.length > PAGE_SIZE };
}

function toInvite(row: InviteRow): Invite {
  return {
    invite_signer: row.inviteSigner,
    invite_pda: row.invitePda,
    sender: row.sender,
    receiver: row.receiver,
    expiry: isoOf(row.expiry),
    amount: row.amount,
    creation_tx: row.creationTx,
    deletion_tx: row.deletionTx,
    action: row.action,
    creation_time: row.creationTime.toISOString(),
    deletion_time: row.deletionTime?.toISOString() ?? null,
    mint: row.mint,
    // The index reads at the commitment "confirmed".
    confirmed: true,
  };
}

/** ISO 8601 of unix seconds. */
export function isoOf(seconds: bigint): string {
  return isoTime(seconds * 1_000n);
}

export function refuse(message: string): AppError {
  return new AppError('INVALID_REQUEST', { message });
}
