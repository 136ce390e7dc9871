import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type Address,
  addressFromBytes,
  associatedTokenAddress,
  encodeTokenAccount,
  generateKeypair,
  memo,
  SYSTEM_PROGRAM,
  systemTransfer,
  TOKEN_PROGRAM,
  tokenTransferChecked,
} from '@slipway/wire';
import fc from 'fast-check';
import { type Account, ChainError } from './chain.js';
import {
  execute,
  lamportsOf,
  openTestChain,
  SOL,
  signedTransaction,
  type TestChain,
  tempFolder,
} from './chain-testing.js';

test('kill -9 at any moment loses nothing that was confirmed', async (t) => {
  const dataDir = tempFolder(t);
  const to = generateKeypair().address;
  let sent = 0;
  for (let round = 0; round < 4; round++) {
    const confirmed = await sendUntilKilled(dataDir, to, sent, 40 + 77 * round);
    const { chain } = await openTestChain(t, { dataDir, now: Date.now });
    for (const { lamports, signature } of confirmed) {
      const transaction = chain.transaction(signature);
      assert.ok(transaction, 'a confirmed transaction is there');
      assert.equal(transaction.postBalances[1]! - transaction.preBalances[1]!, lamports);
    }
    // The balance is that of the transactions that are found: none counted twice, none half.
    const rows = chain.signaturesFor(to, { limit: 100_000 });
    const amounts = rows.map(({ signature }) => {
      const { preBalances, postBalances } = chain.transaction(signature)!;
      return postBalances[1]! - preBalances[1]!;
    });
    assert.ok(rows.length >= sent + confirmed.length && rows.length <= sent + confirmed.length + 1);
    assert.equal(
      await lamportsOf(chain, to),
      amounts.reduce((sum, amount) => sum + amount, 0n),
    );
    assert.equal(new Set(amounts).size, amounts.length);
    sent = rows.length;
    await chain.close();
  }
});

async function sendUntilKilled(
  dataDir: string,
  to: Address,
  start: number,
  count: number,
): Promise<{ lamports: bigint; signature: string }[]> {
  const script = fileURLToPath(new URL('./persistence-child.js', import.meta.url));
  const child = spawn(process.execPath, [script, dataDir, to, String(start)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const confirmed: { lamports: bigint; signature: string }[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const [lamports = '', signature = ''] = line.split(' ');
    if (signature.length > 80) confirmed.push({ lamports: BigInt(lamports), signature });
    if (confirmed.length === count) child.kill('SIGKILL');
  }
  await exit;
  assert.ok(confirmed.length >= count, 'the child ended before it was killed');
  return confirmed;
}

type Step = {
  kind: 'pay' | 'token' | 'fail' | 'airdrop' | 'write' | 'delete' | 'clock' | 'reopen';
  who: number;
  amount: number;
};

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('pay', 'pay', 'token', 'token', 'fail', 'airdrop', 'write', 'delete', 'clock', 'reopen'),
    who: fc.nat(9),
    amount: fc.integer({ min: 1, max: 900 }),
  }),
  { minLength: 10, maxLength: 40 },
);

test('whatever is done to a chain, it is the same after it was opened again', async (t) => {
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const dataDir = tempFolder(t);
      const others = Array.from({ length: 10 }, (_, index) => addressFromBytes(Buffer.alloc(32, index + 1)));
      let test = await openTestChain(t, { dataDir });
      for (const step of [...list, { kind: 'reopen', who: 0, amount: 0 } as const]) {
        if (step.kind !== 'reopen') {
          await perform(test, step, others);
          continue;
        }
        const before = await describe(test, others);
        await test.chain.close();
        test = await openTestChain(t, { dataDir, now: () => test.time.now });
        assert.deepEqual(await describe(test, others), before);
      }
      await test.chain.close();
    }),
    { numRuns: 12 },
  );
});

async function perform(
  { chain, alice, bob, usdc, time, passSlots }: TestChain,
  step: Step,
  others: Address[],
): Promise<void> {
  const other = others[step.who]!;
  const lamports = BigInt(step.amount) * 1_000_000n;
  if (step.kind === 'pay') {
    await execute(
      chain,
      [alice],
      systemTransfer({ from: alice.address, to: other, lamports }),
      memo(`m${step.amount}`),
    ).catch(ignoreRepeated);
  } else if (step.kind === 'token') {
    const [source, destination] = [alice, bob].map(({ address }) => associatedTokenAddress(address, usdc));
    const transfer = { source: source!, destination: destination!, mint: usdc, authority: alice.address, decimals: 6 };
    await execute(chain, [alice], tokenTransferChecked({ ...transfer, amount: lamports })).catch(ignoreRepeated);
  } else if (step.kind === 'fail') {
    const instructions = [systemTransfer({ from: bob.address, to: other, lamports: lamports * SOL })];
    await chain.send(signedTransaction(chain, { signers: [bob], instructions }), { skipPreflight: true });
  } else if (step.kind === 'airdrop') {
    await chain.airdrop(other, lamports);
    await chain.airdropToken(other, usdc, lamports);
  } else if (step.kind === 'write') {
    const data = Buffer.alloc(step.amount * 10, step.who);
    await chain.setAccount(other, { lamports, owner: SYSTEM_PROGRAM, executable: false, data });
  } else if (step.kind === 'delete') {
    await chain.setAccount(other, undefined);
  } else {
    if (step.amount % 2) chain.advanceClock(step.amount / 10);
    passSlots(1 + (step.amount % 3));
    assert.ok(time.now > 0);
  }
}

