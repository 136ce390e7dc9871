import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extension, newAddress, succeeded, TestVm } from '@slipway/programs/testing';
import {
  type Address,
  addressFromBytes,
  addressToBytes,
  associatedTokenAddress,
  compileMessage,
  createAddressWithSeed,
  createAssociatedTokenIdempotent,
  leastRentLamports,
  mostRentLamports,
  SYSTEM_PROGRAM,
  setComputeUnitLimit,
  systemCreateAccountWithSeed,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenInitializeAccount3,
  tokenInitializeMint2,
  tokenUnwrapLamports,
  unsignedTransaction,
  WRAPPED_SOL_MINT,
  writableAccount,
  writableSigner,
} from '@slipway/wire';
import { Rent } from 'litesvm/dist/internal.js';
import { SANDBOX_PROGRAMS } from '../cosign.js';
import { checkPolicies, readToSign } from './index.js';
import { swapOfAll } from './testing.js';

/** Each extension of a mint for which its accounts have one, too: transfer fees, no transfers, a hook, a pause. */
const EXTENSIONS = [
  extension(1, Buffer.alloc(108)),
  extension(9),
  extension(14, Buffer.alloc(64)),
  extension(26, Buffer.alloc(33)),
];

type Instructions = Parameters<typeof compileMessage>[0]['instructions'];

/** What the signer counts for a transaction whose fee the gas wallet pays, and which somebody else signs, too. */
function lossOf(gas: Address, somebody: Address, instructions: Instructions): bigint {
  const message = compileMessage({
    version: 0,
    feePayer: gas,
    instructions: [systemTransfer({ from: somebody, to: SYSTEM_PROGRAM, lamports: 1n }), ...instructions],
    blockhash: addressFromBytes(new Uint8Array(32).fill(9)),
  });
  const policy = { keeper: somebody, programs: SANDBOX_PROGRAMS };
  return checkPolicies(readToSign(message), [{ name: 'gas', address: gas }], policy)[0]!;
}

/** What it counts for an account whose rent the gas wallet gives to somebody, without the fee. */
function counted(mint: Address, owner: Address, tokenProgram: Address): bigint {
  const [gas, somebody] = [newAddress(), newAddress()];
  const made = createAssociatedTokenIdempotent({ payer: gas, owner, mint, tokenProgram });
  return lossOf(gas, somebody, [made]) - lossOf(gas, somebody, []);
}

test('attack: an issuer of a token gives its mint extensions that make accounts larger: no account costs more than the signer counts', () => {
  const vm = new TestVm('all');
  const paid = (mint: Address, tokenProgram: Address) => {
    const [payer, owner] = [vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 1_000_000_000n), newAddress()];
    succeeded(vm.run(createAssociatedTokenIdempotent({ payer, owner, mint, tokenProgram })));
    const lamports = 1_000_000_000n - vm.lamports(payer);
    assert.equal(vm.lamports(associatedTokenAddress(owner, mint, tokenProgram)), lamports);
    return { lamports, counted: counted(mint, owner, tokenProgram) };
  };
  const classic = paid(vm.mint(), TOKEN_PROGRAM);
  assert.equal(classic.counted, classic.lamports);
  let most = 0n;
  for (let chosen = 0; chosen < 2 ** EXTENSIONS.length; chosen++) {
    const extensions = Buffer.concat(EXTENSIONS.filter((_, at) => chosen & (1 << at)));
    const mint = vm.mint({ tokenProgram: TOKEN_2022_PROGRAM, ...(extensions.length > 0 && { extensions }) });
    const found = paid(mint, TOKEN_2022_PROGRAM);
    assert.ok(found.lamports <= found.counted, `extensions ${chosen.toString(2)}: ${found.lamports}`);
    if (found.lamports > most) most = found.lamports;
  }
  assert.equal(most, counted(vm.mint(), newAddress(), TOKEN_2022_PROGRAM), 'and not more than it can be');
});

