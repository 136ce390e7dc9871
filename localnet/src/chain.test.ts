import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type Address,
  associatedTokenAddress,
  createAssociatedTokenIdempotent,
  decodeMint,
  decodeTokenAccount,
  decodeTransaction,
  encodeMint,
  generateKeypair,
  type Instruction,
  memo,
  rentExemptLamports,
  SIGNATURE_PROGRAMS,
  SLOT_HASHES_SYSVAR,
  SYSTEM_PROGRAM,
  setComputeUnitLimit,
  setComputeUnitPrice,
  systemTransfer,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  tokenTransferChecked,
  WRAPPED_SOL_MINT,
} from '@slipway/wire';
import fc from 'fast-check';
import { Chain, ChainError, type ChainEvent, transactionFee } from './chain.js';
import { execute, lamportsOf, openTestChain, SOL, signedTransaction, tempFolder } from './chain-testing.js';

const kind = (expected: string) => (error: unknown) => error instanceof ChainError && error.kind === expected;

test('a new chain has the mints, the funded wallets and the receiver, and its supplies add up', async (t) => {
  const { chain } = await openTestChain(t);
  const { wallets, mints, receiver } = chain.genesis;
  assert.deepEqual(
    wallets.map(({ name }) => name),
    ['alice', 'bob', 'carol', 'dave', 'erin'],
  );
  assert.deepEqual(
    mints.map(({ symbol, decimals }) => [symbol, decimals]),
    [
      ['USDC', 6],
      ['JUP', 6],
      ['JUPUSD', 6],
    ],
  );
  for (const { mint } of mints) {
    const holders = (await chain.tokenAccountsByMint(mint)).map(({ account }) => decodeTokenAccount(account.data)!);
    const { supply, mintAuthority } = decodeMint((await chain.account(mint))!.data)!;
    assert.equal(
      supply,
      holders.reduce((sum, { amount }) => sum + amount, 0n),
    );
    assert.equal(mintAuthority, chain.faucet);
    for (const { address } of wallets) {
      assert.ok(holders.some(({ owner, amount }) => owner === address && amount === 1_000_000_000_000n));
    }
  }
  for (const { address } of wallets) assert.equal(await lamportsOf(chain, address), 10_000n * SOL);
  const jup = mints[1]!.mint;
  const empty = await chain.account(associatedTokenAddress(receiver, jup));
  assert.equal(decodeTokenAccount(empty!.data)?.amount, 0n);
  assert.ok((await lamportsOf(chain, receiver)) > 0n);
});

test('two chains have the same wallets but different blockhashes', async (t) => {
  const [a, b] = [await openTestChain(t), await openTestChain(t)];
  assert.deepEqual(a.chain.genesis.wallets, b.chain.genesis.wallets);
  assert.notEqual(a.chain.genesisHash, b.chain.genesisHash);
  assert.notEqual(a.chain.latestBlockhash().blockhash, b.chain.latestBlockhash().blockhash);
});

