import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createDisposal } from '../lib/disposal.js';
import { openSigner, ROTATION_STEPS, WALLET_ROLES } from '../signer/index.js';
import { deriveCheaply } from '../signer/testing.js';
import type { Store } from '../store/sql.js';
import { openAnyStore } from '../store/testing.js';
import { keepIdentity } from './identity.js';

const log = pino({ level: 'silent' });
const place = { chain: 'genesis', mode: 'production' } as const;
const open = (file: string) => openSigner({ file, passphrase: 'the passphrase of the test', create: true });

async function start(t: TestContext, store: Store, signer: Awaited<ReturnType<typeof open>>): Promise<void> {
  const disposal = createDisposal();
  t.after(() => disposal.close(() => {}));
  await keepIdentity({ store, signer, log, disposal }, place);
}

async function isWritten(store: Store, address: string): Promise<boolean> {
  const { rows } = await store.query<{ value: unknown }>(`select value from settings where key like 'identity.%'`);
  return rows.some(({ value }) => value === address);
}

describe('attack: an operator by mistake brings back a signer file from before the key of a wallet was exchanged: no copy starts with the old key', () => {
  before(() => deriveCheaply());

  for (const role of WALLET_ROLES)
    it(`that of the ${role} wallet, though nothing was restarted since the exchange`, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'slipway-identity-'));
      t.after(() => rmSync(folder, { recursive: true }));
      const store = await openAnyStore();
      t.after(() => store.close());
      const file = join(folder, 'signer.json');
      const running = await open(file);
      copyFileSync(file, join(folder, 'old.json'));
      await start(t, store, running);
      const first = running.address(role);
      for (const step of ROTATION_STEPS) await running.rotate(role, step);
      for (let looks = 0; looks < 1_000 && !(await isWritten(store, running.address(role))); looks++) await sleep(20);

      const old = await open(join(folder, 'old.json'));
      assert.equal(old.address(role), first);
      await assert.rejects(start(t, store, old), new RegExp(`a copy from before its ${role} wallet was exchanged`));
      await start(t, store, await open(file));
      // As the message says: the next key is the same one.
      for (const step of ROTATION_STEPS) await old.rotate(role, step);
      await start(t, store, old);
    });
});
