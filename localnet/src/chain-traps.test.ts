import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type Address,
  addressFromBytes,
  addressToBytes,
  advanceNonce,
  associatedTokenAddress,
  CLOCK_SYSVAR,
  compileMessage,
  createLookupTable,
  decodeLookupTable,
  decodeTokenAccount,
  decodeTransaction,
  encodeTransaction,
  extendLookupTable,
  generateKeypair,
  type Instruction,
  initializeNonce,
  type Keypair,
  lookupTableAddress,
  rentExemptLamports,
  SYSTEM_PROGRAM,
  sign,
  systemCreateAccount,
  systemTransfer,
  TOKEN_PROGRAM,
  tokenCloseAccount,
  tokenTransferChecked,
  unsignedTransaction,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import { asBuffer } from './bytes.js';
import { type AddressedAccount, type Chain, ChainError, type ChainEvent } from './chain.js';
import {
  execute,
  lamportsOf,
  openTestChain,
  SOL,
  signedTransaction,
  type TestChain,
  tempFolder,
} from './chain-testing.js';

const kind = (expected: string) => (error: unknown) => error instanceof ChainError && error.kind === expected;

test('trap 1: a transaction never runs twice, however many others run in between', async (t) => {
  const { chain, alice, bob, passSlots } = await openTestChain(t);
  const to = generateKeypair().address;
  const transfer = (lamports: bigint) => systemTransfer({ from: alice.address, to, lamports });
  const wire = signedTransaction(chain, { signers: [alice], instructions: [transfer(SOL)] });
  const { signature } = await chain.send(wire, { skipPreflight: false });
  for (let i = 1; i <= 100; i++) await execute(chain, [alice], transfer(SOL + BigInt(i)));
  const before = await lamportsOf(chain, to);
  // The blockhash is as old as it may be.
  passSlots(150);

  await assert.rejects(chain.send(wire, { skipPreflight: false }), kind('already-processed'));
  assert.deepEqual(await chain.send(wire, { skipPreflight: true }), { signature });
  assert.equal(
    (await chain.simulate(wire, { sigVerify: true, replaceRecentBlockhash: false })).err,
    'AlreadyProcessed',
  );
  assert.equal(await lamportsOf(chain, to), before);
  // A second signer's transaction of another message is not taken for the first.
  await execute(chain, [bob], systemTransfer({ from: bob.address, to, lamports: SOL }));
  assert.equal(await lamportsOf(chain, to), before + SOL);
});

test('trap 1: nor after a restart', async (t) => {
  const dataDir = tempFolder(t);
  const first = await openTestChain(t, { dataDir });
  const to = generateKeypair().address;
  const wire = signedTransaction(first.chain, {
    signers: [first.alice],
    instructions: [systemTransfer({ from: first.alice.address, to, lamports: SOL })],
  });
  await first.chain.send(wire, { skipPreflight: false });
  await first.chain.close();
  const { chain } = await openTestChain(t, { dataDir });
  await assert.rejects(chain.send(wire, { skipPreflight: false }), kind('already-processed'));
  assert.equal(await lamportsOf(chain, to), SOL);
});

test('trap 2: blockhashes of the last 150 slots are accepted, older and invented ones are not', async (t) => {
  const { chain, alice, bob, passSlots } = await openTestChain(t);
  const { blockhash, lastValidBlockHeight } = chain.latestBlockhash();
  const send = (lamports: bigint, hash: string) => {
    const instructions = [systemTransfer({ from: alice.address, to: bob.address, lamports })];
    return chain.send(signedTransaction(chain, { signers: [alice], instructions, blockhash: hash }), {
      skipPreflight: true,
    });
  };
  passSlots(150);
  assert.equal(chain.blockHeight, lastValidBlockHeight);
  assert.notEqual(chain.latestBlockhash().blockhash, blockhash);
  assert.equal(chain.isBlockhashValid(blockhash), true);
  await send(1n, blockhash);
  passSlots(1);
  assert.equal(chain.isBlockhashValid(blockhash), false);
  await assert.rejects(send(2n, blockhash), kind('blockhash'));
  await assert.rejects(send(3n, generateKeypair().address), kind('blockhash'));
});

async function createNonce({ chain, alice }: TestChain): Promise<Address> {
  const nonce = generateKeypair();
  const create = { payer: alice.address, newAccount: nonce.address, lamports: rentExemptLamports(80), space: 80 };
  await execute(
    chain,
    [alice, nonce],
    systemCreateAccount({ ...create, owner: SYSTEM_PROGRAM }),
    initializeNonce({ nonce: nonce.address, authority: alice.address }),
  );
  return nonce.address;
}