/** The account of such a mint is paid for, closed to its owner, and made again, smaller, at his cost; that is closed to the payer. */
function shrunk(vm: TestVm, payer: Address, thief: Address, seed: string): Instructions[number][] {
  const tokenProgram = TOKEN_2022_PROGRAM;
  const mint = createAddressWithSeed(thief, seed, tokenProgram);
  const authority = extension(3, Buffer.from(addressToBytes(thief)));
  vm.mint({ address: mint, tokenProgram, extensions: Buffer.concat([authority, ...EXTENSIONS]), decimals: 0 });
  const account = associatedTokenAddress(thief, mint, tokenProgram);
  const make = (by: Address) => createAssociatedTokenIdempotent({ payer: by, owner: thief, mint, tokenProgram });
  const close = (closed: Address, destination: Address) =>
    tokenCloseAccount({ account: closed, destination, authority: thief, tokenProgram });
  const again = { payer: thief, base: thief, newAccount: mint, seed, lamports: mostRentLamports(82), space: 82 };
  return [
    make(payer),
    close(account, thief),
    close(mint, thief),
    systemCreateAccountWithSeed({ ...again, owner: tokenProgram }),
    tokenInitializeMint2({ mint, decimals: 0, mintAuthority: thief, tokenProgram }),
    make(thief),
    close(account, payer),
  ];
}

test('attack: a copy that was broken into has a token account made again, smaller, before it is closed to the gas wallet or the keeper that paid for it: no more is lost than the signer counts', (t) => {
  const vm = new TestVm('all');
  t.after(() => vm.svm.setRent(Rent.default()));
  const rich = () => vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 1_000_000_000n);
  const check = (name: 'gas' | 'keeper', count: number) => {
    const [payer, thief] = [rich(), rich()];
    const parts = Array.from({ length: count }, (_, i) => shrunk(vm, payer, thief, `${i}`)).flat();
    const message = compileMessage({
      version: 0,
      feePayer: payer,
      instructions: [setComputeUnitLimit(1_400_000), ...parts],
      blockhash: vm.svm.latestBlockhash(),
    });
    const policy = { keeper: name === 'keeper' ? payer : newAddress(), programs: SANDBOX_PROGRAMS };
    const [counted] = checkPolicies(readToSign(message), [{ name, address: payer }], policy);
    const landed = vm.svm.sendVersionedTransaction(unsignedTransaction(message));
    assert.ok(!('err' in landed), String(landed));
    return { counted: counted!, lost: 1_000_000_000n - vm.lamports(payer) };
  };
  for (const lamportsPerByte of [6_960n, 5_080n, 696n]) {
    vm.svm.setRent(new Rent(lamportsPerByte, 1, 50));
    for (const [name, count] of [
      ['gas', 1],
      ['gas', 2],
      ['keeper', 3],
    ] as const) {
      const { counted, lost } = check(name, count);
      assert.equal(lost, 10_000n + BigInt(count) * 25n * lamportsPerByte);
      assert.ok(lost <= counted, `${lost} of ${counted}`);
    }
  }
  assert.throws(() => check('gas', 3), /more token accounts than a swap needs/);
});

test('of a token account that is made and closed to its payer again, as on the way to another receiver, only what it may have shrunk by counts', () => {
  const [gas, owner, receiver, mint] = [newAddress(), newAddress(), newAddress(), newAddress()];
  const made = (tokenProgram: Address, to = owner) =>
    createAssociatedTokenIdempotent({ payer: gas, owner: to, mint, tokenProgram });
  const counted = (tokenProgram: Address) => {
    const account = associatedTokenAddress(owner, mint, tokenProgram);
    const closing = tokenCloseAccount({ account, destination: gas, authority: owner, tokenProgram });
    const handedOn = [made(tokenProgram, receiver), made(tokenProgram), closing];
    return lossOf(gas, owner, handedOn) - lossOf(gas, owner, [made(tokenProgram, receiver)]);
  };
  assert.equal(counted(TOKEN_PROGRAM), 0n);
  assert.equal(counted(TOKEN_2022_PROGRAM), mostRentLamports(195) - mostRentLamports(170));
});

test('attack: a copy that was broken into names a token program of its own, whose accounts may have any size: the gas wallet makes none', () => {
  assert.throws(() => counted(newAddress(), newAddress(), newAddress()), /another token program/);
});

