import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Address, generateKeypair, type Keypair, sign } from '@slipway/wire';
import { TEST_WORDS } from '../../areas/trigger-v2/testing.js';
import { uuidv7 } from '../../lib/ids.js';
import { PATIENCE_MS } from '../../lib/testing.js';
import {
  CHALLENGE_MS,
  challengeText,
  connectSigner,
  type KeyPort,
  type RemoteSigner,
  type SealRequest,
  SignerRefused,
} from '../../signer/index.js';
import { listenForCallers } from '../../signer/process/listen.js';
import type { TriggerOrderRow } from '../../store/trigger-orders.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const MINUTE_MS = 60_000;
const NEVER = { triggerCondition: 'above', triggerPriceUsd: 1_000_000, slippageBps: 100 } as const;
/** It fires at once, and takes what it gets. */
const GIVEN_AWAY = { triggerPriceUsd: 0.000_001, slippageBps: 10_000 };

describe('attack: a copy that was broken into has orders sealed so that they fire, with the database and its socket of the signer; not a unit is sold', () => {
  let world: Awaited<ReturnType<typeof openTriggerWorld>>;
  let client: ReturnType<typeof world.newClient>;
  let folder: string;
  let api: RemoteSigner;
  const closing: (() => unknown)[] = [];
  before(async () => {
    world = await openTriggerWorld();
    client = world.newClient();
    folder = mkdtempSync(join(tmpdir(), 'slipway-copy-'));
    const path = join(folder, 'api.sock');
    const callers = [{ name: 'api', roles: ['api' as const], socket: { path, mode: 0o600 } }];
    const port = world.signer as unknown as KeyPort;
    const listening = await listenForCallers(
      { callers, tls: undefined },
      () => port,
      () => {},
    );
    api = await connectSigner({ endpoint: { path }, name: 'api', patienceMs: PATIENCE_MS });
    closing.push(
      () => api.close(),
      () => listening.close(),
    );
  });
  after(async () => {
    for (const close of closing) await close();
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  type Deposited = Awaited<ReturnType<typeof world.deposit>>;
  const left = async ({ id }: Deposited) => world.world.amount((await world.rowOf(id)).inputAccount as Address);

  /** As the copy asks for it, with what this wallet signs. */
  function logIn(wallet: Address, by: Keypair): Promise<string> {
    const expiresAt = new Date(world.clock.now() + CHALLENGE_MS);
    const challenge = challengeText(TEST_WORDS.challengePrefix(), { wallet, id: uuidv7(world.clock), expiresAt });
    const proof = { message: { challenge, signature: sign(by, Buffer.from(challenge)) } };
    return api.issueLogin({ wallet, proof, notBefore: 0 });
  }

  async function depositOf({ depositRequestId }: TriggerOrderRow): Promise<Uint8Array> {
    const { rows } = await world.store.query<{ wire: Uint8Array }>('select wire from ledger where id = $1', [
      depositRequestId,
    ]);
    return rows[0]!.wire;
  }

  /** Asks for the seal, writes the terms all the same, and gives the keeper time: the wallet gets everything back. */
  async function assertKept(victim: Deposited, request: (row: TriggerOrderRow) => Promise<SealRequest>, why: RegExp) {
    const row = await world.rowOf(victim.id);
    await assert.rejects(api.sealOrder(await request(row)), (error: Error) => {
      assert.ok(error instanceof SignerRefused, error.stack);
      assert.match(error.reason, why);
      return true;
    });
    const { triggerPriceUsd, slippageBps } = GIVEN_AWAY;
    await world.store.single((tx) =>
      tx.query('update orders set trigger_price_usd = $2, slippage_bps = $3 where id = $1', [
        victim.id,
        triggerPriceUsd,
        slippageBps,
      ]),
    );
    const keeper = await world.newKeeper();
    for (let turn = 1; turn <= 2; turn++) {
      await keeper.runDue();
      world.clock.setOffset(world.clock.offsetMs + MINUTE_MS);
      for (const { mint } of [world.sold, world.bought]) world.setPrice(mint, 1);
    }
    await keeper.close();
    assert.equal(await left(victim), AMOUNT, 'nothing is sold');
    await client.withdraw(victim.wallet, victim.id);
    assert.equal(await world.held(victim.wallet.address, world.sold), AMOUNT);
  }

  it('by a login for the victim, which the attacker cannot have: no signature, no login', async () => {
    const victim = await world.deposit(client, NEVER);
    await assert.rejects(logIn(victim.wallet.address, generateKeypair()), /has not signed this challenge/);
    const token = 'eyJhbGciOiJub25lIn0.e30.AA';
    const seal = async (row: TriggerOrderRow) => ({
      token,
      order: { ...row, ...GIVEN_AWAY },
      proof: { edit: { before: row, consent: undefined } },
    });
    await assertKept(victim, seal, /login is none/);
  });

  it("by a login of the attacker's own wallet", async () => {
    const [victim, own] = [await world.deposit(client, NEVER), generateKeypair()];
    const token = await logIn(own.address, own);
    const seal = async (row: TriggerOrderRow) => ({
      token,
      order: { ...row, ...GIVEN_AWAY },
      proof: { deposit: await depositOf(row) },
    });
    await assertKept(victim, seal, /another wallet/);
  });

  it('by a login that the victim has used at this copy, as an edit', async () => {
    const victim = await world.deposit(client, NEVER);
    const { token } = await client.logIn(victim.wallet.address);
    const seal = async (row: TriggerOrderRow) => ({
      token,
      order: { ...row, ...GIVEN_AWAY },
      proof: { edit: { before: row, consent: undefined } },
    });
    await assertKept(victim, seal, /must sign this change/);
  });

  it('by that login, and the deposit that the victim has signed for it some time ago', async () => {
    const victim = await world.deposit(client, NEVER);
    world.clock.setOffset(world.clock.offsetMs + 12 * MINUTE_MS);
    const { token } = await client.logIn(victim.wallet.address);
    const seal = async (row: TriggerOrderRow) => ({
      token,
      order: { ...row, ...GIVEN_AWAY },
      proof: { deposit: await depositOf(row) },
    });
    await assertKept(victim, seal, /not crafted a moment ago/);
  });

  it('while an edit of the victim is sealed, and fires by its terms', async () => {
    const victim = await world.deposit(client, NEVER);
    const { token } = await client.logIn(victim.wallet.address);
    const row = await world.rowOf(victim.id);
    const order = { ...row, triggerPriceUsd: 0.9 };
    const seal = await api.sealOrder({ token, order, proof: { edit: { before: row, consent: undefined } } });
    await world.store.single((tx) =>
      tx.query('update orders set trigger_price_usd = $2, seal = $3 where id = $1', [victim.id, 0.9, seal]),
    );
    for (const { mint } of [world.sold, world.bought]) world.setPrice(mint, 1);
    const keeper = await world.newKeeper();
    await keeper.runDue();
    await keeper.close();
    assert.equal(await left(victim), 0n);
    assert.ok((await world.held(victim.wallet.address)) > (AMOUNT * 9n) / 10n);
  });
});
