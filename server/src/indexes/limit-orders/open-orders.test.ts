import assert from 'node:assert/strict';
import { it } from 'node:test';
import { encodeLimitOrder, LIMIT_ORDER_PROGRAM, limitOrderFeeAccount, limitOrderReserve } from '@slipway/programs';
import { type Address, generateKeypair, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '@slipway/wire';
import { ChainUnavailable, type Rpc } from '../../chain/index.js';
import { type DecodedOrders, readOpenOrders } from './open-orders.js';

const newAddress = () => generateKeypair().address;
const [maker, inputMint] = [newAddress(), newAddress()];
const addresses = Array.from({ length: 300 }, newAddress);

/** The account of an order of which so much is left. */
function accountOf(address: Address, makingAmount: bigint) {
  const data = encodeLimitOrder({
    maker,
    inputMint,
    outputMint: WRAPPED_SOL_MINT,
    inputTokenProgram: TOKEN_PROGRAM,
    outputTokenProgram: TOKEN_PROGRAM,
    inputMintReserve: limitOrderReserve(address, inputMint, TOKEN_PROGRAM),
    uniqueId: 1n,
    oriMakingAmount: 1_000n,
    oriTakingAmount: 1_000n,
    makingAmount,
    takingAmount: 1_000n,
    borrowMakingAmount: 0n,
    expiredAt: undefined,
    feeBps: 10,
    feeAccount: limitOrderFeeAccount(WRAPPED_SOL_MINT, TOKEN_PROGRAM),
    createdAt: 1n,
    updatedAt: 1n,
    bump: 255,
    slippageBps: 0,
  });
  const account = { lamports: 1, owner: LIMIT_ORDER_PROGRAM, executable: false };
  return { pubkey: address, account: { ...account, data: [Buffer.from(data).toString('base64'), 'base64'] } };
}

/** A node with these accounts, whose answers share no objects. */
const nodeWith = (value: unknown[]): Rpc => ({
  name: 'test',
  call: async <T>() => JSON.parse(JSON.stringify({ context: { slot: 5 }, value })) as T,
});

it('attack: a stranger on the chain opens ever more limit orders: each is decoded once, and others have the processor in between', async () => {
  const accounts = addresses.map((address) => accountOf(address, 1_000n));
  let [turns, isRead] = [0, false];
  const others = () => {
    turns += 1;
    if (!isRead) setImmediate(others);
  };
  setImmediate(others);
  const decoded: DecodedOrders = new Map();
  const first = await readOpenOrders(nodeWith(accounts), LIMIT_ORDER_PROGRAM, { decoded });
  isRead = true;
  assert.deepEqual(
    first.orders.map(({ address }) => address),
    addresses,
  );
  assert.ok(turns >= 2, `${turns}`);

  const [gone, filled, ...same] = addresses;
  const later = [accountOf(filled!, 400n), ...accounts.slice(2)];
  const { orders } = await readOpenOrders(nodeWith(later), LIMIT_ORDER_PROGRAM, { decoded });
  assert.deepEqual([orders.length, decoded.has(gone!)], [addresses.length - 1, false]);
  assert.deepEqual([orders[0]!.order.makingAmount, first.orders[1]!.order.makingAmount], [400n, 1_000n]);
  for (const [i, open] of orders.slice(1).entries())
    assert.ok(open.address === same[i] && open === first.orders[i + 2], 'it is the one that was decoded before');
});

it('has no orders of a node that tells of one what cannot be read, and all again as soon as it tells it', async () => {
  const accounts = addresses.map((address) => accountOf(address, 1_000n));
  const decoded: DecodedOrders = new Map();
  for (const wrong of [null, { data: null }, { data: [5, 'base64'] }, { data: ['AA==', 'base64'], owner: 5 }]) {
    const lying = accounts.with(250, { pubkey: addresses[250]!, account: wrong } as never);
    await assert.rejects(readOpenOrders(nodeWith(lying), LIMIT_ORDER_PROGRAM, { decoded }), ChainUnavailable);
    const { orders } = await readOpenOrders(nodeWith(accounts), LIMIT_ORDER_PROGRAM, { decoded });
    assert.equal(orders.length, addresses.length);
  }
});
