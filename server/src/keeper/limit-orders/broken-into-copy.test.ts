import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decodePool,
  flashFillOrder,
  limitOrderReserve,
  poolAuthority,
  poolSwap,
  preFlashFillOrder,
} from '@slipway/programs';
import {
  type Address,
  compileMessage,
  encodeTokenAccount,
  generateKeypair,
  type Instruction,
  rentExemptLamports,
  setComputeUnitLimit,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
} from '@slipway/wire';
import { WRAPPED_SOL } from '../../routing/aggregator/testing.js';
import { SignerRefused } from '../../signer/policies/index.js';
import { openKeeperWorld } from './testing.js';

const MAKING = 1_000_000_000n;
const ASKED = 3_000_000_000n;
/** With the fee of 10 basis points. */
const MOST = 3_003_000_000n;

test('attack: a copy that was broken into pays its own order with SOL of the keeper for what its own account got: nothing is signed', async (t) => {
  const w = await openKeeperWorld();
  t.after(() => w.close());
  const { world, signer } = w;
  const keeper = w.taker;
  const worthless = await world.token();
  const pool = await world.pool(worthless, WRAPPED_SOL, [MAKING, 4n * ASKED]);
  const order = await w.open(worthless, WRAPPED_SOL, ASKED);
  const thief = order.maker.address;
  const source = await w.holding(worthless, keeper);
  const ofMaker = await world.holding(WRAPPED_SOL, thief);
  const till = await thiefsAccount();

  /** An account of the thief, out of which the keeper may pay the order’s fee. */
  async function thiefsAccount(): Promise<Address> {
    const rent = rentExemptLamports(TOKEN_ACCOUNT_SPACE);
    const native = { isNative: true, rentExemptReserve: rent, mint: WRAPPED_SOL.mint, amount: 0n };
    const delegated = { delegate: keeper, delegatedAmount: 10n * MOST };
    const data = encodeTokenAccount({ ...native, ...delegated, owner: thief, state: 'initialized' });
    return world.put(generateKeypair().address, TOKEN_PROGRAM, data, rent);
  }
  async function fill(makerOutputMintAccount: Address | undefined): Promise<Instruction[]> {
    const { feeAccount } = decodePool((await w.chain.account(pool.address))!.data)!;
    const [vaultA, vaultB] = pool.vaults;
    const accounts = {
      pool: pool.address,
      authority: poolAuthority(pool.address).address,
      vaultA,
      vaultB,
      poolMint: pool.poolMint,
      feeAccount,
      mintA: worthless.mint,
      mintB: WRAPPED_SOL.mint,
      programA: TOKEN_PROGRAM,
      programB: TOKEN_PROGRAM,
    };
    const inputMintReserve = limitOrderReserve(order.address, worthless.mint, TOKEN_PROGRAM);
    const both = { taker: keeper, order: order.address, inputMintReserve, inputTokenProgram: TOKEN_PROGRAM };
    const trade = { aToB: true, authority: keeper, source, destination: till };
    return [
      preFlashFillOrder({
        ...both,
        makingAmount: MAKING,
        takerInputMintAccount: source,
        inputMint: worthless.mint,
      }),
      poolSwap({ accounts, ...trade, amountIn: MAKING, minimumAmountOut: MOST }),
      flashFillOrder({
        ...both,
        maker: thief,
        ...(makerOutputMintAccount && { makerOutputMintAccount }),
        takerOutputMintAccount: till,
        feeAccount: order.feeAccount,
        outputMint: WRAPPED_SOL.mint,
        outputTokenProgram: TOKEN_PROGRAM,
        maxTakingAmount: MOST,
      }),
    ];
  }
  async function cosign(instructions: Instruction[]) {
    const { blockhash } = await w.chain.latestBlockhash();
    const all = [setComputeUnitLimit(300_000), ...instructions];
    return signer.cosign({
      keys: ['keeper'],
      message: compileMessage({ version: 0, feePayer: keeper, instructions: all, blockhash }),
    });
  }

  const theft = await fill(undefined);
  await assert.rejects(cosign(theft), (error) => {
    assert.ok(error instanceof SignerRefused, String(error));
    assert.match(error.message, /SOL of the wallet/);
    return true;
  });
  // The same, paid out of the thief's account, costs the keeper nothing.
  assert.equal((await cosign(await fill(ofMaker))).length, 1);
  // The chain would do it.
  const before = await world.lamports(keeper);
  assert.equal(await world.run([signer.keys.keeper], theft), null);
  assert.equal(before - (await world.lamports(keeper)), ASKED + 5_000n);
});
