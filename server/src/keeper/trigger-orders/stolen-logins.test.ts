import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Address, base58Encode, generateKeypair, type Keypair, sign } from '@slipway/wire';
import { AppError } from '../../errors/index.js';
import { AMOUNT, openTriggerWorld } from './testing.js';

const MINUTE_MS = 60_000;
type World = Awaited<ReturnType<typeof openTriggerWorld>>;
type Client = ReturnType<World['newClient']>;
type Edit = Parameters<Client['edit']>[2];
type Owned = Awaited<ReturnType<World['deposit']>>;

describe('attack: a thief of a login edits orders to give them away; without the wallet he gets them to accept 20 % at most', () => {
  let world: World;
  let client: Client;
  before(async () => {
    world = await openTriggerWorld();
    client = world.newClient();
  });
  after(() => world?.close());

  /** The pool pays a quarter less than what the prices say. */
  const poor = () => {
    world.setPrice(world.sold.mint, 4 / 3);
    world.setPrice(world.bought.mint, 1);
  };
  const left = async ({ id }: Owned) => world.world.amount((await world.rowOf(id)).inputAccount as Address);
  const edit = ({ wallet, id }: Owned, body: Omit<Edit, 'orderType'>) =>
    client.edit(wallet.address, id, { orderType: 'single', ...body });

  async function untilNothingFires(): Promise<void> {
    const keeper = await world.newKeeper();
    for (let turn = 1; turn <= 3; turn++) {
      poor();
      await keeper.runDue();
      world.clock.setOffset(world.clock.offsetMs + 6 * MINUTE_MS);
    }
    poor();
    await keeper.close();
  }

  /** Refused, with what to sign instead. */
  async function asked(order: Owned, body: Omit<Edit, 'orderType'>): Promise<{ sign: string; signedAt: number }> {
    const error: unknown = await edit(order, body).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof AppError, 'it was edited');
    assert.deepEqual([error.code, error.status], ['FORBIDDEN', 403]);
    return error.details as { sign: string; signedAt: number };
  }

  const signedBy = (wallet: Keypair, text: string) => base58Encode(sign(wallet, new TextEncoder().encode(text)));
  const waiting = { triggerPriceUsd: 1_000_000, slippageBps: 100 };

  it('by more slippage and a trigger that has come: nothing is sold, until the owner signs it', async () => {
    poor();
    const order = await world.deposit(client, waiting);
    const giveAway = { triggerPriceUsd: 0.000_001, slippageBps: 10_000 };
    for (const body of [giveAway, { slippageBps: 2_001 }, { ...waiting, slippageBps: 9_999 }]) await asked(order, body);
    await untilNothingFires();
    assert.equal(await left(order), AMOUNT);
    const text = await asked(order, giveAway);
    assert.match(text.sign, new RegExp(`^Change my order ${order.id} at localhost`));
    assert.match(
      text.sign,
      /\ntriggerPriceUsd: 1000000 -> 0\.000001\nslippageBps: 100 -> 10000\nexpiresAt: \S+, as before\nSigned at /,
    );
    await edit(order, { ...giveAway, signature: signedBy(order.wallet, text.sign), signedAt: text.signedAt });
    await untilNothingFires();
    assert.equal(await left(order), 0n);
    assert.ok((await world.held(order.wallet.address)) > (AMOUNT * 9n) / 10n, 'and gets what the pool pays');
  });

  it('within the bound, and the order fires: it is sold for no less than that, so here not at all', async () => {
    poor();
    const order = await world.deposit(client, waiting);
    await edit(order, { triggerPriceUsd: 0.5, slippageBps: 2_000 });
    await untilNothingFires();
    assert.equal(await left(order), AMOUNT);
    await client.withdraw(order.wallet, order.id);
    assert.equal(await world.held(order.wallet.address, world.sold), AMOUNT);
  });

  it('of an order that accepts more: its trigger is not moved, however little, and its slippage only narrows', async () => {
    poor();
    const order = await world.deposit(client, { ...waiting, slippageBps: 6_000 });
    for (const triggerPriceUsd of [0.5, 1.334, 999_999]) await asked(order, { triggerPriceUsd });
    await asked(order, { slippageBps: 6_001 });
    await untilNothingFires();
    assert.equal(await left(order), AMOUNT);
    await edit(order, { slippageBps: 5_000, expiresAt: world.clock.now() + 60 * MINUTE_MS });
    await edit(order, { triggerPriceUsd: 900_000, slippageBps: 50 });
  });

  it('by a trigger that is moved between the text that the owner signs for more slippage and its post', async () => {
    poor();
    const order = await world.deposit(client, waiting);
    const wanted = { slippageBps: 9_000 };
    const { sign: text, signedAt } = await asked(order, wanted);
    const signature = signedBy(order.wallet, text);
    await edit(order, { triggerPriceUsd: 0.5 });
    await asked(order, { ...wanted, signature, signedAt });
    await untilNothingFires();
    assert.equal(await left(order), AMOUNT);
    assert.equal((await world.rowOf(order.id)).slippageBps, 100);
  });

  it('with a signature of another wallet, for another order, for other terms, or of long ago', async () => {
    poor();
    const [order, other] = [await world.deposit(client, waiting), await world.deposit(client, waiting)];
    const wanted = { slippageBps: 9_000 };
    const { sign: text, signedAt } = await asked(order, wanted);
    const signature = signedBy(order.wallet, text);
    await asked(order, { ...wanted, signature: signedBy(generateKeypair(), text), signedAt });
    await asked(order, { ...wanted, signature: signature.slice(1), signedAt });
    await asked(order, { ...wanted, signature });
    await asked(order, { slippageBps: 9_001, signature, signedAt });
    await asked(order, { ...wanted, triggerPriceUsd: 1, signature, signedAt });
    await asked(order, { ...wanted, signature, signedAt: signedAt + 1 });
    await asked(other, { ...wanted, signature, signedAt });
    world.clock.setOffset(world.clock.offsetMs + 6 * MINUTE_MS);
    poor();
    await assert.rejects(edit(order, { ...wanted, signature, signedAt }), /signedAt: must be within five minutes/);
    assert.deepEqual(
      [(await world.rowOf(order.id)).slippageBps, (await world.rowOf(other.id)).slippageBps],
      [100, 100],
    );
  });
});
