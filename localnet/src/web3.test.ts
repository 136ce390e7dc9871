import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { base58Decode } from '@slipway/wire';
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  getAccount,
  getAssociatedTokenAddressSync,
  getMint,
} from '@solana/spl-token';
import {
  AddressLookupTableProgram,
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  SendTransactionError,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { found, startTestNet, type TestNet } from './testing.js';

let net: TestNet;
let connection: Connection;
before(async () => {
  net = await startTestNet();
  connection = new Connection(net.localnet.rpcUrl, 'confirmed');
});
after(async () => {
  // web3.js closes its socket half a second after the last subscription; a socket that is cut off it opens for ever.
  const { _rpcWebSocket: client } = connection as unknown as { _rpcWebSocket: { socket?: object } };
  while (client.socket) await new Promise((resolve) => setTimeout(resolve, 10));
  await net.localnet.close();
});

const keypair = (name: string) => Keypair.fromSecretKey(found(base58Decode(net.wallet(name).secretKey)));

/** Waits until `value` has come, for notifications that web3.js only gives to a callback. */
function firstCall<T>(): { seen: Promise<T>; callback: (value: T) => void } {
  let callback: (value: T) => void = () => {};
  const seen = new Promise<T>((resolve) => {
    callback = resolve;
  });
  return { seen, callback };
}

/** web3.js resubscribes in the background: a listener works from the moment its subscription is confirmed. */
async function subscribed(): Promise<void> {
  // What it keeps of each is its own; it tells nobody when one is confirmed.
  const { _subscriptionsByHash: all } = connection as unknown as {
    _subscriptionsByHash: Record<string, { state: string }>;
  };
  while (Object.values(all).some(({ state }) => state !== 'subscribed'))
    await new Promise((resolve) => setTimeout(resolve, 10));
}

test('web3.js: sendAndConfirmTransaction moves lamports, and the same transfer works again', async () => {
  const alice = keypair('alice');
  const toPubkey = Keypair.generate().publicKey;
  const transfer = () =>
    new Transaction().add(
      SystemProgram.transfer({ fromPubkey: alice.publicKey, toPubkey, lamports: 0.1 * LAMPORTS_PER_SOL }),
    );
  const first = await sendAndConfirmTransaction(connection, transfer(), [alice]);
  const second = await sendAndConfirmTransaction(connection, transfer(), [alice]);
  assert.notEqual(first, second);
  assert.equal(await connection.getBalance(toPubkey), 0.2 * LAMPORTS_PER_SOL);
});

test('web3.js: requestAirdrop with confirmTransaction', async () => {
  const { publicKey } = Keypair.generate();
  const latest = await connection.getLatestBlockhash();
  const signature = await connection.requestAirdrop(publicKey, LAMPORTS_PER_SOL);
  const { value } = await connection.confirmTransaction({ signature, ...latest });
  assert.equal(value.err, null);
  assert.equal(await connection.getBalance(publicKey), LAMPORTS_PER_SOL);
});

test('web3.js: a token transfer, read back parsed', async () => {
  const [alice, owner, mint] = [keypair('alice'), Keypair.generate().publicKey, new PublicKey(net.mint('USDC'))];
  const source = getAssociatedTokenAddressSync(mint, alice.publicKey);
  const destination = getAssociatedTokenAddressSync(mint, owner);
  const signature = await sendAndConfirmTransaction(
    connection,
    new Transaction().add(
      createAssociatedTokenAccountIdempotentInstruction(alice.publicKey, destination, owner, mint),
      createTransferCheckedInstruction(source, mint, destination, alice.publicKey, 1_500_000n, 6),
    ),
    [alice],
  );
  assert.equal((await getAccount(connection, destination)).amount, 1_500_000n);
  assert.equal((await getMint(connection, mint)).decimals, 6);
  assert.equal((await connection.getTokenAccountBalance(destination)).value.uiAmount, 1.5);
  const { value: accounts } = await connection.getParsedTokenAccountsByOwner(owner, { mint });
  assert.deepEqual(accounts[0]?.account.data.parsed.info, {
    isNative: false,
    mint: mint.toBase58(),
    owner: owner.toBase58(),
    state: 'initialized',
    tokenAmount: { amount: '1500000', decimals: 6, uiAmount: 1.5, uiAmountString: '1.5' },
  });

  const parsed = await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 });
  const instructions = found(parsed).transaction.message.instructions;
  const [create, transfer] = instructions.map((instruction) =>
    'parsed' in instruction ? instruction.parsed : undefined,
  );
  assert.equal(create.type, 'createIdempotent');
  assert.equal(create.info.wallet, owner.toBase58());
  assert.equal(transfer.type, 'transferChecked');
  assert.deepEqual(transfer.info.tokenAmount, { amount: '1500000', decimals: 6, uiAmount: 1.5, uiAmountString: '1.5' });
  assert.ok(found(parsed?.meta?.innerInstructions).length > 0, 'creating the account calls other programs');

  const raw = found(await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 }));
  assert.equal(raw.transaction.signatures[0], signature);
  const post = raw.meta?.postTokenBalances?.find((balance) => balance.owner === owner.toBase58());
  assert.equal(post?.uiTokenAmount.amount, '1500000');
});