async function nonceValue(chain: Chain, nonce: Address): Promise<string> {
  return addressFromBytes((await chain.account(nonce))!.data, 40);
}

test('trap 2: a nonce stands in for a blockhash while it is the stored one and its authority signs', async (t) => {
  const testChain = await openTestChain(t);
  const { chain, alice, bob, passSlots } = testChain;
  const nonce = await createNonce(testChain);
  const to = generateKeypair().address;
  const signed = (signer: Keypair, lamports: bigint, blockhash: string) => {
    const use = advanceNonce({ nonce, authority: signer.address });
    const instructions = [use, systemTransfer({ from: signer.address, to, lamports })];
    return signedTransaction(chain, { signers: [signer], instructions, blockhash });
  };
  const first = signed(alice, SOL, await nonceValue(chain, nonce));
  passSlots(10_000);

  await assert.rejects(
    chain.send(signed(bob, SOL, await nonceValue(chain, nonce)), { skipPreflight: true }),
    kind('blockhash'),
    'not the authority',
  );
  assert.equal((await chain.simulate(first, { sigVerify: true, replaceRecentBlockhash: false })).err, null);
  await chain.send(first, { skipPreflight: false });
  const second = signed(alice, SOL, await nonceValue(chain, nonce));
  await chain.send(second, { skipPreflight: false });
  assert.equal(await lamportsOf(chain, to), 2n * SOL);

  await assert.rejects(chain.send(first, { skipPreflight: false }), kind('already-processed'));
  // Another message with a value that is used up.
  const used = signed(alice, 2n * SOL, decodeTransaction(second).decoded.blockhash);
  await assert.rejects(chain.send(used, { skipPreflight: true }), kind('blockhash'), 'stale');
});

test('trap 2: a nonce works in its own transaction only as first instruction of a real nonce account', async (t) => {
  const testChain = await openTestChain(t);
  const { chain, alice, bob, passSlots } = testChain;
  const nonce = await createNonce(testChain);
  const blockhash = await nonceValue(chain, nonce);
  passSlots(1000);
  const use = advanceNonce({ nonce, authority: alice.address });
  const transfer = systemTransfer({ from: alice.address, to: bob.address, lamports: 1n });
  const send = (instructions: Instruction[], hash: string) =>
    chain.send(signedTransaction(chain, { signers: [alice], instructions, blockhash: hash }), { skipPreflight: true });
  await assert.rejects(send([transfer, use], blockhash), kind('blockhash'));
  await assert.rejects(send([transfer], blockhash), kind('blockhash'));
  const empty = advanceNonce({ nonce: bob.address, authority: alice.address });
  await assert.rejects(send([empty, transfer], blockhash), kind('blockhash'));
  const unsignedUse = { ...use, accounts: use.accounts.map((meta) => ({ ...meta, signer: false })) };
  const bobs = systemTransfer({ from: bob.address, to: alice.address, lamports: 1n });
  const wire = signedTransaction(chain, { signers: [bob], instructions: [unsignedUse, bobs], blockhash });
  await assert.rejects(chain.send(wire, { skipPreflight: true }), kind('blockhash'));
  await send([use, transfer], blockhash);
});

test('trap 2: a transaction that fails uses its nonce up and pays its fee', async (t) => {
  const testChain = await openTestChain(t);
  const { chain, alice, bob, passSlots } = testChain;
  const nonce = await createNonce(testChain);
  const blockhash = await nonceValue(chain, nonce);
  passSlots(1000);
  const lamports = 1_000_000n * SOL;
  const instructions = [
    advanceNonce({ nonce, authority: alice.address }),
    systemTransfer({ from: alice.address, to: bob.address, lamports }),
  ];
  const wire = signedTransaction(chain, { signers: [alice], instructions, blockhash });
  const before = await lamportsOf(chain, alice.address);
  await assert.rejects(chain.send(wire, { skipPreflight: false }), kind('preflight'));
  assert.equal(await lamportsOf(chain, alice.address), before);
  assert.equal(await nonceValue(chain, nonce), blockhash);

  const { signature } = await chain.send(wire, { skipPreflight: true });
  assert.deepEqual(chain.status(signature)?.err, { InstructionError: [1, { Custom: 1 }] });
  assert.equal(await lamportsOf(chain, alice.address), before - 5000n);
  assert.notEqual(await nonceValue(chain, nonce), blockhash);
  passSlots(1000);
  // The new value is in the virtual machine as well: the next use finds it there.
  const next = signedTransaction(chain, {
    signers: [alice],
    instructions: [advanceNonce({ nonce, authority: alice.address })],
    blockhash: await nonceValue(chain, nonce),
  });
  assert.equal(chain.status((await chain.send(next, { skipPreflight: true })).signature)?.err, null);
});

