import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { associatedTokenAddress, decodeTransaction, unsignedTransaction } from '@slipway/wire';
import { JUP } from '../../sandbox/maker/testing.js';
import { SANDBOX_PROGRAMS } from '../../signer/index.js';
import { checkPolicies, NotAllowed, readToSign } from '../../signer/policies/index.js';
import { createRandom, spoil, type Thief } from '../../signer/policies/testing.js';
import { openExpressWorld, PRICE } from './testing.js';

const SPOILED = 4_000;

describe('attack: a copy that was broken into asks the gas wallet to sign spoiled payments', () => {
  let world: Awaited<ReturnType<typeof openExpressWorld>>;
  before(async () => {
    world = await openExpressWorld();
  });
  after(() => world?.close());

  it('4,000 of them: each is refused, or costs no more than its fee and rent', async (context) => {
    const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
    context.diagnostic(`seed ${seed}: run it again with TEST_SEED=${seed}`);
    const random = createRandom(seed);
    const { gasWallet: gas, chain } = world;
    const [sender, thief] = [await world.newWallet(PRICE), await world.newWallet(1n)];
    const { transaction } = await world.craft(sender.address);
    const { message } = decodeTransaction(Buffer.from(transaction, 'base64'));
    const wanted: Thief['wanted'] = [{ account: associatedTokenAddress(sender.address, JUP.mint), owner: gas }];
    const keys = [{ name: 'gas', address: gas }];
    const facts = { keeper: gas, programs: SANDBOX_PROGRAMS };
    const least = checkPolicies(readToSign(message), keys, facts)[0]!;
    assert.ok(least > 0n && least < 3_000_000n, `${least} lamports`);
    const had = await world.lamports(gas);
    const counts = { refused: 0, failed: 0, harmless: 0 };
    for (let i = 0; i < SPOILED; i++) {
      const spoiled = spoil(message, { address: thief.address, tokens: [JUP], wanted }, random);
      let spends: readonly bigint[];
      try {
        spends = checkPolicies(readToSign(spoiled), keys, facts);
      } catch (error) {
        const { name, stack } = error as Error;
        assert.ok(error instanceof NotAllowed || name === 'WireError' || name === 'RangeError', stack);
        counts.refused++;
        continue;
      }
      const { err, accounts } = await chain.simulate(unsignedTransaction(spoiled), {
        sigVerify: false,
        accounts: [gas],
      });
      counts[err === null ? 'harmless' : 'failed']++;
      const why = Buffer.from(spoiled).toString('base64');
      if (err === null) assert.ok((accounts[0]?.lamports ?? 0n) >= had - spends[0]!, `${spends} lamports: ${why}`);
    }
    context.diagnostic(JSON.stringify(counts));
    assert.ok(counts.refused > 500 && counts.harmless > 10, JSON.stringify(counts));
  });
});