test('web3.js: a lookup table is created, extended and used by a version 0 transaction', async () => {
  const alice = keypair('alice');
  const recipients = Array.from({ length: 3 }, () => Keypair.generate().publicKey);
  const [create, table] = AddressLookupTableProgram.createLookupTable({
    authority: alice.publicKey,
    payer: alice.publicKey,
    recentSlot: (await connection.getSlot()) - 1,
  });
  const extend = AddressLookupTableProgram.extendLookupTable({
    lookupTable: table,
    authority: alice.publicKey,
    payer: alice.publicKey,
    addresses: recipients,
  });
  await sendAndConfirmTransaction(connection, new Transaction().add(create, extend), [alice]);
  const extendedAt = await connection.getSlot();
  while ((await connection.getSlot()) <= extendedAt) await new Promise((resolve) => setTimeout(resolve, 100));

  const account = found((await connection.getAddressLookupTable(table)).value);
  assert.deepEqual(account.state.addresses, recipients);
  const transfers = recipients.map((toPubkey) =>
    SystemProgram.transfer({ fromPubkey: alice.publicKey, toPubkey, lamports: LAMPORTS_PER_SOL }),
  );
  const latest = await connection.getLatestBlockhash();
  const message = new TransactionMessage({
    payerKey: alice.publicKey,
    recentBlockhash: latest.blockhash,
    instructions: transfers,
  }).compileToV0Message([account]);
  const transaction = new VersionedTransaction(message);
  transaction.sign([alice]);
  const signature = await connection.sendTransaction(transaction);
  await connection.confirmTransaction({ signature, ...latest });
  for (const recipient of recipients) assert.equal(await connection.getBalance(recipient), LAMPORTS_PER_SOL);

  const landed = found(await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 }));
  assert.deepEqual(found(landed.meta?.loadedAddresses).writable.map(String).sort(), recipients.map(String).sort());
  assert.equal(landed.transaction.message.addressTableLookups[0]?.accountKey.toBase58(), table.toBase58());
  const parsed = found(await connection.getParsedTransaction(signature, { maxSupportedTransactionVersion: 0 }));
  const sources = parsed.transaction.message.accountKeys.map((key) => [key.pubkey.toBase58(), key.source]);
  assert.deepEqual(new Map(sources as [string, string][]).get(String(recipients[0])), 'lookupTable');
  await assert.rejects(connection.getTransaction(signature), /Transaction version \(0\) is not supported/);
});

test('web3.js: a failing transaction is a SendTransactionError with the logs', async () => {
  const alice = keypair('alice');
  const tooMuch = SystemProgram.transfer({
    fromPubkey: alice.publicKey,
    toPubkey: Keypair.generate().publicKey,
    lamports: 100_000 * LAMPORTS_PER_SOL,
  });
  await assert.rejects(sendAndConfirmTransaction(connection, new Transaction().add(tooMuch), [alice]), (error) => {
    assert.ok(error instanceof SendTransactionError);
    assert.match(error.message, /Error processing Instruction 0: custom program error: 0x1/);
    assert.ok(error.logs?.some((line) => line.includes('insufficient lamports')));
    return true;
  });
});

test('web3.js: without preflight a failing transaction lands with its error and pays its fee', async () => {
  const alice = keypair('bob');
  const before = await connection.getBalance(alice.publicKey);
  const tooMuch: TransactionInstruction = SystemProgram.transfer({
    fromPubkey: alice.publicKey,
    toPubkey: Keypair.generate().publicKey,
    lamports: 100_000 * LAMPORTS_PER_SOL,
  });
  const latest = await connection.getLatestBlockhash();
  const signature = await connection.sendTransaction(
    new Transaction({ ...latest, feePayer: alice.publicKey }).add(tooMuch),
    [alice],
    {
      skipPreflight: true,
    },
  );
  const { value } = await connection.confirmTransaction({ signature, ...latest });
  assert.deepEqual(value.err, { InstructionError: [0, { Custom: 1 }] });
  assert.equal(await connection.getBalance(alice.publicKey), before - 5000);
});

test('web3.js: onAccountChange, onProgramAccountChange and onLogs hear of a transfer', async () => {
  const alice = keypair('alice');
  const toPubkey = Keypair.generate().publicKey;
  const changed = firstCall<number>();
  const logged = firstCall<string>();
  const ofProgram = firstCall<number>();
  const ids = [
    connection.onAccountChange(toPubkey, ({ lamports }) => changed.callback(lamports)),
    connection.onProgramAccountChange(SystemProgram.programId, ({ accountId, accountInfo }) => {
      if (accountId.equals(toPubkey)) ofProgram.callback(accountInfo.lamports);
    }),
  ] as const;
  const logsId = connection.onLogs(toPubkey, ({ signature }) => logged.callback(signature));
  await subscribed();
  const signature = await sendAndConfirmTransaction(
    connection,
    new Transaction().add(
      SystemProgram.transfer({ fromPubkey: alice.publicKey, toPubkey, lamports: LAMPORTS_PER_SOL }),
    ),
    [alice],
  );
  assert.equal(await changed.seen, LAMPORTS_PER_SOL);
  assert.equal(await ofProgram.seen, LAMPORTS_PER_SOL);
  assert.equal(await logged.seen, signature);
  await connection.removeAccountChangeListener(ids[0]);
  await connection.removeProgramAccountChangeListener(ids[1]);
  await connection.removeOnLogsListener(logsId);
});

test('web3.js: batched reads (getParsedTransactions)', async () => {
  const alice = keypair('alice');
  const history = await connection.getSignaturesForAddress(alice.publicKey, { limit: 3 });
  const signatures = history.map((row) => row.signature);
  const parsed = await connection.getParsedTransactions(signatures, { maxSupportedTransactionVersion: 0 });
  assert.deepEqual(
    parsed.map((transaction) => transaction?.transaction.signatures[0]),
    signatures,
  );
});
