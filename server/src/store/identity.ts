import type { Store } from './sql.js';

/** What all instances on one database must agree on, across restarts. */
interface Identity {
  /** The genesis hash of the chain. */
  chain: string;
  /** The address of the gas wallet, which identifies the signer seed: its present one, and those that it had before. */
  signer: string | readonly string[];
  /** The same of the other wallets: a signer file from before their keys were exchanged would bring the old ones back. */
  keeper: string | readonly string[];
  tracker: string | readonly string[];
  /** A fork has the genesis hash of the chain that it was made from. */
  mode: 'sandbox' | 'production';
}

const ELSEWHERE = 'use another database or data folder';
const copyFromBefore = (wallet: string) => `the file is a copy from before its ${wallet} wallet was exchanged`;
const restore = (wallet: string) =>
  `bring its newest copy, or make the same key again with "slipway signer rotate ${wallet}"`;

const explanations: Record<keyof Identity, { what: string; next: string }> = {
  chain: { what: 'The database belongs to another chain', next: ELSEWHERE },
  signer: {
    what: `The database belongs to another signer file: its keys are not this copy's, or ${copyFromBefore('gas')}`,
    next: ELSEWHERE,
  },
  keeper: {
    what: `The signer file is not the one of this database: ${copyFromBefore('keeper')}`,
    next: restore('keeper'),
  },
  tracker: {
    what: `The signer file is not the one of this database: ${copyFromBefore('tracker')}`,
    next: restore('tracker'),
  },
  mode: { what: 'The database belongs to another mode: a sandbox and production never share one', next: ELSEWHERE },
};

/**
 * Writes the identity, or the part of it that the caller knows, into a new database, or compares it with the stored one.
 * @throws Error with a one-line message if they differ.
 */
export async function assertIdentity(store: Store, identity: Partial<Identity>): Promise<void> {
  const parts = (Object.entries(identity) as [keyof Identity, string | readonly string[]][]).map(([name, given]) => {
    const [value, ...before] = typeof given === 'string' ? [given] : given;
    return { name, value, before };
  });
  const keys = parts.map(({ name }) => `identity.${name}`);
  const { rows: stored } = await store.query<{ key: string; value: string }>(
    `select key, value #>> '{}' as value from settings where key = any($1)`,
    [keys],
  );
  const known = new Map(stored.map(({ key, value }) => [key, value]));
  // As at every start but the first one, and those after an exchange of keys.
  if (parts.every(({ value }, index) => known.get(keys[index]!) === value)) return;
  await store.transaction(async (tx) => {
    for (const { name, value, before } of parts) {
      const { rows } = await tx.query<{ value: string }>(
        `insert into settings as s (key, value) values ($1, to_jsonb($2::text))
         on conflict (key) do update set value = case when s.value #>> '{}' = any($3::text[]) then excluded.value else s.value end
         returning value`,
        [`identity.${name}`, value, before],
      );
      if (rows[0]?.value !== value) {
        const { what, next } = explanations[name];
        throw new Error(`${what} (there ${rows[0]?.value}, here ${value}); ${next}`);
      }
    }
  });
}