test('the fee is what the virtual machine charges, whatever the budget, the signers and the outcome', async (t) => {
  const { chain, alice, bob } = await openTestChain(t);
  let unique = 0n;
  const shape = fc.record({
    price: fc.option(fc.bigInt({ min: 0n, max: 3_000_000n })),
    limit: fc.option(fc.integer({ min: 30_000, max: 3_000_000 })),
    /** The chain takes budgets with bytes after them. */
    more: fc.nat(2),
    /** Is asked to check three signatures that are not there. */
    checker: fc.option(fc.constantFrom(...SIGNATURE_PROGRAMS)),
    memos: fc.nat(3),
    two: fc.boolean(),
    fails: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(shape, async ({ price, limit, more, checker, memos, two, fails }) => {
      const lamports = (fails ? 1_000_000_000n * SOL : 0n) + ++unique;
      const instructions: Instruction[] = [systemTransfer({ from: alice.address, to: bob.address, lamports })];
      if (two) instructions.push(systemTransfer({ from: bob.address, to: alice.address, lamports: 1n }));
      for (let i = 0; i < memos; i++) instructions.unshift(memo(`memo ${i} ${unique++}`));
      const padded = ({ data, ...budget }: Instruction) => ({
        ...budget,
        data: Buffer.concat([data, Buffer.alloc(more)]),
      });
      if (price !== null) instructions.push(padded(setComputeUnitPrice(price)));
      if (limit !== null) instructions.unshift(padded(setComputeUnitLimit(limit)));
      if (checker !== null) instructions.unshift({ program: checker as Address, accounts: [], data: Uint8Array.of(3) });
      const wire = signedTransaction(chain, { signers: two ? [alice, bob] : [alice], instructions });
      const expected = transactionFee(decodeTransaction(wire).decoded);
      const before = (await lamportsOf(chain, alice.address)) + (await lamportsOf(chain, bob.address));
      const { signature } = await chain.send(wire, { skipPreflight: true });
      const after = (await lamportsOf(chain, alice.address)) + (await lamportsOf(chain, bob.address));
      assert.equal(before - after, expected);
      assert.equal(chain.transaction(signature)?.fee, expected);
      assert.equal(chain.status(signature)?.err !== null, fails || checker !== null);
    }),
    { numRuns: 150 },
  );
});

test('a transaction is found with its balances, logs, memo and inner instructions', async (t) => {
  const { chain, alice, usdc } = await openTestChain(t);
  const owner = generateKeypair().address;
  const destination = associatedTokenAddress(owner, usdc);
  const source = associatedTokenAddress(alice.address, usdc);
  const signature = await execute(
    chain,
    [alice],
    createAssociatedTokenIdempotent({ payer: alice.address, owner, mint: usdc }),
    tokenTransferChecked({ source, mint: usdc, destination, authority: alice.address, amount: 7n, decimals: 6 }),
    memo('Grüße'),
  );
  const found = chain.transaction(signature)!;
  const { accounts } = decodeTransaction(found.wire).decoded;
  const at = accounts.indexOf(destination);
  assert.equal(found.err, null);
  assert.equal(found.slot, chain.slot);
  assert.equal(found.blockTime, chain.unixTimestamp);
  assert.equal(found.preBalances[at], 0n);
  assert.equal(found.postBalances[at], rentExemptLamports(165));
  assert.equal(found.preBalances[0]! - found.postBalances[0]!, rentExemptLamports(165) + 5000n);
  assert.equal(found.preTokenBalances.length, 1);
  assert.deepEqual(
    found.postTokenBalances.find(({ accountIndex }) => accountIndex === at),
    { accountIndex: at, mint: usdc, owner, programId: TOKEN_PROGRAM, amount: 7n, decimals: 6 },
  );
  assert.ok(found.logs.some((line) => line.includes('Memo')));
  assert.ok(found.unitsConsumed > 1000n);
  const [group] = found.innerInstructions;
  assert.equal(group?.index, 0);
  assert.ok(
    group.instructions.every(({ stackHeight, programIdIndex }) => stackHeight === 2 && accounts[programIdIndex]),
  );
  assert.deepEqual(chain.signaturesFor(destination, { limit: 5 }), [
    { signature, slot: chain.slot, err: null, memo: '[7] Grüße', blockTime: chain.unixTimestamp },
  ]);
});

test('signatures are listed newest first, between before and until', async (t) => {
  const { chain, alice } = await openTestChain(t);
  const to = generateKeypair().address;
  const sent: string[] = [];
  for (let i = 0n; i < 6n; i++) {
    sent.unshift(await execute(chain, [alice], systemTransfer({ from: alice.address, to, lamports: SOL + i })));
  }
  const list = (options: { before?: string; until?: string; limit: number }) =>
    chain.signaturesFor(to, options).map(({ signature }) => signature);
  assert.deepEqual(list({ limit: 100 }), sent);
  assert.deepEqual(list({ limit: 2 }), sent.slice(0, 2));
  assert.deepEqual(list({ before: sent[1]!, limit: 2 }), sent.slice(2, 4));
  assert.deepEqual(list({ until: sent[5]!, limit: 100 }), sent.slice(0, 5));
  assert.deepEqual(list({ before: sent[0]!, until: sent[4]!, limit: 100 }), sent.slice(1, 4));
  assert.deepEqual(list({ before: '1'.repeat(64), limit: 100 }), []);
  assert.deepEqual(chain.signaturesFor(generateKeypair().address, { limit: 10 }), []);
});

test('a transaction that would fail changes nothing, unless preflight is skipped', async (t) => {
  const { chain, alice, bob } = await openTestChain(t);
  const lamports = 1_000_000n * SOL;
  const instructions = [systemTransfer({ from: alice.address, to: bob.address, lamports })];
  const wire = signedTransaction(chain, { signers: [alice], instructions });
  const count = chain.transactionCount;
  await assert.rejects(chain.send(wire, { skipPreflight: false }), (error) => {
    assert.ok(error instanceof ChainError && error.kind === 'preflight');
    assert.deepEqual(error.simulation?.err, { InstructionError: [0, { Custom: 1 }] });
    assert.ok(error.simulation?.logs.some((line) => line.includes('insufficient lamports')));
    return true;
  });
  assert.equal(await lamportsOf(chain, alice.address), 10_000n * SOL);
  assert.equal(chain.transactionCount, count);
  const { signature } = await chain.send(wire, { skipPreflight: true });
  assert.equal(await lamportsOf(chain, alice.address), 10_000n * SOL - 5000n);
  assert.deepEqual(chain.status(signature), { slot: chain.slot, err: { InstructionError: [0, { Custom: 1 }] } });
  assert.equal(chain.transactionCount, count + 1n);
  await assert.rejects(chain.send(wire, { skipPreflight: false }), kind('already-processed'));
});

test('a payer without funds is refused, with and without preflight', async (t) => {
  const { chain, bob } = await openTestChain(t);
  const poor = generateKeypair();
  const instructions = [systemTransfer({ from: poor.address, to: bob.address, lamports: 1n })];
  const wire = signedTransaction(chain, { signers: [poor], instructions });
  for (const skipPreflight of [false, true]) {
    await assert.rejects(
      chain.send(wire, { skipPreflight }),
      (error) => error instanceof ChainError && error.simulation?.err === 'AccountNotFound',
    );
  }
  assert.deepEqual(chain.signaturesFor(poor.address, { limit: 1 }), []);
});

test('bytes that are no transaction and a context slot in the future are refused', async (t) => {
  const { chain, alice, bob } = await openTestChain(t);
  const instructions = [systemTransfer({ from: alice.address, to: bob.address, lamports: 1n })];
  const wire = signedTransaction(chain, { signers: [alice], instructions });
  const options = { skipPreflight: true };
  await assert.rejects(chain.send(wire.subarray(1), options), kind('sanitize'));
  await assert.rejects(chain.send(Buffer.concat([wire, Buffer.of(0)]), options), kind('sanitize'));
  await assert.rejects(chain.send(new Uint8Array(), options), kind('sanitize'));
  const minContextSlot = chain.slot + 1n;
  await assert.rejects(chain.send(wire, { ...options, minContextSlot }), kind('min-context-slot'));
  await chain.send(wire, { ...options, minContextSlot: chain.slot });
});

test('an account without lamports is gone', async (t) => {
  const { chain, alice } = await openTestChain(t);
  const once = generateKeypair();
  await chain.airdrop(once.address, SOL);
  assert.equal(await lamportsOf(chain, once.address), SOL);
  const lamports = SOL - 5000n;
  await execute(chain, [once], systemTransfer({ from: once.address, to: alice.address, lamports }));
  assert.equal(await chain.account(once.address), undefined);
  await chain.airdrop(once.address, SOL);
  assert.equal(await lamportsOf(chain, once.address), SOL);
});

test('the same airdrop twice in a slot arrives twice', async (t) => {
  const { chain } = await openTestChain(t);
  const { address } = generateKeypair();
  const signatures = [await chain.airdrop(address, SOL), await chain.airdrop(address, SOL)];
  assert.equal(await lamportsOf(chain, address), 2n * SOL);
  assert.ok(signatures.every((signature) => chain.status(signature)?.err === null));
  await assert.rejects(chain.airdrop(generateKeypair().address, 1n), kind('preflight'), 'less than the rent');
});

test('tokens of any mint can be airdropped, whose authority stays what it is', async (t) => {
  const { chain, bob } = await openTestChain(t);
  const authority = generateKeypair().address;
  for (const program of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
    for (const mintAuthority of [authority, undefined]) {
      const mint = generateKeypair().address;
      const data = encodeMint({ decimals: 2, supply: 10n, initialized: true, ...(mintAuthority && { mintAuthority }) });
      await chain.setAccount(mint, { lamports: SOL, owner: program, executable: false, data });
      const signature = await chain.airdropToken(bob.address, mint, 500n);
      await chain.airdropToken(bob.address, mint, 500n);
      const account = await chain.account(associatedTokenAddress(bob.address, mint, program));
      assert.equal(decodeTokenAccount(account!.data.subarray(0, 165))?.amount, 1000n);
      const after = decodeMint((await chain.account(mint))!.data);
      assert.equal(after?.supply, 1010n);
      assert.equal(after.mintAuthority, mintAuthority);
      assert.equal(chain.transaction(signature)?.postTokenBalances[0]?.amount, 500n);
      // Nor is the faucet the authority in the virtual machine afterwards.
      await chain.airdropToken(bob.address, mint, 1n);
    }
  }
  await assert.rejects(chain.airdropToken(bob.address, generateKeypair().address, 1n), kind('invalid'));
  await assert.rejects(chain.airdropToken(bob.address, bob.address, 1n), kind('invalid'));
  await chain.airdropToken(bob.address, WRAPPED_SOL_MINT, SOL);
});

test('listeners hear of everything in its order, and one that fails harms nobody', async (t) => {
  const logged: string[] = [];
  const { chain, alice, bob, passSlots } = await openTestChain(t, { log: (line) => logged.push(line) });
  const events: ChainEvent[] = [];
  chain.on(() => {
    throw new Error('broken listener');
  });
  const stop = chain.on((event) => events.push(event));
  const signature = await execute(
    chain,
    [alice],
    systemTransfer({ from: alice.address, to: bob.address, lamports: 1n }),
  );
  const { slot } = chain;
  passSlots(3);
  await chain.setAccount(bob.address, undefined);
  stop();
  passSlots(1);
  const { logs } = chain.transaction(signature)!;
  assert.deepEqual(events, [
    {
      type: 'transaction',
      signature,
      slot,
      err: null,
      logs,
      accounts: [alice.address, bob.address, SYSTEM_PROGRAM],
      changed: [alice.address, bob.address],
    },
    { type: 'slot', slot: slot + 3n, parent: slot, root: slot + 3n },
    { type: 'accounts', slot: slot + 3n, changed: [bob.address] },
  ]);
  assert.ok(logged.every((line) => line.includes('broken listener')) && logged.length === 4);
});

test('recent fees are the lowest prices paid for writing all the accounts asked for', async (t) => {
  const { chain, alice, bob, passSlots } = await openTestChain(t);
  const [x, y] = [generateKeypair().address, generateKeypair().address];
  const pay = (price: bigint, ...to: Address[]) => {
    const transfers = to.map((address) => systemTransfer({ from: alice.address, to: address, lamports: SOL }));
    return execute(chain, [alice], setComputeUnitPrice(price), ...transfers);
  };
  await pay(500n, x, y);
  await pay(300n, x);
  passSlots(1);
  await pay(900n, y);
  const fees = (...writable: Address[]) =>
    chain
      .recentFees(writable)
      .slice(-2)
      .map(({ fee }) => fee);
  assert.deepEqual(fees(x), [300n, 0n]);
  assert.deepEqual(fees(y), [500n, 900n]);
  assert.deepEqual(fees(x, y), [500n, 0n]);
  assert.deepEqual(fees(), [300n, 900n]);
  assert.deepEqual(fees(bob.address), [0n, 0n]);
  assert.equal(chain.recentFees([]).length, 150);
  assert.equal(chain.recentFees([]).at(-1)?.slot, chain.slot);
  passSlots(150);
  assert.ok(chain.recentFees([]).every(({ fee }) => fee === 0n));
});

test('moving the clock expires blockhashes, and the move outlasts a restart', async (t) => {
  const dataDir = tempFolder(t);
  const { chain, time } = await openTestChain(t, { dataDir });
  const { blockhash } = chain.latestBlockhash();
  const { slot, unixTimestamp } = chain;
  for (const seconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 315_360_001, 1e300]) {
    assert.throws(() => chain.advanceClock(seconds), kind('invalid'));
  }
  chain.advanceClock(90);
  assert.equal(chain.unixTimestamp, unixTimestamp + 90n);
  assert.equal(chain.slot, slot + 225n);
  assert.equal(chain.blockTime(slot), unixTimestamp);
  assert.equal(chain.blockTime(chain.slot + 1n), undefined);
  assert.equal(chain.isBlockhashValid(blockhash), false);
  const later = chain.latestBlockhash();
  await chain.close();
  const again = await openTestChain(t, { dataDir, now: () => time.now });
  assert.deepEqual(again.chain.latestBlockhash(), later);
  assert.equal(again.chain.unixTimestamp, unixTimestamp + 90n);
});