function ignoreRepeated(error: unknown): void {
  // A written account can take no payment, and the same payment within a slot is the same transaction.
  assert.ok(error instanceof ChainError && ['already-processed', 'preflight'].includes(error.kind), String(error));
}

/** All that can be seen of a chain. */
async function describe({ chain }: TestChain, others: Address[]): Promise<unknown> {
  const programs = [SYSTEM_PROGRAM, TOKEN_PROGRAM];
  const rows = (await Promise.all(programs.map((program) => chain.programAccounts(program)))).flat();
  const signatures = chain.signaturesFor(chain.faucet, { limit: 1000 });
  for (const address of [...others, ...chain.genesis.wallets.map((wallet) => wallet.address)]) {
    signatures.push(...chain.signaturesFor(address, { limit: 1000 }));
  }
  const { slot, unixTimestamp, genesisHash, transactionCount } = chain;
  return {
    slot,
    unixTimestamp,
    genesisHash,
    transactionCount,
    signatures,
    blockhash: chain.latestBlockhash(),
    accounts: new Map(rows.map(({ address, account }) => [address, comparable(account)])),
    transactions: signatures.map(({ signature }) => chain.transaction(signature)),
  };
}

function comparable(account: Account): unknown {
  return { ...account, data: Buffer.from(account.data).toString('base64') };
}

test('trap 8: 200,000 accounts and one of 6 MiB are there after a restart, and can be used', async (t) => {
  const dataDir = tempFolder(t);
  const count = 200_000;
  const first = await openTestChain(t, { dataDir });
  const { usdc } = first;
  const before = (await first.chain.tokenAccountsByMint(usdc)).length;
  const owner = (index: number) => {
    const bytes = Buffer.alloc(32, 7);
    bytes.writeUInt32LE(index);
    return addressFromBytes(bytes);
  };
  const addressOf = (index: number) => {
    const bytes = Buffer.alloc(32, 9);
    bytes.writeUInt32LE(index);
    return addressFromBytes(bytes);
  };
  for (let index = 0; index < count; index++) {
    await first.chain.setAccount(addressOf(index), tokens(usdc, owner(index), BigInt(index)));
  }
  const large = generateKeypair().address;
  const data = Buffer.alloc(6 << 20, 3);
  await first.chain.setAccount(large, { lamports: 100n * SOL, owner: SYSTEM_PROGRAM, executable: false, data });
  await first.chain.close();

  const { chain, alice } = await openTestChain(t, { dataDir });
  assert.equal((await chain.tokenAccountsByMint(usdc)).length, count + before);
  for (let index = 0; index < count; index += 9973) {
    const account = await chain.account(addressOf(index));
    assert.deepEqual(account && comparable(account), comparable(tokens(usdc, owner(index), BigInt(index))));
    const [row] = await chain.tokenAccountsByOwner(owner(index));
    assert.equal(row?.address, addressOf(index));
  }
  assert.ok(data.equals((await chain.account(large))!.data));
  const transfer = { source: associatedTokenAddress(alice.address, usdc), mint: usdc, destination: addressOf(4711) };
  await execute(
    chain,
    [alice],
    tokenTransferChecked({ ...transfer, authority: alice.address, amount: 5n, decimals: 6 }),
  );
  const after = await chain.account(addressOf(4711));
  assert.deepEqual(after && comparable(after), comparable(tokens(usdc, owner(4711), 4716n)));
});

test('a long journal becomes a snapshot while the chain runs', async (t) => {
  const dataDir = tempFolder(t);
  const { chain, alice, bob, time } = await openTestChain(t, { dataDir });
  const journal = join(dataDir, 'journal.bin');
  const address = generateKeypair().address;
  const write = (fill: number) => {
    const data = Buffer.alloc(8 << 20, fill);
    return chain.setAccount(address, { lamports: SOL, owner: SYSTEM_PROGRAM, executable: false, data });
  };
  const pay = () => execute(chain, [alice], systemTransfer({ from: alice.address, to: bob.address, lamports: 1n }));
  for (let fill = 1; fill <= 15; fill++) await write(fill);
  const early = await pay();
  assert.ok(statSync(journal).size > 100 << 20);
  for (let fill = 16; fill <= 18; fill++) await write(fill);
  await setImmediate();
  assert.ok(statSync(journal).size < 1000);
  await chain.setAccount(alice.address, { ...(await chain.account(alice.address))!, lamports: 7n * SOL });
  time.now += 400;
  const late = await pay();

  // As a crash leaves it, not as the chain is closed.
  const copy = tempFolder(t);
  cpSync(dataDir, copy, { recursive: true });
  rmSync(join(copy, 'lock'));
  const { chain: reopened } = await openTestChain(t, { dataDir: copy, now: () => time.now });
  assert.ok(Buffer.alloc(8 << 20, 18).equals((await reopened.account(address))!.data));
  assert.equal(await lamportsOf(reopened, alice.address), 7n * SOL - 5001n);
  for (const signature of [early, late]) assert.equal(reopened.status(signature)?.err, null);
  assert.equal(reopened.transactionCount, 2n);
});

function tokens(mint: Address, owner: Address, amount: bigint): Account {
  const account = { mint, owner, amount, state: 'initialized' as const, delegatedAmount: 0n, isNative: false };
  return { lamports: 2_039_280n, owner: TOKEN_PROGRAM, executable: false, data: encodeTokenAccount(account) };
}