test('trap 3: the timer brings a new blockhash with each slot', async (t) => {
  const { chain, time } = await openTestChain(t, { tickMs: 1 });
  const { blockhash } = chain.latestBlockhash();
  const { slot } = chain;
  const event = await new Promise<ChainEvent>((resolve) => {
    chain.on(resolve);
    time.now += 400;
  });
  assert.deepEqual(event, { type: 'slot', slot: slot + 1n, parent: slot, root: slot + 1n });
  assert.notEqual(chain.latestBlockhash().blockhash, blockhash);
});

test('trap 4: programs see the slot and the time move', async (t) => {
  const { chain, time, alice, passSlots } = await openTestChain(t);
  const seen = async () => {
    const clock = asBuffer((await chain.account(CLOCK_SYSVAR))!.data);
    return { slot: clock.readBigUInt64LE(0), unixTimestamp: clock.readBigInt64LE(32) };
  };
  assert.deepEqual(await seen(), { slot: chain.slot, unixTimestamp: BigInt(time.now / 1000) });
  passSlots(5);
  assert.deepEqual(await seen(), { slot: chain.slot, unixTimestamp: BigInt(time.now / 1000) });
  const before = chain.unixTimestamp;
  chain.advanceClock(3600);
  assert.deepEqual(await seen(), { slot: chain.slot, unixTimestamp: before + 3600n });
  // Not only its account: the lookup table program writes down the slot in which it ran.
  const table = await createTable(chain, alice, [alice.address]);
  assert.equal(decodeLookupTable((await chain.account(table))!.data)?.lastExtendedSlot, chain.slot);
});

async function createTable(chain: Chain, owner: Keypair, addresses: Address[]): Promise<Address> {
  const table = lookupTableAddress(owner.address, chain.slot).address;
  const by = { authority: owner.address, payer: owner.address };
  await execute(
    chain,
    [owner],
    createLookupTable({ ...by, recentSlot: chain.slot }),
    extendLookupTable({ ...by, table, addresses }),
  );
  return table;
}

test('trap 5: a lookup table can be made in the slot just asked for, and used from the next one on', async (t) => {
  const { chain, alice, passSlots } = await openTestChain(t);
  const to = generateKeypair().address;
  const other = generateKeypair().address;
  const table = await createTable(chain, alice, [other, to]);
  const instructions = [systemTransfer({ from: alice.address, to, lamports: SOL })];
  const send = () => {
    const lookupTables = [{ address: table, addresses: [other, to] }];
    const wire = signedTransaction(chain, { signers: [alice], instructions, lookupTables });
    assert.equal(decodeTransaction(wire).decoded.lookups.length, 1);
    return chain.send(wire, { skipPreflight: false });
  };
  await assert.rejects(send(), kind('preflight'));
  passSlots(1);
  const { signature } = await send();
  assert.equal(await lamportsOf(chain, to), SOL);
  assert.deepEqual(chain.transaction(signature)?.loadedAddresses, { writable: [to], readonly: [] });
  assert.equal(chain.signaturesFor(to, { limit: 10 })[0]?.signature, signature);
});

test('trap 6: SOL can be wrapped on a new chain', async (t) => {
  const { chain, bob } = await openTestChain(t);
  await chain.airdropToken(bob.address, WRAPPED_SOL_MINT, 3n * SOL);
  const account = await chain.account(associatedTokenAddress(bob.address, WRAPPED_SOL_MINT));
  const { isNative, amount } = decodeTokenAccount(account!.data)!;
  assert.deepEqual({ isNative, amount }, { isNative: true, amount: 3n * SOL });
});

