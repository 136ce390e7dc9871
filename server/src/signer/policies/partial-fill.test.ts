import assert from 'node:assert/strict';
import { test } from 'node:test';
import { curveSwap, poolSwap, type RouteHop, routeInstruction } from '@slipway/programs';
import {
  type Address,
  addressFromBytes,
  associatedTokenAddress,
  compileMessage,
  createAddressWithSeed,
  createAssociatedTokenIdempotent,
  generateKeypair,
  type Instruction,
  type Keypair,
  rentExemptLamports,
  sign,
  systemCreateAccountWithSeed,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenSyncNative,
  tokenUnwrapLamports,
  WRAPPED_SOL_2022_MINT,
  WRAPPED_SOL_MINT,
  writableAccount,
} from '@slipway/wire';
import type { KeyName } from '../bare-keys.js';
import { createCosign, SANDBOX_PROGRAMS } from '../cosign.js';
import { orderAccount } from '../order-accounts.js';
import { bytesOfOrder, type SealedOrder } from '../order-seal.js';
import { swapOfAll } from './testing.js';

const newAddress = () => generateKeypair().address;
const DEPOSIT = '0199f0a0-0000-7000-8000-000000000001';
const HELD = 10_000_000_000n;
const [wallet, thief, outputMint] = [newAddress(), newAddress(), newAddress()];
const keys = new Map<KeyName, Keypair>(
  (['keeper', 'seal', `vault:${wallet}`] as const).map((name) => [name, generateKeypair()]),
);
const of = (name: KeyName): Address => keys.get(name)!.address;
const [vault, keeper] = [of(`vault:${wallet}`), of('keeper')];
const bare = {
  publicKey: async (name: KeyName) => keys.get(name)?.address ?? newAddress(),
  sign: async (name: KeyName, message: Uint8Array) => sign(keys.get(name)!, message),
};
const cosign = createCosign(bare, { programs: SANDBOX_PROGRAMS });
const source = orderAccount(vault, DEPOSIT, 'in', TOKEN_PROGRAM);
const destination = associatedTokenAddress(wallet, outputMint);

/** Has the signer sign a fill of an order that holds this token. */
async function fill(inputMint: Address, ...instructions: Instruction[]): Promise<void> {
  const order = {
    id: 'order',
    wallet,
    depositRequestId: DEPOSIT,
    vault,
    inputMint,
    outputMint,
    triggerMint: outputMint,
    inputAccount: source,
    outputAccount: null,
    progress: { type: 'single', entry: { initial: HELD } },
    triggerCondition: 'above',
    triggerPriceUsd: 1,
    slippageBps: 100,
    expiresAt: new Date(0),
  } as unknown as SealedOrder;
  const seal = await bare.sign('seal', bytesOfOrder(order));
  const blockhash = addressFromBytes(new Uint8Array(32).fill(9));
  const message = compileMessage({ version: 0, feePayer: keeper, instructions, blockhash });
  const signed = await cosign({ keys: ['keeper', `vault:${wallet}`], message, order: { ...order, seal } });
  assert.equal(signed.length, 2);
}

/** A curve that takes what it can of an offer of `quoteMint`. */
const curveOf = (quoteMint: Address, baseMint = outputMint) => ({
  pool: newAddress(),
  config: newAddress(),
  baseVault: newAddress(),
  quoteVault: newAddress(),
  baseMint,
  quoteMint,
});
const onCurve = (pool: ReturnType<typeof curveOf>, from = source, to = destination, amountIn = HELD) =>
  curveSwap({ pool, trader: vault, inputAccount: from, outputAccount: to, amountIn, leastOut: 1n, partial: true });
const hopOf = (
  swap: Instruction,
  rest?: Address,
  from = source,
  to = destination,
  mint = WRAPPED_SOL_MINT,
): RouteHop => ({
  ...swap,
  amountOffset: 8,
  from,
  to,
  shareBps: 10_000,
  ...(rest && { rest: { account: rest, mint, decimals: 9, tokenProgram: TOKEN_PROGRAM } }),
});
const routeOf = (...hops: RouteHop[]) =>
  routeInstruction({ taker: vault, source, destination, amountIn: HELD, minOut: 1n, hops });

const make = createAssociatedTokenIdempotent({ payer: keeper, owner: wallet, mint: outputMint });
const count = tokenSyncNative({ account: source });
const unwrapFor = (to: Address, from = source) =>
  tokenUnwrapLamports({ source: from, destination: to, authority: vault });
const close = tokenCloseAccount({ account: source, destination: keeper, authority: vault });

test('attack: a copy that was broken into has a route pay what a venue leaves of a deposit to an account of the thief, to another of the swap’s accounts, or to that of another order: the vault signs a route whose rest goes to the pool alone', async () => {
  const refused = /a hop of .* leaves something to another/;
  for (const inputMint of [WRAPPED_SOL_MINT, newAddress()]) {
    const pool = curveOf(inputMint);
    const routed = (rest?: Address) =>
      fill(inputMint, routeOf(hopOf(onCurve(pool), rest, source, destination, inputMint)));
    await routed();
    await routed(pool.quoteVault);
    const others = [pool.pool, pool.config, orderAccount(vault, DEPOSIT, 'out', TOKEN_PROGRAM)];
    for (const rest of [newAddress(), associatedTokenAddress(thief, inputMint), ...others]) {
      await assert.rejects(routed(rest), refused);
    }
    // The place of a referrer is one of the swap's accounts, too.
    const swap = onCurve(pool);
    const referrer = newAddress();
    const accounts = swap.accounts.map((meta, at) => (at === 12 ? writableAccount(referrer) : meta));
    const hop = hopOf({ ...swap, accounts }, referrer, source, destination, inputMint);
    await assert.rejects(fill(inputMint, routeOf(hop)), refused);
  }
});

