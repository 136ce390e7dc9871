import { join } from 'node:path';
import { INVITE_PROGRAM } from '@slipway/programs';
import { type Address, generateKeypair } from '@slipway/wire';
import type { PlacedInviteEvent } from '../../server/dist/store/invite-events.js';
import { extendInviteLists } from '../../server/dist/store/invite-lists.js';
import { beginInviteIndex } from '../../server/dist/store/invites.js';
import { openStore } from '../../server/dist/store/postgres/open-store.js';
import type { Store } from '../../server/dist/store/sql.js';
import { putLoad, type Round } from './load.js';
import type { Rig } from './processes.js';
import { call, startService } from './service.js';
import { startBare, startDatabase, TARGETS, type TargetName } from './targets.js';

const CONNECTIONS = 4;
const WARM_UP_SECONDS = 2;
/** Of one wallet. */
export const INVITES = 100_000;
const LAST_PAGE = INVITES / 10;
const BATCH = 5_000;

export const READS = ['score', 'history', 'history-last', 'pending', 'pending-last'] as const;
export type ReadName = (typeof READS)[number];
export type ReadRounds = Record<ReadName, Record<TargetName, Round[]>>;

/** Who has sent invites that have all ended, and who some that are all open. */
const WALLETS = { ended: generateKeypair().address, open: generateKeypair().address };

const PATHS: Record<ReadName, string> = {
  score: '/prediction/v1/events/SIM-1/score',
  history: `/send/v1/invite-history?address=${WALLETS.ended}`,
  'history-last': `/send/v1/invite-history?address=${WALLETS.ended}&page=${LAST_PAGE}`,
  pending: `/send/v1/pending-invites?address=${WALLETS.open}`,
  'pending-last': `/send/v1/pending-invites?address=${WALLETS.open}&page=${LAST_PAGE}`,
};
/** What an answer that holds something says. */
const EXPECTED: Record<ReadName, string> = {
  score: '"eventId":"SIM-1"',
  history: '"hasMoreData":true',
  'history-last': '"amount":"1000000"',
  pending: '"hasMoreData":true',
  'pending-last': '"amount":"1000000"',
};

/** Reads scores and pages of invites on each kind of database, and the bare route, turn by turn. */
export async function measureReads(
  rig: Rig,
  { seconds, rounds }: { seconds: number; rounds: number },
): Promise<ReadRounds> {
  const folder = rig.folder();
  const databaseUrl = await startDatabase(rig);
  const lists = [{ count: INVITES, ...WALLETS }];
  await fillInvites(await openStore({ kind: 'embedded', dir: join(folder, 'database') }), lists);
  await fillInvites(await openStore({ kind: 'postgres', url: databaseUrl }), lists);
  const services = {
    pglite: await startService(rig, folder),
    postgres: await startService(rig, rig.folder(), { DATABASE_URL: databaseUrl }),
  };
  const figures = {} as ReadRounds;
  const bare = {} as Record<ReadName, string>;
  for (const name of READS) {
    bare[name] = await startBare(rig, 'GET', PATHS[name], await call(services.pglite, PATHS[name]));
    figures[name] = { bare: [], pglite: [], postgres: [] };
  }
  const { pglite, postgres } = services;
  // All of them within each round: the first and the last page are compared, too.
  for (let round = 0; round <= rounds; round++) {
    const warmUp = round === 0;
    for (const name of READS) {
      const urls = { bare: bare[name], pglite: pglite.url, postgres: postgres.url };
      const requests = [{ path: PATHS[name] }];
      for (const target of TARGETS) {
        const measured = await putLoad({
          url: urls[target],
          connections: CONNECTIONS,
          requests,
          expect: EXPECTED[name],
          seconds: warmUp ? WARM_UP_SECONDS : seconds,
        });
        if (!warmUp) figures[name][target].push(measured);
      }
    }
  }
  return figures;
}

/** None of them is news, so none is told. */
const AFTER_ALL = new Date(8.64e15);

/** Lists of so many invites each: those of one wallet have ended, those of the other are open. */
interface InviteLists {
  count: number;
  ended: Address;
  open: Address;
}

/** Writes the invites as the index does when it has read them from a chain, and closes the store. */
export async function fillInvites(store: Store, lists: readonly InviteLists[]): Promise<void> {
  await store.transaction((tx) => beginInviteIndex(tx, INVITE_PROGRAM));
  let first = 0;
  for (const { count, ended, open } of lists) {
    for (let from = 0; from < count; from += BATCH) {
      const numbers = Array.from({ length: Math.min(BATCH, count - from) }, (_, index) => first + from + index);
      const events = numbers.flatMap((number) => [
        made(`ended ${number}`, ended, number),
        taken(`ended ${number}`, number),
        made(`open ${number}`, open, number),
      ]);
      await store.transaction((tx) => extendInviteLists(tx, events, AFTER_ALL));
    }
    first += count;
  }
  for (const table of ['invites', 'invite_history', 'invite_addresses', 'invite_blocks']) {
    await store.query(`vacuum analyze ${table}`);
  }
  await store.close();
}

const place = (number: number) => ({
  slot: BigInt(number),
  position: 0n,
  number: 0,
  txId: `${number}`.padEnd(88, 'x'),
});
const AT = new Date('2026-03-15T12:00:00Z');

function made(invitePda: string, sender: Address, number: number): PlacedInviteEvent {
  return {
    ...place(number),
    at: AT,
    event: {
      kind: 'created',
      invitePda,
      inviteSigner: WALLETS.open,
      sender,
      mint: null,
      tokenProgram: null,
      amount: `${1_000_000 + number}`,
      expiry: '4000000000',
    },
  };
}

function taken(invitePda: string, number: number): PlacedInviteEvent {
  return { ...place(number), at: AT, event: { kind: 'claimed', invitePda, receiver: WALLETS.open } };
}