test('attack: a copy that was broken into lends rent for wrapped SOL where the chain asks for less of it, and has the rest unwrapped for somebody: no more is lost than the signer counts', (t) => {
  const vm = new TestVm('all');
  vm.mint({ address: WRAPPED_SOL_MINT, decimals: 9 });
  t.after(() => vm.svm.setRent(Rent.default()));
  const rich = () => vm.put(newAddress(), new Uint8Array(0), SYSTEM_PROGRAM, 1_000_000_000n);
  /** What the gas wallet has lost, and what its signer counts for it beyond the fee. */
  const lend = (takesBack: boolean) => {
    const [gas, owner] = [rich(), rich()];
    const account = createAddressWithSeed(owner, 'a seed', TOKEN_PROGRAM);
    const made = { payer: gas, newAccount: account, base: owner, seed: 'a seed', owner: TOKEN_PROGRAM, space: 165 };
    const unwrap = (destination: Address) => tokenUnwrapLamports({ source: account, destination, authority: owner });
    const instructions = [
      systemCreateAccountWithSeed({ ...made, lamports: mostRentLamports(165) }),
      tokenInitializeAccount3({ account, mint: WRAPPED_SOL_MINT, owner }),
      ...(takesBack ? [unwrap(gas)] : []),
      unwrap(owner),
      tokenCloseAccount({ account, destination: gas, authority: owner }),
    ];
    succeeded(vm.run(...instructions));
    return {
      lost: 1_000_000_000n - vm.lamports(gas),
      counted: lossOf(gas, owner, instructions) - lossOf(gas, owner, []),
    };
  };
  const most = mostRentLamports(165);
  for (const lamportsPerByte of [6_960n, 5_080n, 696n]) {
    vm.svm.setRent(new Rent(lamportsPerByte, 1, 50));
    assert.deepEqual(lend(true), { lost: 0n, counted: 0n });
    const { lost, counted } = lend(false);
    assert.equal(lost, most - (most / 6_960n) * lamportsPerByte);
    assert.ok(lost <= counted, `${lost} of ${counted}`);
  }
});

test('attack: a copy that was broken into has a trade, or another program, take what is lent beyond the rent of an account: all of it counts, but where nothing can take it', () => {
  const [keeper, owner, program, sold, bought] = [newAddress(), newAddress(), newAddress(), newAddress(), newAddress()];
  const account = createAddressWithSeed(owner, 'a seed', TOKEN_PROGRAM);
  const lent = { payer: keeper, newAccount: account, base: owner, seed: 'a seed', owner: TOKEN_PROGRAM, space: 165 };
  const sale = swapOfAll({ authority: owner, source: account, destination: newAddress(), amountIn: 5n });
  /** What is counted beyond the fee for an account of this mint that a trade sells from. */
  const counted = (mint: Address, more: Instructions = [], closing = keeper, table: readonly Address[] = []) => {
    const instructions = [
      systemCreateAccountWithSeed({ ...lent, lamports: mostRentLamports(165) }),
      tokenInitializeAccount3({ account, mint, owner }),
      sale,
      ...more,
      tokenCloseAccount({ account, destination: closing, authority: owner }),
      ...(closing === keeper ? [] : [tokenCloseAccount({ account, destination: keeper, authority: owner })]),
    ];
    const blockhash = addressFromBytes(new Uint8Array(32).fill(9));
    const lookupTables = [{ address: newAddress(), addresses: [...table] }];
    const message = compileMessage({ version: 0, feePayer: keeper, instructions, blockhash, lookupTables });
    const policy = { keeper, programs: SANDBOX_PROGRAMS };
    return checkPolicies(readToSign(message), [{ name: 'keeper', address: keeper }], policy)[0]! - 10_000n;
  };
  const all = mostRentLamports(165) - leastRentLamports(165);
  assert.equal(counted(sold), 0n);
  // A trade sells it where the account is one of SOL, as that of a mint in a lookup table may be.
  assert.equal(counted(WRAPPED_SOL_MINT), all);
  assert.equal(counted(sold, [], keeper, [sold]), all);
  assert.equal(
    counted(sold, [{ program, accounts: [writableSigner(owner), writableAccount(account)], data: new Uint8Array(1) }]),
    all,
  );
  assert.equal(counted(sold, [tokenUnwrapLamports({ source: account, destination: owner, authority: owner })]), all);
  assert.equal(counted(sold, [], owner), all);
  // Nothing that an instruction does not name is touched by it.
  assert.equal(
    counted(sold, [{ program, accounts: [writableSigner(owner), writableAccount(bought)], data: new Uint8Array(1) }]),
    0n,
  );
});