test('attack: another user moves the clock of a sandbox again and again: no further than the year 3000, and the chain goes on', async (t) => {
  const { chain, passSlots } = await openTestChain(t);
  const move = () => chain.advanceClock(315_360_000);
  for (let moves = 0; chain.unixTimestamp < 32_503_680_000n - 315_360_000n; moves++) {
    assert.ok(moves < 100);
    move();
  }
  assert.throws(move, kind('invalid'));
  const { slot, unixTimestamp } = chain;
  assert.ok(unixTimestamp < 32_503_680_000n);
  passSlots(5);
  assert.equal(chain.slot, slot + 5n);
  chain.advanceClock(1);
});

test('time never goes back, whatever the wall clock does', async (t) => {
  const dataDir = tempFolder(t);
  const { chain, time, passSlots } = await openTestChain(t, { dataDir });
  passSlots(1000);
  const { slot, unixTimestamp } = chain;
  time.now -= 3_600_000;
  chain.tick();
  assert.equal(chain.slot, slot);
  await chain.close();
  const { chain: again } = await openTestChain(t, { dataDir, now: () => time.now });
  assert.equal(again.slot, slot);
  again.advanceClock(10);
  assert.equal(again.slot, slot + 25n);
  assert.equal(again.unixTimestamp, unixTimestamp + 10n);
});

