import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Address,
  type Instruction,
  SYSTEM_PROGRAM,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { type Fill, fillInstruction, ORDER_ENGINE_PROGRAM, temporaryWrappedSolAccount } from './order-engine.js';
import { NOW, orderEngineVm, wallet, wrappedSol } from './order-engine-testing.js';
import { newAddress, type Random, randomNumbers, succeeded, type TestVm } from './test-vm.js';

const U64_MAX = 2n ** 64n - 1n;
const STEPS = 6_000;

interface Party {
  key: Address;
  /** The temporary account of the fills that it makes. */
  temporary: Address;
  /** Two accounts of each token. */
  accounts: Record<Address, Address[]>;
}
interface World {
  vm: TestVm;
  mints: Address[];
  traders: Party[];
  /** Signs nothing, and has made one of the traders delegate of its tokens. */
  bystander: Party;
  strangers: Address[];
}

/** Three who trade two tokens and SOL, one who never signs, and things that only look like theirs. */
function openWorld(): World {
  const vm = orderEngineVm();
  const mints = [vm.mint(), vm.mint({ decimals: 2, tokenProgram: TOKEN_2022_PROGRAM }), WRAPPED_SOL_MINT];
  const join = (delegate?: Address): Party => {
    const key = wallet(vm);
    const delegation = delegate ? { delegate, delegatedAmount: U64_MAX } : {};
    const account = (mint: Address) =>
      mint === WRAPPED_SOL_MINT
        ? wrappedSol(vm, key, 10n ** 10n)
        : vm.tokenAccount({ mint, owner: key, amount: 10n ** 10n, tokenProgram: vm.owner(mint), ...delegation });
    const accounts = Object.fromEntries(mints.map((mint) => [mint, [account(mint), account(mint)]]));
    return { key, temporary: temporaryWrappedSolAccount(key), accounts };
  };
  const traders = [join(), join(), join()];
  const fake = vm.mint({ decimals: 9 });
  const hostile = traders[0]!.key;
  const strangers = [
    fake,
    vm.tokenAccount({ mint: fake, owner: hostile, amount: 10n ** 10n }),
    vm.put(newAddress(), vm.data(traders[0]!.accounts[mints[0]!]![0]!), ORDER_ENGINE_PROGRAM),
    newAddress(),
  ];
  return { vm, mints, traders, bystander: join(hostile), strangers };
}

const everybody = ({ traders, bystander }: World) => [...traders, bystander];

/** What everybody has of every token, wherever it is. SOL is a token like the others, wrapped or not. */
function holdings(world: World): Record<Address, Record<Address, bigint>> {
  const { vm, mints } = world;
  const held = ({ key, temporary, accounts }: Party, mint: Address) => {
    const places = accounts[mint]!;
    if (mint !== WRAPPED_SOL_MINT) return sum(places.map((account) => vm.amount(account)));
    return sum([key, temporary, ...places].map((place) => vm.lamports(place)));
  };
  const of = (party: Party) => Object.fromEntries(mints.map((mint) => [mint, held(party, mint)]));
  return Object.fromEntries(everybody(world).map((party) => [party.key, of(party)]));
}

const sum = (amounts: bigint[]) => amounts.reduce((a, b) => a + b, 0n);
const pick = <T>(from: readonly T[], random: Random): T => from[random(from.length)]!;

