import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  associatedTokenAddress,
  decodeTokenAccount,
  encodeMint,
  TOKEN_2022_PROGRAM,
  tokenCloseAccount,
  WRAPPED_SOL_2022_MINT,
} from '@slipway/wire';
import { worldOver } from '../../routing/aggregator/testing.js';
import { newWallet, openSwapWorld, signed, USDC } from './testing.js';

const SOL_1 = 1_000_000_000n;
const SOL_2022 = { mint: WRAPPED_SOL_2022_MINT, tokenProgram: TOKEN_2022_PROGRAM, decimals: 9 };

it('attack: a sponsor asks to be the one who may close the account that a swap makes for SOL of Token-2022, with all that is in it: the taker stays the only one', async (t) => {
  const world = await openSwapWorld();
  t.after(() => world.close());
  const chain = worldOver(world.net);
  const { mint, tokenProgram, decimals } = SOL_2022;
  await chain.put(mint, tokenProgram, encodeMint({ decimals, supply: 0n, initialized: true }));
  await chain.pool(USDC, SOL_2022, [1_500_000_000_000n, 10_000n * SOL_1]);
  await world.aggregator.discover();
  const taker = await newWallet(world, SOL_1, [[USDC, 2_000_000_000n]]);
  const sponsor = await newWallet(world, SOL_1);
  const { body: order } = await world.order({
    inputMint: USDC.mint,
    outputMint: mint,
    amount: '1500000000',
    taker: taker.address,
    payer: sponsor.address,
    closeAuthority: sponsor.address,
  });
  const signedTransaction = signed(order.transaction!, taker, sponsor);
  const { body: done } = await world.execute({ requestId: order.requestId, signedTransaction });
  assert.equal(done.status, 'Success');
  const account = associatedTokenAddress(taker.address, mint, tokenProgram);
  const held = decodeTokenAccount((await world.chain.account(account))!.data)!;
  assert.deepEqual([held.isNative, held.amount.toString()], [true, done.totalOutputAmount]);
  assert.equal(held.closeAuthority, undefined);
  const close = tokenCloseAccount({ account, destination: sponsor.address, authority: sponsor.address, tokenProgram });
  assert.notEqual(await chain.run([sponsor], [close]), null);
});
