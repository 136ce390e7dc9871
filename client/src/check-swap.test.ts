import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poolSwap, ROUTER_PROGRAM, type RouteHop, routeInstruction } from '@slipway/programs';
import {
  type Address,
  associatedTokenAddress,
  createAddressWithSeed,
  createAssociatedTokenIdempotent,
  generateKeypair,
  type Instruction,
  mostRentLamports,
  rentExemptLamports,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemCreateAccountWithSeed,
  TOKEN_2022_PROGRAM,
  TOKEN_ACCOUNT_SPACE,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenTransferChecked,
  tokenUnwrapLamports,
  WRAPPED_SOL_2022_MINT,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { checkAskedSwap } from './check-swap.js';
import { type ClientOptions, connect } from './context.js';

const newAddress = () => generateKeypair().address;
const [taker, inputMint, outputMint, other] = [newAddress(), newAddress(), newAddress(), newAddress()];
const [source, destination] = [associatedTokenAddress(taker, inputMint), associatedTokenAddress(taker, outputMint)];

const pool = { pool: other, authority: other, vaultA: other, vaultB: other, poolMint: other, feeAccount: other };
const mints = { mintA: inputMint, mintB: outputMint, programA: TOKEN_PROGRAM, programB: TOKEN_PROGRAM };
const ends = { authority: taker, source, destination, amountIn: 0n, minimumAmountOut: 0n };
const hop: RouteHop = {
  ...poolSwap({ accounts: { ...pool, ...mints }, aToB: true, ...ends }),
  amountOffset: 1,
  from: source,
  to: destination,
  shareBps: 10_000,
};

function check(change: Partial<RouteHop> = {}, options: Partial<ClientOptions> = { sandbox: true }): void {
  const route = { taker, source, destination, amountIn: 10n, minOut: 5n, hops: [{ ...hop, ...change }] };
  checkAskedSwap(
    {
      taker,
      receiver: taker,
      inputMint,
      outputMint,
      amount: 10n,
      least: 5n,
      gasless: false,
      maxFeeLamports: 10_000n,
      tipLamports: 0n,
      mayCreate: false,
      programs: connect({ url: '', ...options }).programs,
    },
    { signers: [taker], instructions: [setComputeUnitLimit(1_000), setComputeUnitPrice(1n), routeInstruction(route)] },
  );
}

test('attack: a lying service gives a client a route that calls a program of its own: not signed', () => {
  check();
  assert.throws(() => check({ program: other }), /a hop of \w+ that is no swap of a known venue/);
  assert.throws(() => check({ amountOffset: 0 }), /a hop of \w+ that is no swap of a known venue/);
});

test('attack: a lying service gives a client a route by a router that the client was not told of: not signed', () => {
  check({}, { programs: { router: ROUTER_PROGRAM } });
  assert.throws(() => check({}, {}), /give createClient its address as programs\.router, or sandbox: true/);
  assert.throws(() => check({}, { sandbox: false, programs: { tokenSwap: other } }), /programs\.router/);
  assert.throws(() => check({}, { programs: { router: other } }), /is not understood/);
  assert.throws(() => check({}, { sandbox: true, programs: { router: other } }), /is not understood/);
});

test('attack: a lying service pays the fees of a swap for SOL, and closes the wrapped SOL that its taker has, to itself: not signed', () => {
  const gas = newAddress();
  const own = associatedTokenAddress(taker, WRAPPED_SOL_MINT);
  const account = createAddressWithSeed(taker, 'seed', TOKEN_PROGRAM);
  const lamports = rentExemptLamports(TOKEN_ACCOUNT_SPACE);
  const made = { payer: gas, newAccount: account, base: taker, seed: 'seed', lamports };
  const swap = { ...ends, destination: account, amountIn: 10n, minimumAmountOut: 5n };
  const close = (closed: typeof own) => tokenCloseAccount({ account: closed, destination: gas, authority: taker });
  const asked = { taker, receiver: taker, inputMint, outputMint: WRAPPED_SOL_MINT, amount: 10n, least: 5n };
  const limits = { gasless: true, maxFeeLamports: 10_000n, tipLamports: 0n, mayCreate: true, programs: {} };
  const given = (first: Instruction[], last: Instruction[]) => {
    const instructions = [
      setComputeUnitLimit(1_000),
      setComputeUnitPrice(1n),
      ...first,
      systemCreateAccountWithSeed({ ...made, space: TOKEN_ACCOUNT_SPACE, owner: TOKEN_PROGRAM }),
      tokenInitializeAccount3({ account, mint: WRAPPED_SOL_MINT, owner: taker }),
      poolSwap({ accounts: { ...pool, ...mints, mintB: WRAPPED_SOL_MINT }, aToB: true, ...swap }),
      tokenUnwrapLamports({ source: account, destination: taker, authority: taker }),
      close(account),
      ...last,
    ];
    checkAskedSwap({ ...asked, ...limits }, { signers: [gas, taker], instructions });
  };
  given([], []);
  const makes = createAssociatedTokenIdempotent({ payer: gas, owner: taker, mint: WRAPPED_SOL_MINT });
  assert.throws(() => given([makes], [close(own)]), /an account of wrapped SOL that is no temporary one/);
});

test('attack: a lying service passes a swap for SOL of Token-2022 through the account that its taker has of it, and closes that to itself: not signed', () => {
  const gas = newAddress();
  const token = { mint: WRAPPED_SOL_2022_MINT, tokenProgram: TOKEN_2022_PROGRAM };
  const [own, receiver] = [taker, newAddress()].map((owner) => ({
    owner,
    account: associatedTokenAddress(owner, token.mint, token.tokenProgram),
  })) as [{ owner: Address; account: Address }, { owner: Address; account: Address }];
  const swap = { ...ends, destination: own.account, amountIn: 10n, minimumAmountOut: 5n };
  const passed = { source: own.account, destination: receiver.account, authority: taker, amount: 5n, decimals: 9 };
  const instructions = [
    setComputeUnitLimit(1_000),
    setComputeUnitPrice(1n),
    createAssociatedTokenIdempotent({ payer: gas, owner: receiver.owner, ...token }),
    createAssociatedTokenIdempotent({ payer: gas, owner: taker, ...token }),
    poolSwap({ accounts: { ...pool, ...mints, mintB: token.mint }, aToB: true, ...swap }),
    tokenTransferChecked({ ...passed, ...token }),
    tokenCloseAccount({ account: own.account, destination: gas, authority: taker, tokenProgram: token.tokenProgram }),
  ];
  const asked = { taker, receiver: receiver.owner, inputMint, outputMint: token.mint, amount: 10n, least: 5n };
  const limits = { gasless: true, maxFeeLamports: 10_000n, tipLamports: 0n, mayCreate: true, programs: {} };
  assert.throws(
    () => checkAskedSwap({ ...asked, ...limits }, { signers: [gas, taker], instructions }),
    /an account of wrapped SOL that is no temporary one/,
  );
});

test('attack: a lying service has a route pay a token whose transfers may keep a part to its taker, who passes it on, so that less arrives: not signed', () => {
  const token = { mint: outputMint, tokenProgram: TOKEN_2022_PROGRAM };
  const receiver = newAddress();
  const [own, theirs] = [taker, receiver].map((owner) =>
    associatedTokenAddress(owner, outputMint, TOKEN_2022_PROGRAM),
  ) as [Address, Address];
  const { programs } = connect({ url: '', sandbox: true });
  const asked = { taker, receiver, inputMint, outputMint, amount: 10n, least: 5n, gasless: false, programs };
  const limits = { maxFeeLamports: 10_000n, tipLamports: 0n, mayCreate: true };
  const given = (paid: Address, passedOn: bigint) => {
    const accounts = { ...pool, ...mints, programB: TOKEN_2022_PROGRAM };
    const swap = poolSwap({ accounts, aToB: true, ...ends, destination: paid });
    const hops = [{ ...hop, ...swap, to: paid }];
    const passed = { source: own, destination: theirs, authority: taker, amount: passedOn, decimals: 0 };
    const instructions = [
      setComputeUnitLimit(1_000),
      setComputeUnitPrice(1n),
      createAssociatedTokenIdempotent({ payer: taker, owner: receiver, ...token }),
      routeInstruction({ taker, source, destination: paid, amountIn: 10n, minOut: 5n, hops }),
      ...(passedOn > 0n ? [tokenTransferChecked({ ...passed, ...token })] : []),
    ];
    checkAskedSwap({ ...asked, ...limits }, { signers: [taker], instructions });
  };
  given(theirs, 0n);
  assert.throws(() => given(own, 5n), /a transfer from \w+ to \w+/);
});

test('attack: a lying service has rent lent that the chain does not ask for, and unwraps it for itself: not signed', () => {
  const account = createAddressWithSeed(taker, 'seed', TOKEN_PROGRAM);
  const lamports = mostRentLamports(TOKEN_ACCOUNT_SPACE);
  const made = { payer: taker, newAccount: account, base: taker, seed: 'seed', lamports };
  const asked = { taker, receiver: taker, inputMint, outputMint, amount: 10n, least: 5n, gasless: false };
  const { programs } = connect({ url: '', sandbox: true });
  const limits = { maxFeeLamports: 10_000n, tipLamports: 0n, mayCreate: false, programs };
  const given = (to: Address) => {
    const instructions = [
      setComputeUnitLimit(1_000),
      setComputeUnitPrice(1n),
      systemCreateAccountWithSeed({ ...made, space: TOKEN_ACCOUNT_SPACE, owner: TOKEN_PROGRAM }),
      tokenInitializeAccount3({ account, mint: WRAPPED_SOL_MINT, owner: taker }),
      tokenUnwrapLamports({ source: account, destination: to, authority: taker }),
      tokenCloseAccount({ account, destination: taker, authority: taker }),
      routeInstruction({ taker, source, destination, amountIn: 10n, minOut: 5n, hops: [hop] }),
    ];
    checkAskedSwap({ ...asked, ...limits }, { signers: [taker], instructions });
  };
  given(taker);
  assert.throws(() => given(other), /SOL is unwrapped for somebody else/);
});
