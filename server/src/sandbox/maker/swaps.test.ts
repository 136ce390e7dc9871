import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { decodeMessage, generateKeypair, rentExemptLamports, requiredSigners } from '@slipway/wire';
import { feeOf } from '../../crafting/transaction.js';
import type { QuoteRequest, Token } from '../../routing/router.js';
import {
  ata,
  BUDGET,
  craftOrder,
  JUP,
  lamports,
  newTaker,
  openWorld,
  quoted,
  requestOf,
  SOL,
  signedBy,
  T22,
  tokens,
  USDC,
  type World,
} from './testing.js';

describe('a swap with the sandbox maker, over the webhook protocol and on a real chain', () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  /** Lamports of a wallet for SOL, else of its token account; a wallet's wrapped SOL is counted separately. */
  const held = (owner: ReturnType<typeof generateKeypair>['address'], token: Token) =>
    token === SOL ? lamports(world, owner) : tokens(world, ata(owner, token));

  const pairs: [string, Token, Token, bigint][] = [
    ['SOL for a token', SOL, USDC, 1_234_567_891n],
    ['one of Token-2022 for SOL', T22, SOL, 1_000_000_007n],
    ['a token for a token', USDC, JUP, 123_456_789n],
    ['a token for one of Token-2022', JUP, T22, 555_555_555n],
  ];
  const fees: [string, QuoteRequest['fee']][] = [
    ['no fee', undefined],
    ['a fee on the input', { bps: 77, side: 'input' }],
    ['a fee on the output', { bps: 255, side: 'output' }],
  ];
  for (const [what, input, output, amount] of pairs) {
    const plain = input === USDC && output === JUP;
    for (const [whichFee, fee] of plain ? fees.slice(0, 1) : fees) {
      for (const toAnother of plain ? [false] : [false, true]) {
        test(`${what}, ${whichFee}, ${toAnother ? 'to another receiver' : 'to the taker'}`, async () => {
          const feeToken = fee?.side === 'output' ? output : input;
          const [taker, { address: collector }] = await Promise.all([
            newTaker(world, input === SOL ? [SOL] : [SOL, input]),
            newTaker(world, [feeToken]),
          ]);
          const receiver = toAnother ? generateKeypair().address : taker.address;
          const maker = world.signer.address('maker');
          const router = world.router([{ id: 'own', url: world.maker.url }]);
          const request: QuoteRequest = {
            ...requestOf(taker.address, input, output, amount),
            ...(fee && { fee }),
            ...(toAnother && { receiver }),
          };
          const quote = await quoted(router, request);
          assert.equal(quote.inAmount, amount);
          const feeAccount = ata(collector, feeToken);
          const look = () =>
            Promise.all([
              held(taker.address, input),
              held(receiver, output),
              tokens(world, feeAccount),
              tokens(world, ata(maker, input)),
              tokens(world, ata(maker, output)),
              lamports(world, maker),
              // A wallet's own wrapped SOL must stay untouched.
              tokens(world, ata(taker.address, SOL)),
              held(taker.address, output),
            ]);
          const order = await craftOrder(world, request, quote, { receiver, ...(fee && { feeAccount }) });
          const before = await look();
          const landed = await world
            .newLanding()
            .delegate(order.row, signedBy(taker, order.transaction), router.deliver(quote.maker!));
          assert.equal(landed.state, 'landed', JSON.stringify(landed.error));
          const now = await look();
          const gained = now.map((value, index) => value - before[index]!);

          // Of the receiver's account. One of the taker's that the output passes through is closed again.
          const rent = output !== SOL && input === SOL ? rentExemptLamports(165) : 0n;
          const fillFee = fee ? quote.feeAmount : 0n;
          assert.equal(gained[0], -(amount + rent), 'the taker gives the input');
          assert.equal(gained[1], quote.outAmount, 'the receiver gets the output');
          assert.equal(gained[2], fillFee, 'the fee arrives');
          assert.equal(gained[3], amount - (fee?.side === 'input' ? fillFee : 0n), 'the maker gets the rest');
          assert.equal(gained[4], -(quote.outAmount + (fee?.side === 'output' ? fillFee : 0n)), 'the maker gives');
          assert.equal(gained[5], -feeOf(2, BUDGET), 'the maker pays the network fee and nothing else');
          assert.equal(gained[6], 0n, 'wrapped SOL of the taker stays');
          if (toAnother && output !== SOL) assert.equal(gained[7], 0n, 'the output does not stay with the taker');
        });
      }
    }
  }

  test('quotes that nobody uses keep nothing from others', async () => {
    const router = world.router([{ id: 'own', url: world.maker.url }]);
    const stock = await tokens(world, ata(world.signer.address('maker'), USDC));
    const most = (stock * 99n) / 100n;
    for (let count = 0; count < 3; count++) {
      const stranger = generateKeypair().address;
      const quote = await quoted(router, { ...requestOf(stranger, JUP, USDC, most), mode: 'exact-out' });
      assert.equal(quote.outAmount, most);
    }
    const taker = await newTaker(world, [SOL, JUP]);
    const request = requestOf(taker.address, JUP, USDC, 900_000_000n);
    const quote = await quoted(router, request);
    const { row, transaction } = await craftOrder(world, request, quote);
    const landed = await world.newLanding().delegate(row, signedBy(taker, transaction), router.deliver(quote.maker!));
    assert.equal(landed.state, 'landed', JSON.stringify(landed.error));
  });

  test('a gas wallet can pay the rent; the taker is the second signer all the same', async () => {
    const taker = await newTaker(world, [USDC]);
    const gas = world.signer.address('gas');
    await world.rpc.call('requestAirdrop', [gas, 1_000_000_000]);
    const router = world.router([{ id: 'own', url: world.maker.url }]);
    const request = requestOf(taker.address, USDC, JUP, 5_000_000n);
    const quote = await quoted(router, request);
    const { row, transaction } = await craftOrder(world, request, quote, { rentPayer: gas, cosigners: ['gas'] });
    const signers = requiredSigners(decodeMessage(transaction.message));
    assert.deepEqual(signers, [world.signer.address('maker'), taker.address, gas]);
    const before = await lamports(world, taker.address);
    const landed = await world.newLanding().delegate(row, signedBy(taker, transaction), router.deliver(quote.maker!));
    assert.equal(landed.state, 'landed', JSON.stringify(landed.error));
    assert.equal(await lamports(world, taker.address), before);
    assert.equal(await tokens(world, ata(taker.address, JUP)), quote.outAmount);
  });
});
