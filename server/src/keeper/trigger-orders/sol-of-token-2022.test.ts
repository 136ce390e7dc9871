import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  encodeMint,
  encodeTokenAccount,
  generateKeypair,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  WRAPPED_SOL_2022_MINT,
} from '@slipway/wire';
import { type TestPool, WRAPPED_SOL } from '../../routing/aggregator/testing.js';
import type { Token } from '../../routing/router.js';
import { openTriggerWorld } from './testing.js';

const SOL = 1_000_000_000n;
const DEEP = 10_000n * SOL;
const SOL_2022 = { mint: WRAPPED_SOL_2022_MINT, tokenProgram: TOKEN_2022_PROGRAM, decimals: 9 };

let world: Awaited<ReturnType<typeof openTriggerWorld>>;
let client: ReturnType<typeof world.newClient>;
let pool: TestPool;
before(async () => {
  world = await openTriggerWorld();
  client = world.newClient();
  const mint = encodeMint({ decimals: 9, supply: 0n, initialized: true });
  await world.world.put(SOL_2022.mint, TOKEN_2022_PROGRAM, mint);
  pool = await world.world.pool(WRAPPED_SOL, SOL_2022, [DEEP, DEEP]);
  await world.aggregator.discover();
  for (const { mint } of [WRAPPED_SOL, SOL_2022]) world.setPrice(mint, 150);
});
after(() => world?.close());

/** What a filled order for 1 SOL has sold and bought, and what its wallet has got. */
async function fill([input, output]: [Token, Token]) {
  const wallet = await client.register();
  await world.fund(wallet.address, input, SOL);
  await world.world.put(wallet.address, SYSTEM_PROGRAM, new Uint8Array(0), 5n * SOL);
  const mints = { inputMint: input.mint, outputMint: output.mint, triggerMint: input.mint };
  const terms = { orderType: 'single', triggerCondition: 'above', triggerPriceUsd: 100 } as const;
  const id = await client.open(wallet, SOL, { ...mints, ...terms });
  const before = await world.world.lamports(wallet.address);
  const { inputAccount } = await world.rowOf(id);
  const rent = (await world.world.lamports(inputAccount as never)) - SOL;
  await (await world.newKeeper()).runDue();
  const { state, entry } = (await world.rowOf(id)).progress;
  const paid = (await world.world.lamports(wallet.address)) - before - rent;
  return { state, entry, got: output === WRAPPED_SOL ? paid : await world.held(wallet.address, output) };
}

describe('a fill with SOL of Token-2022', () => {
  it('that sells it for SOL is recorded with what was bought, without the rent', async () => {
    const { state, entry, got } = await fill([SOL_2022, WRAPPED_SOL]);
    assert.deepEqual([state, entry.remaining, entry.received], ['fill_success', 0n, got]);
    assert.ok(got > (SOL * 99n) / 100n && got < SOL);
  });

  it('that buys it with SOL is recorded with what was sold, whether the pool gives less or more', async () => {
    for (const more of [0n, DEEP / 50n]) {
      await world.world.setReserves(pool, [DEEP, DEEP + more]);
      await world.live.refresh(pool.vaults);
      const { state, entry, got } = await fill([WRAPPED_SOL, SOL_2022]);
      assert.deepEqual([state, entry.remaining, entry.received], ['fill_success', 0n, got]);
      assert.equal(got > SOL, more > 0n);
    }
  });
});

it('attack: a page has a wallet let it close its account for SOL of Token-2022, while an order holds some: the withdrawal pays SOL to the wallet itself, and nothing into that account', async () => {
  const wallet = await client.register();
  await world.fund(wallet.address, SOL_2022, SOL);
  await world.world.put(wallet.address, SYSTEM_PROGRAM, new Uint8Array(0), 5n * SOL);
  const mints = { inputMint: SOL_2022.mint, outputMint: WRAPPED_SOL.mint, triggerMint: SOL_2022.mint };
  const terms = { orderType: 'single', triggerCondition: 'above', triggerPriceUsd: 1_000 } as const;
  const id = await client.open(wallet, SOL, { ...mints, ...terms });
  const { inputAccount } = await world.rowOf(id);
  const held = await world.world.lamports(inputAccount as Address);
  assert.ok(held > SOL);
  const own = associatedTokenAddress(wallet.address, SOL_2022.mint, TOKEN_2022_PROGRAM);
  const account = { mint: SOL_2022.mint, owner: wallet.address, amount: 0n, delegatedAmount: 0n, isNative: true };
  const closable = { ...account, state: 'initialized', closeAuthority: generateKeypair().address } as const;
  const rent = await world.world.lamports(own);
  await world.world.put(own, TOKEN_2022_PROGRAM, encodeTokenAccount(closable), rent);
  const before = await world.world.lamports(wallet.address);
  await client.withdraw(wallet, id);
  const paid = (await world.world.lamports(wallet.address)) - before;
  assert.ok(paid <= held && paid > held - 50_000n, `${held - paid} lamports for the fee`);
  assert.deepEqual([await world.world.lamports(own), await world.world.amount(own)], [rent, 0n]);
  assert.deepEqual([(await world.rowOf(id)).progress.state, await world.exists(inputAccount)], ['cancelled', false]);
});