test('accounts can be written as they are given, but sysvars and broken programs cannot', async (t) => {
  const { chain, bob } = await openTestChain(t);
  const address = generateKeypair().address;
  const account = { lamports: 5n, owner: bob.address, executable: false, data: Uint8Array.of(1, 2, 3) };
  await chain.setAccount(address, account);
  assert.deepEqual(await chain.account(address), account);
  await chain.setAccount(address, { ...account, lamports: 0n });
  assert.equal(await chain.account(address), undefined);
  await assert.rejects(chain.setAccount(SLOT_HASHES_SYSVAR, account), kind('invalid'));
  const broken = { ...account, owner: (await chain.account(TOKEN_PROGRAM))!.owner, executable: true };
  await assert.rejects(chain.setAccount(address, broken), kind('invalid'));
  assert.equal(await chain.account(address), undefined);
});

test('a closed chain refuses everything', async (t) => {
  const { chain, alice } = await openTestChain(t);
  await chain.close();
  await chain.close();
  await assert.rejects(chain.account(alice.address), kind('closed'));
  await assert.rejects(chain.airdrop(alice.address, 1n), kind('closed'));
  await assert.rejects(chain.setAccount(alice.address, undefined), kind('closed'));
});

test('a data folder is opened by one chain at a time', async (t) => {
  const dataDir = tempFolder(t);
  const { chain } = await openTestChain(t, { dataDir });
  await assert.rejects(Chain.open({ dataDir, tickMs: 0 }), kind('data'));
  await chain.close();
  await (await Chain.open({ dataDir, tickMs: 0 })).close();
});
