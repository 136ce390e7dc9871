import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  decodeTransaction,
  encodeMint,
  encodeTransaction,
  generateKeypair,
  type Keypair,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenTransferChecked,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { ChainUnavailable, CPI_GUARDED } from '../../chain/index.js';
import { turnOn, worldOver } from '../../routing/aggregator/testing.js';
import type { Token } from '../../routing/router.js';
import {
  balances,
  fill,
  JUP,
  newWallet,
  openTriggerWorld,
  orderBody,
  placeOrder,
  send,
  signed,
  type TriggerWorld,
  USDC,
} from './testing.js';

const TOKEN_2022 = { program: TOKEN_2022_PROGRAM };

let world: TriggerWorld;
let maker: Keypair;
before(async () => {
  world = await openTriggerWorld();
  maker = await newWallet(world);
});
after(() => world.close());

/** Writes a mint to the chain; the extensions follow its base. */
async function writeMint(tokenProgram: Address, extensions: Uint8Array = new Uint8Array()): Promise<Address> {
  const { address } = generateKeypair();
  const base = encodeMint({ decimals: 6, supply: 0n, initialized: true, mintAuthority: maker.address });
  const data = extensions.length === 0 ? base : Buffer.concat([base, Buffer.alloc(83), Buffer.of(1), extensions]);
  const account = { lamports: 10_000_000, owner: tokenProgram, data: Buffer.from(data).toString('base64') };
  await world.rpc.call('localnet_setAccount', [address, account]);
  return address;
}

function taxExtension(bps: number): Uint8Array {
  const data = Buffer.alloc(4 + 108);
  data.writeUInt16LE(1, 0);
  data.writeUInt16LE(108, 2);
  data.writeUInt16LE(bps, 4 + 106);
  return data;
}

