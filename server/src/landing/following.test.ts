import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { compileMessage, encodeTransaction, generateKeypair, sign } from '@slipway/wire';
import type { Guest } from '../lib/places.js';
import type { LedgerRow } from '../store/ledger.js';
import { Following, type FollowingDeps } from './following.js';
import { log } from './testing.js';

const CALLER: Guest = { id: 'keyless 203.0.113.7' };

it('what a market maker has signed last is followed by the turns of the client who posted it, also without a key', async () => {
  const payer = generateKeypair();
  const message = compileMessage({
    version: 0,
    feePayer: payer.address,
    instructions: [],
    blockhash: generateKeypair().address,
  });
  const wire = Buffer.from(encodeTransaction({ signatures: [sign(payer, message)], message }));
  const sent = { id: 'r', state: 'sending', apiKey: null, handedOver: true, wire, lastValidBlockHeight: 150n };
  const row = { ...sent, signature: null } as LedgerRow;
  const askers: [what: string, Guest | undefined][] = [];
  const following = new Following({
    clock: { now: () => Date.now() },
    steadyNow: () => 0,
    observe() {},
    log,
    tracker: {
      async track({ caller }: { caller?: Guest | undefined }) {
        askers.push(['track', caller]);
        return { event: 'landed', slot: 7n, error: null };
      },
      pollNow() {},
    },
    delegated: {
      async search(_row: LedgerRow, how: { caller?: Guest }) {
        askers.push(['search', how.caller]);
        return { row: { ...row, signature: 'known' } };
      },
    },
    settle: async () => ({ ...row, state: 'landed' }) as LedgerRow,
  } as unknown as FollowingDeps);
  after(() => following.close());
  const end = await following.follow(row, { caller: CALLER });
  assert.equal(end.state, 'landed');
  assert.deepEqual(askers, [
    ['search', CALLER],
    ['track', CALLER],
  ]);
});
