import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChainUnavailable, type Rpc } from '../chain/rpc.js';
import { whyNotFinal } from './finality.js';

type Status = { slot: number; err: unknown; confirmationStatus: string } | null | 'away';

/** A node that says this of every transaction, and whose history begins at this slot. */
function node(name: string, status: Status, since = 0): Rpc {
  return {
    name,
    async call<T>(method: string): Promise<T> {
      if (status === 'away') throw new ChainUnavailable(`${name} is away`);
      if (method === 'getFirstAvailableBlock') return since as T;
      return { context: { slot: 500 }, value: [status] } as T;
    },
  };
}
const said = (confirmationStatus: string, err: unknown = null) => ({ slot: 400, err, confirmationStatus });
const FINAL = said('finalized');

describe('a payment', () => {
  it('is final when the node calls it finalized, and no other one says otherwise', async () => {
    assert.equal(await whyNotFinal([node('one', FINAL)], 'paid'), undefined);
    assert.equal(await whyNotFinal([node('one', FINAL), node('two', FINAL)], 'paid'), undefined);
    assert.equal(await whyNotFinal([node('one', FINAL), node('two', 'away')], 'paid'), undefined);
    assert.equal(await whyNotFinal([node('one', FINAL), node('two', null, 401)], 'paid'), undefined);
  });

  it('is not looked at where the node does not answer', async () => {
    await assert.rejects(whyNotFinal([node('one', 'away'), node('two', FINAL)], 'paid'), ChainUnavailable);
  });
});

describe('attack: a node tells of a payment that is none, or that a fork undoes: no token is verified for it', () => {
  it('it is only confirmed, or was undone since, or has failed', async () => {
    for (const [status, why] of [
      [said('confirmed'), /one does not call its payment finalized yet; try again/],
      [null, /one does not know its payment/],
      [said('finalized', { InstructionError: [0, 'Custom'] }), /its payment has failed, says one/],
    ] as const) {
      assert.match((await whyNotFinal([node('one', status)], 'paid'))!, why);
    }
  });

  it('the other node, whose history reaches back so far, does not know it, or knows it otherwise', async () => {
    const lies = node('one', FINAL);
    assert.match((await whyNotFinal([lies, node('two', null, 400)], 'paid'))!, /two does not know its payment/);
    assert.match((await whyNotFinal([lies, node('two', said('confirmed'))], 'paid'))!, /two does not call/);
    assert.match((await whyNotFinal([lies, node('two', FINAL), node('three', null)], 'paid'))!, /three does not know/);
  });

  it('its wallet signs another transaction with the same nonce, whose status nodes tell for it: they do not have the payment', async () => {
    const without = (rpc: Rpc): Rpc => ({
      ...rpc,
      call: async <T>(method: string, params: unknown[]) =>
        method === 'getTransaction' ? (null as T) : rpc.call<T>(method, params),
    });
    const why = await whyNotFinal([without(node('one', FINAL))], 'paid');
    assert.match(why!, /one does not know its payment/);
    assert.match((await whyNotFinal([node('one', FINAL), without(node('two', FINAL))], 'paid'))!, /two does not know/);
  });
});