describe('an order that cannot be', () => {
  const refusals: [name: string, given: () => Promise<object> | object, cause: RegExp][] = [
    ['an input that is no address', () => ({ inputMint: 'x' }), /^inputMint: expected a public key/],
    ['an output that is no mint', () => ({ outputMint: SYSTEM_PROGRAM }), /^outputMint: there is no such token/],
    ['the same mint twice', () => ({ outputMint: USDC.mint }), /^outputMint: expected another mint/],
    ['a maker that is no address', () => ({ maker: '' }), /^maker: expected a public key/],
    ['a payer that is no address', () => ({ payer: '1' }), /^payer: expected a public key/],
    ["the server's wallet as the payer", () => ({ payer: world.deps.gasWallet }), /^payer: expected a wallet of yours/],
    ['a maker that is a mint', () => ({ maker: JUP.mint, payer: JUP.mint }), /^maker: expected a wallet/],
    ...['0', '-1', '1.0', '01', '1e9', '', '18446744073709551616', '١'].flatMap(
      (amount): [string, () => object, RegExp][] => [
        [`making ${amount}`, () => ({ params: { makingAmount: amount } }), /^params\.makingAmount: expected a whole/],
        [`taking ${amount}`, () => ({ params: { takingAmount: amount } }), /^params\.takingAmount: expected a whole/],
      ],
    ),
    ...['253402300800', '1764000000000', '9223372036854775807'].map((expiredAt): [string, () => object, RegExp] => [
      `expiry ${expiredAt}, which is no time in seconds`,
      () => ({ params: { expiredAt } }),
      /^params\.expiredAt: expected unix seconds, .*; these look like milliseconds\. It is \d{10} now$/,
    ]),
    ...['0', '1', '-5', 'soon', '92233720368547758080', '1.5'].map((expiredAt): [string, () => object, RegExp] => [
      `expiry ${expiredAt}`,
      () => ({ params: { expiredAt } }),
      /^params\.expiredAt: expected unix seconds in the future/,
    ]),
    ['slippage of all', () => ({ params: { slippageBps: '10000' } }), /^params\.slippageBps: expected .* 0 to 9999/],
    ['slippage that is no number', () => ({ params: { slippageBps: '1%' } }), /^params\.slippageBps: expected/],
    ['a fee without an account', () => ({ params: { feeBps: '10' } }), /^feeAccount: required/],
    ['a wallet for the fee', () => ({ feeAccount: maker.address }), /^feeAccount: expected a token account/],
    [
      'a fee to a wallet',
      () => ({ feeAccount: maker.address, params: { feeBps: '10' } }),
      /^feeAccount: expected a token/,
    ],
    [
      'a fee in the input',
      () => ({ feeAccount: associatedTokenAddress(maker.address, USDC.mint), params: { feeBps: '10' } }),
      /^feeAccount: expected a token account of the outputMint/,
    ],
    [
      'more fee than there is',
      () => ({ feeAccount: associatedTokenAddress(maker.address, JUP.mint), params: { feeBps: '9991' } }),
      /^params\.feeBps: expected at most 9990/,
    ],
    ['a price per unit that is none', () => ({ computeUnitPrice: 'fast' }), /^computeUnitPrice: expected auto/],
    [
      'less than 5 USD',
      () => ({ params: { makingAmount: '1000000' } }),
      /^input mint making amount must be at least 5 USD, received: 1$/,
    ],
    [
      'a little less than 5 USD',
      () => ({ params: { makingAmount: '4999999' } }),
      /^input mint making amount must be at least 5 USD, received: 4.99$/,
    ],
    ['more than there is', () => ({ params: { makingAmount: '1000000001' } }), /^insufficient funds: .* 1000000000$/],
    [
      'more SOL than there is',
      () => ({ inputMint: WRAPPED_SOL_MINT, params: { makingAmount: '10000000000' } }),
      /^insufficient funds: maker needs 0\.\d+ SOL more$/,
    ],
    ['a payer without SOL', () => ({ payer: generateKeypair().address }), /^insufficient funds: payer needs/],
    ['a token without a price', async () => ({ inputMint: await writeMint(TOKEN_PROGRAM) }), /^inputMint: no price/],
    [
      'a taxed token',
      async () => ({ outputMint: await writeMint(TOKEN_2022_PROGRAM, taxExtension(100)) }),
      /^outputMint: expected a token without a transfer tax/,
    ],
  ];
  for (const [name, given, cause] of refusals) {
    it(`is refused with ${name}`, async () => {
      const { status, body } = await world.post('createOrder', orderBody(maker, { ...(await given()) }));
      assert.deepEqual([status, body.code, body.error], [400, 400, 'invalid create order request']);
      assert.match(body.cause!, cause);
    });
  }

  it('is refused where an account of the maker, or for the fee, lets no program transfer', async () => {
    const holding = worldOver(world.net);
    const [input, output] = [await holding.token(TOKEN_2022), await holding.token(TOKEN_2022)];
    const wallet = await newWallet(world);
    const own = ({ mint }: Token) => associatedTokenAddress(wallet.address, mint, TOKEN_2022.program);
    const fill = (token: Token, amount: bigint) => holding.holding(token, wallet.address, amount, own(token));
    await Promise.all([fill(input, 100_000_000n), fill(output, 0n)]);
    const { prices } = world.deps;
    world.deps.prices = { ...prices, usd: () => 1 };
    const body = (given: object = {}) => {
      return orderBody(wallet, { inputMint: input.mint, outputMint: output.mint, ...given });
    };
    const causeOf = async (given?: object) => (await world.post('createOrder', body(given))).body.cause;
    try {
      const before = await world.post('createOrder', body());
      assert.equal(before.status, 200, before.body.cause);
      await turnOn(holding, wallet, own(output), 'memo');
      assert.match((await causeOf())!, /^maker: .* for the output requires memos, .* turn that off first$/);
      const fee = { feeAccount: own(output), params: { feeBps: '10' } };
      assert.match((await causeOf(fee))!, /^feeAccount: .* requires no memos$/);
      await fill(output, 0n);
      await turnOn(holding, wallet, own(input), 'cpi-guard');
      assert.match((await causeOf())!, /^maker: .* for the input has CPI Guard on, .* turn that off first$/);
      const posted = { requestId: before.body.requestId, signedTransaction: signed(before.body.transaction, wallet) };
      assert.equal((await world.post('execute', posted)).body.error, `custom program error code: ${CPI_GUARDED}`);
    } finally {
      world.deps.prices = prices;
    }
  });

  it('takes a token with an extension that taxes nothing', async () => {
    const outputMint = await writeMint(TOKEN_2022_PROGRAM, taxExtension(0));
    const { status, body } = await world.post('createOrder', orderBody(maker, { outputMint }));
    assert.equal(status, 200, body.cause);
  });

  it('takes the end of the year 9999 as expiry, by which clients say never', async () => {
    const params = { expiredAt: '253402300799' };
    const { status, body } = await world.post('createOrder', orderBody(maker, { params }));
    assert.equal(status, 200, body.cause);
  });

  it('names the field that is missing', async () => {
    const { params: _, ...body } = orderBody(maker);
    const answer = await world.post('createOrder', body);
    assert.deepEqual([answer.status, answer.body.error], [400, 'params: required']);
  });

  it('is a failure of the server where there is no blockhash', async () => {
    const { chain } = world.deps;
    world.deps.chain = { ...chain, latestBlockhash: () => Promise.reject(new ChainUnavailable('gone')) };
    const { status, body } = await world.post('createOrder', orderBody(maker));
    world.deps.chain = chain;
    assert.deepEqual([status, body.code, body.error], [500, 500, 'unable to get latest blockhash']);
  });
});

