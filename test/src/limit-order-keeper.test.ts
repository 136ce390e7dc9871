import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { initializeOrder, limitOrderAddress } from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  type Keypair,
  systemTransfer,
  TOKEN_PROGRAM,
  tokenSyncNative,
} from '@slipway/wire';
import { eventually } from './rounds.js';
import { request, type Service, startService } from './service.js';
import { JUPUSD, lamportsOf, SOL, send, setPrice, tokensOf, USDC } from './swap.js';
import { infoOf, JUP, newWallet, rpc } from './wallet.js';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service?.close());

interface Terms {
  inputMint: Address;
  outputMint: Address;
  makingAmount: bigint;
  takingAmount: bigint;
  expiredAt?: bigint;
}

let uniqueId = 0n;

/** Opens an order as any client of the program does, with the output account that is paid. */
async function open(maker: Keypair, terms: Terms): Promise<Address> {
  const owner = maker.address;
  const input = { payer: owner, owner, mint: terms.inputMint };
  const source = associatedTokenAddress(owner, terms.inputMint);
  const wrap = [
    systemTransfer({ from: owner, to: source, lamports: terms.makingAmount }),
    tokenSyncNative({ account: source }),
  ];
  const order = {
    payer: owner,
    maker: owner,
    uniqueId: uniqueId++,
    makerInputMintAccount: source,
    ...terms,
    inputTokenProgram: TOKEN_PROGRAM,
    outputTokenProgram: TOKEN_PROGRAM,
  };
  await send(service, maker, [
    createAssociatedTokenIdempotent(input),
    ...(terms.inputMint === SOL ? wrap : []),
    createAssociatedTokenIdempotent({ payer: owner, owner, mint: terms.outputMint }),
    initializeOrder(order),
  ]);
  return limitOrderAddress(owner, order.uniqueId).address;
}

async function isOpen(order: Address): Promise<boolean> {
  const options = { encoding: 'base64', commitment: 'confirmed' };
  return (await rpc<{ value: unknown }>(service, 'getAccountInfo', order, options)).value !== null;
}

const closed = (order: Address) =>
  eventually(`the order ${order} is filled`, async () => ((await isOpen(order)) ? undefined : true));

describe('the keeper', () => {
  it('fills an order when its price is reached, and pays the maker what it asks to the unit', async () => {
    const maker = await newWallet(service, 1_000_000_000n, 1_000_000_000n);
    const terms = { inputMint: JUP, outputMint: USDC, makingAmount: 1_000_000_000n, takingAmount: 500_000_000n };
    const order = await open(maker, terms);
    assert.equal(await isOpen(order), true, '1000 JUP are 420 USDC');
    await setPrice(service, JUP, 0.6);
    await closed(order);
    assert.equal(await tokensOf(service, maker.address, USDC), 500_000_000n);
    await setPrice(service, JUP, 0.42);
  });

  it('sells over two pools, and pays for SOL from the trade itself', async () => {
    const seller = await newWallet(service, 3_000_000_000n, 0n);
    const sale = { inputMint: SOL, outputMint: JUPUSD, makingAmount: 2_000_000_000n, takingAmount: 297_000_000n };
    const buyer = await newWallet(service, 1_000_000_000n, 1_000_000_000n);
    const purchase = { inputMint: JUP, outputMint: SOL, makingAmount: 1_000_000_000n, takingAmount: 2_750_000_000n };
    const orders = [await open(seller, sale), await open(buyer, purchase)];
    await Promise.all(orders.map(closed));
    assert.equal(await tokensOf(service, seller.address, JUPUSD), 297_000_000n);
    // It had 1 SOL, and pays for the opening.
    assert.ok((await lamportsOf(service, buyer.address)) > 3_700_000_000n);
  });

  it('gives an expired order back before the moved clock answers', async () => {
    const maker = await newWallet(service, 1_000_000_000n, 1_000_000_000n);
    const { unixTimestamp } = await infoOf(service);
    const terms = { inputMint: JUP, outputMint: USDC, makingAmount: 400_000_000n, takingAmount: 500_000_000n };
    const order = await open(maker, { ...terms, expiredAt: BigInt(unixTimestamp + 3_600) });
    const { status } = await request(`${service.url}/sandbox/clock`, { body: { seconds: 3_700 } });
    assert.equal(status, 200);
    assert.equal(await isOpen(order), false);
    assert.equal(await tokensOf(service, maker.address, JUP), 1_000_000_000n);
  });

  it('knows the open orders of the chain after a kill', async () => {
    const maker = await newWallet(service, 1_000_000_000n, 1_000_000_000n);
    const terms = { inputMint: JUP, outputMint: USDC, makingAmount: 1_000_000_000n, takingAmount: 500_000_000n };
    const order = await open(maker, terms);
    await service.kill();
    service = await startService({ dataDir: service.dataDir });
    await setPrice(service, JUP, 0.6);
    await closed(order);
    assert.equal(await tokensOf(service, maker.address, USDC), 500_000_000n);
  });
});