test('trap 7: an unsigned transaction with any blockhash can be simulated, without any effect', async (t) => {
  const { chain, alice, bob } = await openTestChain(t);
  const message = compileMessage({
    version: 0,
    feePayer: alice.address,
    instructions: [systemTransfer({ from: alice.address, to: bob.address, lamports: SOL })],
    blockhash: generateKeypair().address,
  });
  const wire = unsignedTransaction(message);
  const before = await chain.accounts([alice.address, bob.address]);
  const result = await chain.simulate(wire, { sigVerify: false, replaceRecentBlockhash: true });
  assert.equal(result.err, null);
  assert.equal(result.postAccounts.get(bob.address)?.lamports, before[1]!.lamports + SOL);
  assert.equal(result.postAccounts.get(alice.address)?.lamports, before[0]!.lamports - SOL - 5000n);
  assert.equal(result.fee, 5000n);
  assert.deepEqual(result.replacementBlockhash, chain.latestBlockhash());
  assert.deepEqual(await chain.accounts([alice.address, bob.address]), before);

  const simulate = (options: { sigVerify: boolean; replaceRecentBlockhash: boolean }) => chain.simulate(wire, options);
  assert.equal((await simulate({ sigVerify: false, replaceRecentBlockhash: false })).err, 'BlockhashNotFound');
  assert.equal((await simulate({ sigVerify: true, replaceRecentBlockhash: true })).err, 'SignatureFailure');
  const current = compileMessage({
    version: 0,
    feePayer: alice.address,
    instructions: [systemTransfer({ from: alice.address, to: bob.address, lamports: SOL })],
    blockhash: chain.latestBlockhash().blockhash,
  });
  // That signatures are not looked at must not outlast the simulation.
  await simulate({ sigVerify: false, replaceRecentBlockhash: true });
  for (const skipPreflight of [false, true]) {
    await assert.rejects(chain.send(unsignedTransaction(current), { skipPreflight }), kind('signature'));
  }
  const forged = encodeTransaction({ signatures: [sign(bob, current)], message: current });
  await assert.rejects(chain.send(forged, { skipPreflight: true }), kind('signature'));
  assert.deepEqual(await chain.accounts([alice.address, bob.address]), before);
});

test('trap 9: scans by program, token owner and mint follow every change of an account', async (t) => {
  const { chain, alice, bob, usdc } = await openTestChain(t);
  const addresses = (rows: AddressedAccount[]) => rows.map(({ address }) => address).sort();
  const bobsUsdc = associatedTokenAddress(bob.address, usdc);
  const before = addresses(await chain.tokenAccountsByOwner(bob.address));
  assert.equal(before.length, 3);
  const holders = (await chain.tokenAccountsByMint(usdc)).length;
  const wrappers = addresses(await chain.tokenAccountsByMint(WRAPPED_SOL_MINT));

  const wallet = generateKeypair();
  await chain.airdropToken(wallet.address, usdc, 5n);
  const account = associatedTokenAddress(wallet.address, usdc);
  assert.deepEqual(addresses(await chain.tokenAccountsByOwner(wallet.address)), [account]);
  assert.equal((await chain.tokenAccountsByMint(usdc)).length, holders + 1);

  // The account goes to another owner, is emptied and closed.
  const wrapped = associatedTokenAddress(wallet.address, WRAPPED_SOL_MINT);
  await chain.airdropToken(wallet.address, WRAPPED_SOL_MINT, SOL);
  await execute(
    chain,
    [alice, wallet],
    tokenTransferChecked({
      source: account,
      mint: usdc,
      destination: bobsUsdc,
      authority: wallet.address,
      amount: 5n,
      decimals: 6,
    }),
    tokenCloseAccount({ account, destination: alice.address, authority: wallet.address }),
    setOwner(wrapped, wallet.address, bob.address),
  );
  assert.equal(await chain.account(account), undefined);
  assert.deepEqual(await chain.tokenAccountsByOwner(wallet.address), []);
  assert.deepEqual(addresses(await chain.tokenAccountsByOwner(bob.address)), [...before, wrapped].sort());
  assert.equal((await chain.tokenAccountsByMint(usdc)).length, holders);
  assert.deepEqual(addresses(await chain.tokenAccountsByMint(WRAPPED_SOL_MINT)), [...wrappers, wrapped].sort());
  const ofTokenProgram = addresses(await chain.programAccounts(TOKEN_PROGRAM));
  assert.ok(ofTokenProgram.includes(wrapped) && ofTokenProgram.includes(usdc) && !ofTokenProgram.includes(account));

  // A delegate is found, whatever changed before.
  await execute(chain, [alice, bob], approve(bobsUsdc, wallet.address, bob.address, 7n));
  assert.deepEqual(addresses(await chain.tokenAccountsByDelegate(wallet.address)), [bobsUsdc]);
});

/** SetAuthority of an account's owner. */
function setOwner(account: Address, owner: Address, newOwner: Address): Instruction {
  const data = Uint8Array.of(6, 2, 1, ...addressToBytes(newOwner));
  return {
    program: TOKEN_PROGRAM,
    accounts: [
      { address: account, signer: false, writable: true },
      { address: owner, signer: true, writable: false },
    ],
    data,
  };
}

function approve(account: Address, delegate: Address, owner: Address, amount: bigint): Instruction {
  const data = Buffer.alloc(9);
  data.writeUInt8(4);
  data.writeBigUInt64LE(amount, 1);
  return {
    program: TOKEN_PROGRAM,
    accounts: [
      { address: account, signer: false, writable: true },
      { address: delegate, signer: false, writable: false },
      { address: owner, signer: true, writable: false },
    ],
    data,
  };
}