describe('a cancel that cannot be', () => {
  it('says what is wrong', async () => {
    const stranger = await newWallet(world);
    const { order } = await placeOrder(world, maker);
    const cases: [object, string, RegExp | undefined][] = [
      [{ maker: 'x', order }, 'invalid maker pubkey', undefined],
      [{ maker: stranger.address, order }, 'no matching orders found', /another maker/],
      [{ maker: maker.address, order: generateKeypair().address }, 'no matching orders found', /no order is open/],
      [{ maker: maker.address, order: USDC.mint }, 'no matching orders found', /no order is open/],
      [{ maker: maker.address, order: 'x' }, 'order: expected a public key in base58 (32 bytes)', undefined],
      [
        { maker: maker.address, order, computeUnitPrice: '-1' },
        'computeUnitPrice: expected auto, or micro-lamports as a decimal string',
        undefined,
      ],
    ];
    for (const [body, error, cause] of cases) {
      for (const [path, sent] of [
        ['cancelOrder', body],
        ['cancelOrders', { ...body, orders: [(body as { order: string }).order] }],
      ] as const) {
        const answer = await world.post(path, sent);
        const expected = path === 'cancelOrders' ? error.replace(/^order:/, 'orders:') : error;
        assert.deepEqual([answer.status, answer.body.error], [400, expected]);
        if (cause) assert.match(answer.body.cause!, cause);
      }
    }
  });

  it('is not sent when the order has been filled meanwhile', async () => {
    const { order } = await placeOrder(world, maker);
    const { body } = await world.post('cancelOrder', { maker: maker.address, order });
    await fill(world, await newWallet(world), order, 100_000_000n);
    const before = await balances(world, maker.address);
    const done = await world.post('execute', {
      requestId: body.requestId,
      signedTransaction: signed(body.transaction, maker),
    });
    assert.deepEqual([done.status, done.body.code, done.body.status], [500, 500, 'Failed']);
    assert.match(done.body.error!, /^custom program error code: \d+$/);
    assert.match(done.body.cause!, /^AccountNotInitialized|^AccountOwnedByWrongProgram/);
    assert.deepEqual(await balances(world, maker.address), before);
  });
});

describe('an execution that cannot be', () => {
  it('is refused for altered bytes, and the order still works', async () => {
    const { body } = await world.post('createOrder', orderBody(maker));
    const { decoded: _, ...transaction } = decodeTransaction(Buffer.from(body.transaction, 'base64'));
    const message = Uint8Array.from(transaction.message);
    message[message.length - 2]! ^= 1;
    const altered = Buffer.from(encodeTransaction({ ...transaction, message })).toString('base64');
    const { requestId } = body;
    const cases: [object, RegExp][] = [
      [{ requestId, signedTransaction: signed(altered, maker) }, /its message is not the one/],
      [{ requestId, signedTransaction: body.transaction }, /the signature of .* is missing/],
      [{ requestId, signedTransaction: '' }, /not base64/],
      [{ requestId, signedTransaction: '%' }, /not base64/],
      [{ requestId: 'unknown', signedTransaction: signed(body.transaction, maker) }, /^requestId: unknown or too old/],
    ];
    for (const [posted, cause] of cases) {
      const answer = await world.post('execute', posted);
      assert.deepEqual([answer.status, answer.body.error, answer.body.status], [400, 'invalid transaction', 'Failed']);
      assert.match(answer.body.cause!, cause);
    }
    const good = await world.post('execute', { requestId, signedTransaction: signed(body.transaction, maker) });
    assert.equal(good.status, 200, good.body.error);
  });

  it('is refused where another request has the same bytes', async () => {
    const { order } = await placeOrder(world, maker);
    // Of one content there are 4,096 transactions: among a hundred, two are likely the same.
    const known = new Map<string, string>();
    let same: { transaction: string; requestIds: [string, string] } | undefined;
    while (!same) {
      const { requestId, transaction } = (await world.post('cancelOrder', { maker: maker.address, order })).body;
      const other = known.get(transaction);
      if (other !== undefined) same = { transaction, requestIds: [other, requestId] };
      known.set(transaction, requestId);
    }
    const signedTransaction = signed(same.transaction, maker);
    const execute = (requestId: string) => world.post('execute', { requestId, signedTransaction });
    assert.equal((await execute(same.requestIds[0])).status, 200);
    const { status, body } = await execute(same.requestIds[1]);
    assert.deepEqual([status, body.error, body.status], [400, 'invalid transaction', 'Failed']);
    assert.match(body.cause!, /the same transaction was sent for another request/);
  });

  it('is not sent where the tokens are gone', async () => {
    const [poor, friend] = [await newWallet(world), await newWallet(world)];
    const { body } = await world.post('createOrder', orderBody(poor));
    const transfer = tokenTransferChecked({
      source: associatedTokenAddress(poor.address, USDC.mint),
      destination: associatedTokenAddress(friend.address, USDC.mint),
      mint: USDC.mint,
      authority: poor.address,
      amount: 950_000_000n,
      decimals: USDC.decimals,
    });
    await send(world, poor, [transfer]);
    const { requestId, transaction } = body;
    const done = await world.post('execute', { requestId, signedTransaction: signed(transaction, poor) });
    assert.deepEqual([done.status, done.body.error], [500, 'custom program error code: 1']);
    assert.equal(done.body.signature, undefined);
  });
});
