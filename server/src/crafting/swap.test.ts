import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkSwap, RAYDIUM_CPMM_PROGRAM } from '@slipway/checks';
import {
  fillInstruction,
  ORDER_ENGINE_PROGRAM,
  poolSwap,
  ROUTER_PROGRAM,
  type Route,
  type RouteHop,
  routeInstruction,
  TOKEN_SWAP_PROGRAM,
} from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  createAddressWithSeed,
  createAssociatedTokenIdempotent,
  decodeTransaction,
  generateKeypair,
  type Instruction,
  parseCloseAccount,
  parseUnwrapLamports,
  requiredSigners,
  SYSTEM_PROGRAM,
  systemCreateAccountWithSeed,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenSetCloseAuthority,
  tokenTransferChecked,
  tokenUnwrapLamports,
  WRAPPED_SOL_2022_MINT,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import fc from 'fast-check';
import { craftSwap, type Place, type Swap, temporaryWrappedSol } from './swap.js';
import { CraftCheckFailed } from './transaction.js';

const newAddress = () => generateKeypair().address;
const BLOCKHASH = newAddress();
const BUDGET = { computeUnitLimit: 90_000, computeUnitPrice: 1_000n };
const programs = { router: ROUTER_PROGRAM, orderEngine: ORDER_ENGINE_PROGRAM, tokenSwap: TOKEN_SWAP_PROGRAM };

interface Shape {
  solIn: boolean;
  solOut: boolean;
  create: boolean;
  foreignReceiver: boolean;
  withPayer: boolean;
  fee: 'input' | 'output' | undefined;
  tip: boolean;
  guard: boolean;
  amount: bigint;
  least: bigint;
}

const anyShape: fc.Arbitrary<Shape> = fc
  .record({
    solIn: fc.boolean(),
    solOut: fc.boolean(),
    create: fc.boolean(),
    foreignReceiver: fc.boolean(),
    withPayer: fc.boolean(),
    tip: fc.boolean(),
    guard: fc.boolean(),
    fee: fc.constantFrom('input' as const, 'output' as const, undefined),
    // Rent is added to SOL.
    amount: fc.bigInt({ min: 1n, max: 2n ** 63n }),
    least: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
  })
  .map((shape) => ({ ...shape, solOut: shape.solOut && !shape.solIn }));

/** A swap by one hop of the router program, without the trade's own instruction. */
function planOf(shape: Shape): Omit<Swap, 'trade'> {
  const taker = newAddress();
  const receiver = shape.foreignReceiver ? newAddress() : taker;
  const payer = shape.withPayer ? newAddress() : taker;
  const side = (isSol: boolean, owner: Address) => {
    const mint = isSol ? WRAPPED_SOL_MINT : newAddress();
    const place: Place = isSol
      ? temporaryWrappedSol(taker, 'a seed')
      : { kind: 'token', account: associatedTokenAddress(owner, mint) };
    return { mint, tokenProgram: TOKEN_PROGRAM, place };
  };
  const create = shape.create && !shape.solOut;
  return {
    taker,
    receiver,
    feePayer: payer,
    rentPayer: payer,
    programs,
    input: { ...side(shape.solIn, taker), amount: shape.amount },
    output: { ...side(shape.solOut, receiver), least: shape.least, create },
    ...(shape.fee && { fee: { account: newAddress(), side: shape.fee, bps: 100, amount: shape.amount / 100n } }),
    ...(shape.guard && create && receiver === taker && { closeAuthority: newAddress() }),
    ...(shape.tip && { tip: { account: newAddress(), lamports: 5_000n } }),
  };
}

/** One address stands for all accounts of the pool. */
const POOL = newAddress();
const hopOf = (authority: Address, source: Address, destination: Address) =>
  poolSwap({
    accounts: {
      pool: POOL,
      authority: POOL,
      vaultA: POOL,
      vaultB: POOL,
      poolMint: POOL,
      feeAccount: POOL,
      mintA: POOL,
      mintB: POOL,
      programA: TOKEN_PROGRAM,
      programB: TOKEN_PROGRAM,
    },
    aToB: true,
    authority,
    source,
    destination,
    amountIn: 0n,
    minimumAmountOut: 0n,
  });

