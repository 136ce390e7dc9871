import type { Store } from './sql.js';

/** What all instances on one database must agree on, across restarts. */
interface Identity {
  /** The genesis hash of the chain. */
  chain: string;
  /** The address of the gas wallet, which identifies the signer seed. */
  signer: string;
  /** A fork has the genesis hash of the chain that it was made from. */
  mode: 'sandbox' | 'production';
}

const explanations: Record<keyof Identity, string> = {
  chain: 'The database belongs to another chain',
  signer: "The database belongs to another signer file: its keys are not this copy's",
  mode: 'The database belongs to another mode: a sandbox and production never share one',
};

/**
 * Writes the identity, or the part of it that the caller knows, into a new database, or compares it with the stored one.
 * @throws Error with a one-line message if they differ.
 */
export async function assertIdentity(store: Store, identity: Partial<Identity>): Promise<void> {
  await store.transaction(async (tx) => {
    for (const [name, value] of Object.entries(identity) as [keyof Identity, string][]) {
      const { rows } = await tx.query<{ value: string }>(
        `insert into settings as s (key, value) values ($1, to_jsonb($2::text))
         on conflict (key) do update set value = s.value returning value`,
        [`identity.${name}`, value],
      );
      if (rows[0]?.value !== value) {
        throw new Error(
          `${explanations[name]} (there ${rows[0]?.value}, here ${value}); use another database or data folder`,
        );
      }
    }
  });
}
