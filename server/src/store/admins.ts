import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { cached } from '../lib/single-flight.js';
import type { Sql, Tx } from './sql.js';

/** What an admin may do: look; stop, decide and set; make keys; everything, admins included. */
export const ADMIN_ROLES = ['read', 'operate', 'keys', 'all'] as const;
export type AdminRole = (typeof ADMIN_ROLES)[number];

export interface Admin {
  name: string;
  roles: AdminRole[];
  createdAt: Date;
  revokedAt: Date | null;
}

type Sealed = Admin & { hash: Buffer; seal: Buffer };
type Facts = Pick<Sealed, 'name' | 'roles' | 'hash' | 'createdAt'>;

/** How old what is known of admins may be: every copy obeys within this and the time of a statement. */
const KEPT_MS = 250;
const COLUMNS = 'name, roles, hash, seal, created_at as "createdAt", revoked_at as "revokedAt"';

export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();

/** By the token of the configuration, so that a row which somebody else writes into the database is nobody. */
function sealOf({ name, roles, hash, createdAt }: Facts, rootToken: string): Buffer {
  const facts = JSON.stringify([name, roles, hash.toString('hex'), createdAt.getTime()]);
  return createHmac('sha256', rootToken).update(`slipway admin ${facts}`).digest();
}

/** False if there is, or was, one of this name. */
export async function createAdmin(tx: Tx, facts: Facts, rootToken: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into admins (name, hash, roles, seal, created_at) values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [facts.name, facts.hash, facts.roles, sealOf(facts, rootToken), facts.createdAt],
  );
  return rowCount === 1;
}

/** All admins, also those who are none any more. */
export async function listAdmins(sql: Sql): Promise<Sealed[]> {
  return (await sql.query<Sealed>(`select ${COLUMNS} from admins order by created_at, name`)).rows;
}

/** False if there is none of this name, or not any more. */
export async function revokeAdmin(tx: Tx, name: string, at: Date): Promise<boolean> {
  const { rowCount } = await tx.query('update admins set revoked_at = $2 where name = $1 and revoked_at is null', [
    name,
    at,
  ]);
  return rowCount === 1;
}

export interface Admins {
  /** @throws StoreUnavailable */
  byToken(token: string): Promise<Admin | undefined>;
  /** @throws StoreUnavailable */
  byName(name: string): Promise<Admin | undefined>;
}

/** Who is an admin now, besides the holder of `rootToken`. */
export function createAdmins(deps: { store: Sql; rootToken: string; steadyNow: () => number }): Admins {
  const { store, rootToken, steadyNow } = deps;
  const active = cached(
    async () => {
      const all = await listAdmins(store);
      return all.filter((admin) => admin.revokedAt === null && isSame(admin.seal, sealOf(admin, rootToken)));
    },
    KEPT_MS,
    steadyNow,
  );
  return {
    async byToken(token) {
      const hash = tokenHash(token);
      return (await active()).find((admin) => isSame(admin.hash, hash));
    },
    byName: async (name) => (await active()).find((admin) => admin.name === name),
  };
}

const isSame = (one: Uint8Array, other: Uint8Array) => one.length === other.length && timingSafeEqual(one, other);