const accountOf = (place: Place) => (place.kind === 'sol' ? undefined! : place.account);

function routeOf({ taker, input, output, fee }: Omit<Swap, 'trade'>, change: Partial<Route> = {}): Instruction {
  const [source, destination] = [accountOf(input.place), accountOf(output.place)];
  const [from, to] = [change.source ?? source, change.destination ?? destination];
  const hop = { ...hopOf(taker, from, to), amountOffset: 1, from, to, shareBps: 10_000 };
  const token = fee?.side === 'input' ? input : output;
  return routeInstruction({
    taker,
    source,
    destination,
    amountIn: input.amount,
    minOut: output.least,
    hops: [hop],
    ...(fee && {
      fee: {
        bps: fee.bps,
        account: fee.account,
        mint: token.mint,
        decimals: 6,
        tokenProgram: TOKEN_PROGRAM,
        from: fee.side === 'input' ? hop.from : hop.to,
      },
    }),
    ...change,
  });
}

const craft = (plan: Omit<Swap, 'trade'>, instructions: Instruction[], extraSigners: Address[] = []) =>
  craftSwap({ ...plan, trade: { instructions, extraSigners, lookupTables: [] } }, BLOCKHASH, BUDGET);

describe('a crafted swap', () => {
  it('is signed by those who must, whatever its sides, parties and fee are', () => {
    fc.assert(
      fc.property(anyShape, (shape) => {
        const plan = planOf(shape);
        const { wire, message } = craft(plan, [routeOf(plan)]);
        const { decoded } = decodeTransaction(wire);
        assert.deepEqual(new Set(requiredSigners(decoded)), new Set([plan.feePayer, plan.taker]));
        assert.equal(decoded.accounts[0], plan.feePayer);
        assert.deepEqual(craft(plan, [routeOf(plan)]).message, message);
        const wrappedByOwner = associatedTokenAddress(plan.taker, WRAPPED_SOL_MINT);
        assert.equal(decoded.accounts.includes(wrappedByOwner), false);
      }),
      { numRuns: 100 },
    );
  });

  it('attack: a node that lies about what a lookup table holds: no account of whoever gives or gets is taken from one', () => {
    fc.assert(
      fc.property(anyShape, (shape) => {
        const plan = planOf(shape);
        const route = routeOf(plan);
        const { taker, receiver, rentPayer, input, output, fee, tip } = plan;
        const places = [input.place, output.place].flatMap((place) => (place.kind === 'sol' ? [] : [place.account]));
        const parties = [taker, receiver, rentPayer, ...places, ...[fee, tip].flatMap((paid) => paid?.account ?? [])];
        const addresses = [...parties, ...route.accounts.map(({ address }) => address)];
        const lookupTables = [{ address: newAddress(), addresses }];
        const trade = { instructions: [route], extraSigners: [], lookupTables };
        const { decoded } = decodeTransaction(craftSwap({ ...plan, trade }, BLOCKHASH, BUDGET).wire);
        assert.ok(decoded.lookups.length > 0, 'the pool is looked up');
        const said = decoded.lookups.flatMap(({ writable, readonly }) => [...writable, ...readonly]);
        for (const index of said) assert.ok(!parties.includes(addresses[index]!), `${index} of ${parties.length}`);
      }),
      { numRuns: 100 },
    );
  });

  it('is refused with anything in it that takes from the taker or the payer, or that is not understood', () => {
    fc.assert(
      fc.property(anyShape, fc.nat(), (shape, pick) => {
        const plan = planOf(shape);
        const { taker, rentPayer, input, output } = plan;
        const thief = newAddress();
        const own = associatedTokenAddress(taker, newAddress());
        const route = routeOf(plan);
        const transfer = { mint: input.mint, destination: thief, authority: taker, amount: 1n, decimals: 6 };
        const seeded = { payer: rentPayer, base: taker, seed: 'x', lamports: 1n, space: 165, owner: TOKEN_PROGRAM };
        const another = createAddressWithSeed(taker, 'x', TOKEN_PROGRAM);
        const evil: Instruction[][] = [
          [route, systemTransfer({ from: taker, to: thief, lamports: 1n })],
          [route, systemTransfer({ from: rentPayer, to: thief, lamports: 1n })],
          [route, tokenTransferChecked({ ...transfer, source: own })],
          [route, tokenTransferChecked({ ...transfer, source: accountOf(input.place) })],
          [route, tokenTransferChecked({ ...transfer, source: accountOf(output.place) })],
          [route, tokenCloseAccount({ account: own, destination: rentPayer, authority: taker })],
          [route, tokenUnwrapLamports({ source: own, destination: taker, authority: taker })],
          [route, tokenSetCloseAuthority({ account: own, authority: taker, closeAuthority: thief })],
          [
            route,
            {
              program: TOKEN_PROGRAM,
              accounts: [{ address: own, signer: false, writable: true }],
              data: Uint8Array.of(4),
            },
          ],
          [route, { program: thief, accounts: [], data: new Uint8Array() }],
          [route, createAssociatedTokenIdempotent({ payer: rentPayer, owner: thief, mint: output.mint })],
          [route, createAssociatedTokenIdempotent({ payer: rentPayer, owner: taker, mint: newAddress() })],
          [systemCreateAccountWithSeed({ ...seeded, newAccount: another }), route],
          [
            systemCreateAccountWithSeed({ ...seeded, newAccount: another }),
            tokenInitializeAccount3({ account: another, mint: input.mint, owner: thief }),
            route,
          ],
          [routeOf(plan, { amountIn: input.amount + 1n })],
          [route, routeOf(plan, { amountIn: 1n })],
          [routeOf(plan, { source: own })],
          [routeOf(plan, { destination: own })],
          [routeOf(plan, { minOut: output.least - 1n })],
          [],
        ];
        assert.throws(() => craft(plan, evil[pick % evil.length]!), CraftCheckFailed, `case ${pick % evil.length}`);
      }),
      { numRuns: 200 },
    );
  });

  it('is refused where it lets another close an account of SOL of Token-2022', () => {
    const base = planOf({
      solIn: false,
      solOut: false,
      create: true,
      foreignReceiver: false,
      withPayer: true,
      fee: undefined,
      tip: false,
      guard: true,
      amount: 1n,
      least: 1n,
    });
    const outOf = (mint: Address, tokenProgram: Address) => {
      const place: Place = { kind: 'token', account: associatedTokenAddress(base.taker, mint, tokenProgram) };
      return { ...base, output: { ...base.output, mint, tokenProgram, place } };
    };
    const [other, sol] = [newAddress(), WRAPPED_SOL_2022_MINT].map((mint) => outOf(mint, TOKEN_2022_PROGRAM));
    craft(other!, [routeOf(other!)]);
    assert.throws(() => craft(sol!, [routeOf(sol!)]), /gets all that is in it/);
    const { closeAuthority: _, ...unguarded } = sol!;
    craft(unguarded, [routeOf(unguarded)]);
  });

  it('is refused with another fee than was asked, or with a signer that nobody asked for', () => {
    fc.assert(
      fc.property(anyShape, (shape) => {
        const plan = planOf(shape);
        const { fee, ...without } = plan;
        const other = { account: newAddress(), side: 'input' as const, bps: 100, amount: 1n };
        if (fee) {
          assert.throws(() => craft(without, [routeOf(plan)]), CraftCheckFailed);
          if (fee.amount > 0n) assert.throws(() => craft(plan, [routeOf(without)]), CraftCheckFailed);
          for (const wrong of [
            { ...fee, account: newAddress() },
            { ...fee, bps: 101 },
          ]) {
            assert.throws(() => craft(plan, [routeOf({ ...plan, fee: wrong })]), CraftCheckFailed);
          }
        } else assert.throws(() => craft(plan, [routeOf({ ...plan, fee: other })]), CraftCheckFailed);
        const stranger = { address: newAddress(), signer: true, writable: false };
        const route = routeOf(plan);
        const signed = { ...route, accounts: [...route.accounts, stranger] };
        assert.throws(() => craft(plan, [signed]), CraftCheckFailed);
        assert.throws(() => craft(plan, [route], [newAddress()]), CraftCheckFailed);
      }),
      { numRuns: 60 },
    );
  });

  it('attack: a lying service gives a route with a hop of its own program, or one that is no swap between its accounts: refused', () => {
    const shape = { solIn: false, solOut: false, create: false, foreignReceiver: false, withPayer: false } as const;
    const plan = planOf({ ...shape, fee: undefined, tip: false, guard: false, amount: 10n, least: 5n });
    const [from, to] = [accountOf(plan.input.place), accountOf(plan.output.place)];
    const good = { ...hopOf(plan.taker, from, to), amountOffset: 1, from, to, shareBps: 10_000 };
    craft(plan, [routeOf(plan, { hops: [good] })]);
    const handOn = { source: from, mint: plan.input.mint, destination: to, amount: 0n, decimals: 6 };
    const transfer = (authority: Address) => ({ ...good, ...tokenTransferChecked({ ...handOn, authority }) });
    craft(plan, [routeOf(plan, { hops: [transfer(plan.taker)] })]);
    const evil: Partial<RouteHop>[] = [
      { program: newAddress() },
      { program: SYSTEM_PROGRAM },
      { program: RAYDIUM_CPMM_PROGRAM },
      // The amount would become another instruction of the program, or its minimum.
      { amountOffset: 0 },
      { amountOffset: 8 },
      { data: new Uint8Array(17) },
      { data: good.data.subarray(0, 16) },
      { accounts: good.accounts.slice(1) },
      hopOf(newAddress(), from, to),
      hopOf(plan.taker, newAddress(), to),
      hopOf(plan.taker, from, newAddress()),
      transfer(newAddress()),
    ];
    for (const [i, change] of evil.entries()) {
      const hops = [{ ...good, ...change }].map((hop) => ({
        ...hop,
        accounts: hop.accounts.map((meta) => ({ ...meta, signer: false })),
      }));
      assert.throws(
        () => craft(plan, [routeOf(plan, { hops })]),
        /a hop of \w+ that is no swap of a known venue/,
        `${i}`,
      );
    }
  });

  it('closes the account of the input only where that was asked, after the trade, and to whom it was asked', () => {
    const shape = { solIn: false, solOut: false, create: false, foreignReceiver: true, withPayer: true } as const;
    const plain = planOf({ ...shape, fee: undefined, tip: false, guard: false, amount: 10n, least: 5n });
    const { taker, rentPayer, receiver, input } = plain;
    const plan = { ...plain, input: { ...input, closeTo: receiver } };
    const account = accountOf(input.place);
    const { instructions } = craft(plan, [routeOf(plan)]);
    assert.deepEqual(parseCloseAccount(instructions.at(-1)!), {
      account,
      destination: receiver,
      authority: taker,
      tokenProgram: TOKEN_PROGRAM,
    });
    const close = (destination: Address) => tokenCloseAccount({ account, destination, authority: taker });
    const route = routeOf(plan);
    for (const destination of [receiver, rentPayer, newAddress()]) {
      assert.throws(() => craft(plain, [route, close(destination)]), CraftCheckFailed);
      assert.throws(() => craft(plan, [close(destination), route]), CraftCheckFailed);
      // A second time.
      assert.throws(() => craft(plan, [route, close(destination)]), CraftCheckFailed);
    }
  });

  it('pays SOL that is left in the account of the input to its owner before another gets the rent', () => {
    const shape = { solIn: false, solOut: false, create: true, foreignReceiver: true, withPayer: true } as const;
    const plain = planOf({ ...shape, fee: undefined, tip: false, guard: false, amount: 10n, least: 5n });
    const { taker, rentPayer, receiver: leftTo, input } = plain;
    const plan = { ...plain, leftTo, input: { ...input, mint: WRAPPED_SOL_MINT, closeTo: rentPayer } };
    const source = accountOf(input.place);
    const unwrap = (destination: Address) => tokenUnwrapLamports({ source, destination, authority: taker });
    const crafted = craft(plan, [routeOf(plan)]);
    assert.deepEqual(parseUnwrapLamports(crafted.instructions.at(-2)!), {
      source,
      destination: leftTo,
      authority: taker,
    });
    const trade = { instructions: [], extraSigners: [], lookupTables: [] };
    const read = (...last: Instruction[]) => {
      const instructions = [...crafted.instructions.slice(0, -2), ...last];
      checkSwap({ ...crafted, instructions }, { ...plan, trade }, BUDGET);
    };
    const close = tokenCloseAccount({ account: source, destination: rentPayer, authority: taker });
    read(unwrap(leftTo), close);
    assert.throws(() => read(close), /what is left in the source goes to who gets its rent/);
    assert.throws(() => read(unwrap(rentPayer), close), /what is left in the source goes to another/);
    assert.throws(() => craft(plan, [unwrap(leftTo), routeOf(plan)]), /unwrapped too early/);
  });

  it("takes a market maker's fill for what it is, with SOL of the wallets", () => {
    const amounts = fc.bigInt({ min: 2n, max: 2n ** 62n });
    fc.assert(
      fc.property(amounts, amounts, fc.boolean(), (amount, least, foreignReceiver) => {
        const [taker, maker] = [newAddress(), newAddress()];
        const receiver = foreignReceiver ? newAddress() : taker;
        const mint = newAddress();
        const plan: Omit<Swap, 'trade'> = {
          taker,
          receiver,
          feePayer: maker,
          rentPayer: taker,
          programs,
          input: {
            mint,
            tokenProgram: TOKEN_PROGRAM,
            amount,
            place: { kind: 'token', account: associatedTokenAddress(taker, mint) },
          },
          output: { mint: WRAPPED_SOL_MINT, tokenProgram: TOKEN_PROGRAM, place: { kind: 'sol' }, least, create: false },
        };
        const terms = { inputMint: mint, inputTokenProgram: TOKEN_PROGRAM, expireAt: 1n };
        const fill = (change: { inputAmount?: bigint; outputAmount?: bigint; taker?: Address } = {}) =>
          fillInstruction({
            ...terms,
            outputMint: WRAPPED_SOL_MINT,
            outputTokenProgram: TOKEN_PROGRAM,
            taker,
            maker,
            takerInputAccount: accountOf(plan.input.place),
            makerInputAccount: mint,
            makerOutputAccount: maker,
            inputAmount: amount,
            outputAmount: least,
            ...change,
          });
        const passOn = (lamports: bigint, to = receiver) =>
          foreignReceiver ? [systemTransfer({ from: taker, to, lamports })] : [];
        craft(plan, [fill(), ...passOn(least)], [maker]);
        const evil: Instruction[][] = [
          [fill({ inputAmount: amount + 1n }), ...passOn(least)],
          [fill({ outputAmount: least - 1n }), ...passOn(least - 1n)],
          [fill(), fill(), ...passOn(least)],
          [fill(), systemTransfer({ from: maker, to: taker, lamports: 1n }), ...passOn(least)],
          ...(foreignReceiver
            ? [[fill(), ...passOn(least, newAddress())], [fill()], [fill(), ...passOn(least - 1n)]]
            : []),
        ];
        for (const instructions of evil) assert.throws(() => craft(plan, instructions, [maker]), CraftCheckFailed);
      }),
      { numRuns: 40 },
    );
  });
});