/** What two honest clients would sign, with random amounts. */
function honest({ vm, mints, traders }: World, random: Random): Fill {
  const taker = pick(traders, random);
  const maker = pick(traders, random);
  const inputMint = pick(mints, random);
  const outputMint = pick(mints, random);
  const account = (party: Party, mint: Address) =>
    mint === WRAPPED_SOL_MINT && random(2) === 0 ? undefined : pick(party.accounts[mint]!, random);
  const amount = (party: Party, from: Address | undefined) => {
    if (random(30) === 0) return BigInt(random(3));
    const held = from ? vm.amount(from) : vm.lamports(party.key);
    return (held * BigInt(random(1 << 20))) >> BigInt(20 + random(20));
  };
  const accounts = {
    takerInputAccount: account(taker, inputMint),
    makerInputAccount: account(maker, inputMint),
    takerOutputAccount: account(taker, outputMint),
    makerOutputAccount: account(maker, outputMint),
  };
  const given = Object.fromEntries(Object.entries(accounts).filter(([, address]) => address !== undefined));
  return {
    taker: taker.key,
    maker: maker.key,
    ...given,
    inputMint,
    inputTokenProgram: vm.owner(inputMint),
    outputMint,
    outputTokenProgram: vm.owner(outputMint),
    inputAmount: amount(taker, accounts.takerInputAccount),
    outputAmount: amount(maker, accounts.makerOutputAccount),
    expireAt: NOW + BigInt(random(20) - 1),
  };
}

/** The instruction with accounts replaced, exchanged or left out, signatures taken away, data changed. */
function spoiled(instruction: Instruction, world: World, random: Random): Instruction {
  const everything = [
    ...everybody(world).flatMap(({ key, temporary, accounts }) => [key, temporary, ...Object.values(accounts).flat()]),
    ...[...world.mints, ...world.strangers],
    ...[TOKEN_PROGRAM, TOKEN_2022_PROGRAM, SYSTEM_PROGRAM, ORDER_ENGINE_PROGRAM],
  ];
  const accounts = instruction.accounts.map((meta) => ({ ...meta }));
  const data = Uint8Array.from(instruction.data);
  for (let changes = random(3); changes >= 0; changes--) {
    const meta = pick(accounts, random);
    const other = pick(accounts, random);
    switch (random(8)) {
      case 0:
        [meta.address, other.address] = [other.address, meta.address];
        break;
      case 1:
        meta.address = other.address;
        break;
      case 2:
        if (random(4) === 0) meta.signer = false;
        else meta.address = ORDER_ENGINE_PROGRAM;
        break;
      case 3:
        data[8 + random(data.length - 8)] = random(256);
        break;
      case 4:
        if (random(4) === 0) accounts.pop();
        else accounts.push({ address: pick(everything, random), signer: false, writable: true });
        break;
      default:
        meta.address = pick(everything, random);
    }
  }
  // Everybody but the bystander may be an accomplice; addresses of the program cannot sign.
  const traders = new Set(world.traders.map(({ key }) => key));
  for (const meta of accounts) if (!traders.has(meta.address)) meta.signer = false;
  return { ...instruction, accounts, data };
}

test('attack: a stranger on the chain sends the order engine whatever he likes: a fill moves its two amounts between its two signers, and nothing else', () => {
  const world = openWorld();
  const { vm } = world;
  const random = randomNumbers(20_260_102);
  const done = { honest: 0, hostile: 0 };
  const expected = holdings(world);
  for (let step = 0; step < STEPS; step++) {
    if (random(20) === 0) {
      const { key, temporary } = pick(world.traders, random);
      succeeded(vm.run(systemTransfer({ from: vm.payer, to: temporary, lamports: 3_000_000n })));
      expected[key]![WRAPPED_SOL_MINT]! += 3_000_000n;
    }
    const isHostile = random(3) > 0;
    const made = fillInstruction(honest(world, random));
    const instruction = isHostile ? spoiled(made, world, random) : made;
    if (vm.run(instruction).failure) continue;
    done[isHostile ? 'hostile' : 'honest']++;
    const [taker, maker, , , , , inputMint, , outputMint] = instruction.accounts.map((meta) => meta.address);
    const terms = Buffer.from(instruction.data);
    expected[taker!]![inputMint!]! -= terms.readBigUInt64LE(8);
    expected[maker!]![inputMint!]! += terms.readBigUInt64LE(8);
    expected[maker!]![outputMint!]! -= terms.readBigUInt64LE(16);
    expected[taker!]![outputMint!]! += terms.readBigUInt64LE(16);
    assert.deepEqual(holdings(world), expected, `step ${step}`);
  }
  assert.ok(done.honest > STEPS / 10 && done.hostile > STEPS / 50, `too little of it ran: ${JSON.stringify(done)}`);
});