test('attack: a copy that was broken into offers a deposit of SOL to venues that take a part of it, and closes the rest to the keeper: it gets only the rent, after what is left went to the wallet', async () => {
  const pool = curveOf(WRAPPED_SOL_MINT);
  const market = { pool: thief, authority: thief, vaultA: thief, vaultB: thief, poolMint: thief, feeAccount: thief };
  const mints = { mintA: WRAPPED_SOL_MINT, mintB: outputMint, programA: TOKEN_PROGRAM, programB: TOKEN_PROGRAM };
  const ends = { authority: vault, source, destination, amountIn: HELD, minimumAmountOut: 1n };
  const inPool = poolSwap({ accounts: { ...market, ...mints }, aToB: true, ...ends });
  const rounding = { ...hopOf(inPool), amountOffset: 1 };
  const sold = (...instructions: Instruction[]) => fill(WRAPPED_SOL_MINT, make, ...instructions);
  for (const trade of [onCurve(pool), inPool, routeOf(hopOf(onCurve(pool))), routeOf(rounding)]) {
    const refused = async (...instructions: Instruction[]) =>
      assert.rejects(sold(...instructions), /the keeper would take the rent|SOL goes elsewhere/);
    await refused(trade, close);
    await refused(count, unwrapFor(wallet), trade, close);
    await refused(trade, count, unwrapFor(keeper), close);
    // What lies in the account without being counted is not unwrapped, and would go with the rent.
    await refused(trade, unwrapFor(wallet), close);
    await refused(count, trade, unwrapFor(wallet), close);
    await refused(trade, tokenSyncNative({ account: thief }), unwrapFor(wallet), close);
    await sold(trade, count, unwrapFor(wallet), close);
  }
  const all = (amountIn: bigint) => swapOfAll({ authority: vault, source, destination, amountIn });
  // What certainly takes everything, or gives the pool the rest, leaves nothing.
  await sold(routeOf(hopOf(onCurve(pool), pool.quoteVault)), close);
  await sold(all(HELD), close);
  await assert.rejects(sold(all(HELD - 1n), close), /the keeper would take the rent/);
  await assert.rejects(sold(all(1n), onCurve(pool, source, destination, HELD - 1n), close), /would take the rent/);
});

test('attack: a copy that was broken into has a route leave SOL in an account that the keeper has lent for its way, and takes it with the rent: every account on the way is left empty, or paid to the wallet', async () => {
  const inputMint = newAddress();
  const account = createAddressWithSeed(vault, 'a seed', TOKEN_PROGRAM);
  const lent = { payer: keeper, newAccount: account, base: vault, seed: 'a seed', owner: TOKEN_PROGRAM, space: 165 };
  const open = [
    systemCreateAccountWithSeed({ ...lent, lamports: rentExemptLamports(165) }),
    tokenInitializeAccount3({ account, mint: WRAPPED_SOL_MINT, owner: vault }),
  ];
  const back = tokenCloseAccount({ account, destination: keeper, authority: vault });
  const [into, out] = [curveOf(inputMint, WRAPPED_SOL_MINT), curveOf(WRAPPED_SOL_MINT)];
  const first = hopOf(onCurve(into, source, account), undefined, source, account);
  const last = onCurve(out, account);
  const sold = (rest: Address | undefined, ...ending: Instruction[]) =>
    fill(inputMint, ...open, routeOf(first, hopOf(last, rest, account)), ...ending);
  await assert.rejects(sold(undefined, back), /what the trade has bought goes to the keeper/);
  await assert.rejects(sold(undefined, unwrapFor(keeper, account), back), /SOL goes elsewhere/);
  await assert.rejects(sold(thief, back), /leaves something to another/);
  await sold(out.quoteVault, back);
  // As the keeper makes it of a pool that may end before.
  await sold(undefined, unwrapFor(wallet, account), back);
  await assert.rejects(sold(undefined), /a rent that is lent does not come back/);
  // No account of another token can be closed before it is empty.
  const token = newAddress();
  const init = (mint: Address, owner: Address) => tokenInitializeAccount3({ account, mint, owner });
  const passing = (opened: Instruction[], ...ending: Instruction[]) =>
    fill(inputMint, ...opened, routeOf(first, hopOf(last, undefined, account)), ...ending);
  await passing([open[0]!, init(token, vault)], back);
  await assert.rejects(passing([open[0]!, init(token, vault)]), /a rent that is lent does not come back/);
  for (const opened of [
    [],
    [open[0]!],
    [open[0]!, init(token, thief)],
    [open[0]!, init(WRAPPED_SOL_2022_MINT, vault)],
  ]) {
    await assert.rejects(passing(opened, back), /may leave something in an account on its way/);
  }
});
