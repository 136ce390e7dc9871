import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { generateKeypair } from '@slipway/wire';
import { type Fleet, startFleet } from './fleet.js';
import {
  type Created,
  cancel,
  confirm,
  create,
  deposit,
  feeOf,
  lamportsOf,
  newUser,
  orderBody,
  post,
  RENT,
  refuses,
  rowOf,
  type User,
} from './trigger-user.js';
import { asWallet, challengeOf, postVerify, signText } from './trigger-wallet.js';

describe('copies of the service on one PostgreSQL and one chain', () => {
  let fleet: Fleet;
  before(async () => {
    fleet = await startFleet(['api', 'api', 'api,keeper']);
  });
  after(() => fleet?.close());

  const copy = (index: number) => fleet.copies[index % fleet.copies.length]!;
  /** The same user, who talks to another copy. */
  const at = (user: User, index: number): User => ({ ...user, service: copy(index) });

  it('take a login that another copy has asked for, once, and its token everywhere', async () => {
    const wallet = generateKeypair();
    const text = (await challengeOf(copy(0), wallet.address)).body.challenge!;
    const body = { type: 'message', walletPubkey: wallet.address, signature: signText(wallet, text) };
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => postVerify(copy(index), body)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(11).fill(400)]);
    const { token } = answers.find(({ status }) => status === 200)!.body;
    const vaults = await Promise.all(
      Array.from({ length: 12 }, (_, index) => asWallet(copy(index), token, '/vault/register')),
    );
    assert.deepEqual(vaults.map(({ status }) => status).sort(), [200, ...Array(11).fill(409)]);
    assert.equal(new Set(vaults.map(({ body: vault }) => JSON.stringify(vault.details ?? vault))).size, 1);
  });

  it('make one order of one deposit, however many creates race on all of them', async () => {
    const user = await newUser(copy(0));
    const before = await lamportsOf(copy(0), user.wallet.address);
    const body = orderBody(user, await deposit(at(user, 1)));
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => post<Created>(at(user, index), '/orders/price', body)),
    );
    const made = answers.filter(({ status }) => status === 200);
    assert.ok(made.length >= 1);
    assert.equal(new Set(made.map((answer) => answer.body.id)).size, 1);
    for (const answer of answers) if (answer.status !== 200) refuses(answer, 400, /[Dd]uplicate deposit/);
    const spent = before - (await lamportsOf(copy(0), user.wallet.address));
    assert.equal(spent, 1_000_000_000n + RENT + (await feeOf(copy(0), made[0]!.body.txSignature)));
    for (const [index] of fleet.copies.entries()) {
      assert.equal((await rowOf(at(user, index), made[0]!.body.id)).orderState, 'open');
    }
  });

  it('withdraw an order once, though it is cancelled and confirmed on all of them', async () => {
    const user = await newUser(copy(1));
    const before = await lamportsOf(copy(1), user.wallet.address);
    const { id, txSignature } = await create(at(user, 2), await deposit(user));
    const withdrawals = await Promise.all(fleet.copies.map((_, index) => cancel(at(user, index), id)));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => confirm(at(user, index), id, withdrawals[index % 2]!)),
    );
    const signatures = new Set(answers.flatMap(({ status, body }) => (status === 200 ? [body.txSignature] : [])));
    assert.ok(signatures.size >= 1);
    assert.equal((await rowOf(user, id)).rawState, 'cancelled');
    // A second withdrawal that was sent at the same moment costs its fee, and moves nothing.
    const spent = before - (await lamportsOf(copy(1), user.wallet.address));
    const withdrawalFee = await feeOf(copy(1), [...signatures][0]!);
    const fees = (await feeOf(copy(1), txSignature)) + withdrawalFee;
    assert.ok(spent === fees || spent === fees + withdrawalFee, `${spent} lamports for ${fees} of fees`);
  });
});
