import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  type Keypair,
  memo,
  TOKEN_2022_PROGRAM,
  tokenTransferChecked,
} from '@slipway/wire';
import { CPI_GUARDED, NO_MEMO } from '../../chain/index.js';
import type { Limiter } from '../../http/ports.js';
import { plentyLeft } from '../../http/testing.js';
import { turnOn, worldOver } from '../../routing/aggregator/testing.js';
import type { Token } from '../../routing/router.js';
import { openSwapWorld, type SwapWorld, signed, swap } from './testing.js';

const DEEP = 10n ** 13n;
const AMOUNT = 1_000_000_000n;

describe('a swap of a wallet whose Token-2022 account lets programs take nothing, or takes no plain transfer', () => {
  let world: SwapWorld;
  let holding: ReturnType<typeof worldOver>;
  let [a, b]: Token[] = [];
  let simulations = 0;
  let calls = 0;
  before(async () => {
    const take: Limiter['take'] = (_key, _bucket, _tier, weight = 1) => {
      calls += weight;
      return { ...plentyLeft, allowed: true };
    };
    world = await openSwapWorld({ limiter: { take } });
    const { chain } = world.deps;
    const simulate: typeof chain.simulate = (...parameters) => {
      simulations++;
      return chain.simulate(...parameters);
    };
    world.deps.chain = { ...chain, simulate };
    holding = worldOver(world.net);
    [a, b] = [await token(), await token()];
    for (const out of [7n, 6n, 5n, 4n, 3n, 2n, 1n]) await holding.pool(a, b, [DEEP, DEEP * out]);
    await world.aggregator.discover();
    // However slow the machine is, no order runs out of time.
    world.deps.steadyNow = () => 0;
  });
  after(() => world?.close());

  const token = () => holding.token({ program: TOKEN_2022_PROGRAM });
  const accountOf = ({ address }: { address: Address }, { mint, tokenProgram }: Token) =>
    associatedTokenAddress(address, mint, tokenProgram);

  async function walletWithBoth(): Promise<Keypair> {
    const wallet = await holding.wallet();
    for (const each of [a!, b!]) await holding.holding(each, wallet.address, AMOUNT, accountOf(wallet, each));
    return wallet;
  }

  /** Orders, and posts what was ordered when this has happened; the error of the chain. */
  async function codeAfter(wallet: Keypair, change: () => Promise<void>): Promise<number> {
    const { body } = await world.order(queryOf(wallet));
    await change();
    const signedTransaction = signed(body.transaction!, wallet);
    return (await world.execute({ requestId: body.requestId, signedTransaction })).body.code;
  }

  /** Orders; the error, and in `simulations` and `calls` what it has cost. */
  async function refusalOf(wallet: Keypair): Promise<string> {
    [simulations, calls] = [0, 0];
    const { status, body } = await world.order(queryOf(wallet));
    assert.equal(status, 400, JSON.stringify(body));
    return (body as unknown as { error: string }).error;
  }

  const queryOf = ({ address }: Keypair) => ({
    inputMint: a!.mint,
    outputMint: b!.mint,
    amount: `${AMOUNT / 2n}`,
    taker: address,
  });

  const plainTransfer = (wallet: Keypair, { mint, tokenProgram, decimals }: Token, destination: Address) => {
    const source = accountOf(wallet, { mint, tokenProgram, decimals });
    return tokenTransferChecked({
      source,
      mint,
      destination,
      authority: wallet.address,
      amount: 1n,
      decimals,
      tokenProgram,
    });
  };

  it('is refused by name, and not tried, where CPI Guard is on for the input', async () => {
    const [wallet, other] = [await walletWithBoth(), await walletWithBoth()];
    const input = accountOf(wallet, a!);
    assert.equal(await codeAfter(wallet, () => turnOn(holding, wallet, input, 'cpi-guard')), CPI_GUARDED);
    assert.equal(await holding.run([wallet], [plainTransfer(wallet, a!, accountOf(other, a!))]), null, 'is no program');
    assert.match(await refusalOf(wallet), /^taker: .* for the input has CPI Guard on, .* turn that off first$/);
    assert.deepEqual([simulations, calls], [0, 1]);
  });

  it('is refused by name where the output requires memos, and three pools fail for that', async () => {
    const [wallet, other] = [await walletWithBoth(), await walletWithBoth()];
    const output = accountOf(wallet, b!);
    assert.equal(await codeAfter(wallet, () => turnOn(holding, wallet, output, 'memo')), NO_MEMO);
    const plain = plainTransfer(other, b!, output);
    assert.deepEqual(await holding.run([other], [plain]), { InstructionError: [1, { Custom: NO_MEMO }] });
    assert.equal(await holding.run([other], [memo('a memo'), plain]), null);
    assert.match(await refusalOf(wallet), /^receiver: .* requires a memo with each transfer, .* turn that off first$/);
    assert.deepEqual([simulations, calls], [3, 1]);
  });

  it('is refused by name where CPI Guard is on for the output and a fee is taken there, and made without a fee', async () => {
    const wallet = await walletWithBoth();
    await turnOn(holding, wallet, accountOf(wallet, b!), 'cpi-guard');
    await swap(world, queryOf(wallet), wallet);
    // So that the fee is taken of the output.
    world.deps.fees = { ...world.deps.fees, stables: new Set([b!.mint]) };
    await holding.holding(b!, world.gasWallet, 0n, accountOf({ address: world.gasWallet }, b!));
    assert.match(await refusalOf(wallet), /^receiver: .* for the output has CPI Guard on, .* turn that off first$/);
    assert.deepEqual([simulations, calls], [1, 1]);
    const other = await walletWithBoth();
    await swap(world, queryOf(other), other);
  });
});
