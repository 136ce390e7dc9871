import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  address,
  airdropFactory,
  appendTransactionMessageInstructions,
  assertIsTransactionWithBlockhashLifetime,
  assertIsTransactionWithDurableNonceLifetime,
  compileTransaction,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  isSolanaError,
  lamports,
  pipe,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  sendAndConfirmDurableNonceTransactionFactory,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLifetimeUsingDurableNonce,
  signTransactionMessageWithSigners,
  type TransactionSigner,
} from '@solana/kit';
import {
  fetchNonce,
  getCreateAccountInstruction,
  getInitializeNonceAccountInstruction,
  getNonceSize,
  getTransferSolInstruction,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system';
import { startTestNet, type TestNet } from './testing.js';

const SOL = 1_000_000_000n;

let net: TestNet;
before(async () => {
  net = await startTestNet();
});
after(() => net.localnet.close());

function clients() {
  return {
    rpc: createSolanaRpc(net.localnet.rpcUrl),
    rpcSubscriptions: createSolanaRpcSubscriptions(net.localnet.wsUrl),
  };
}

async function signer(name: string) {
  return createKeyPairSignerFromBytes(getBase58Encoder().encode(net.wallet(name).secretKey));
}

async function messageOf(payer: TransactionSigner, instructions: Instruction[]) {
  const { value: blockhash } = await clients().rpc.getLatestBlockhash().send();
  return pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayerSigner(payer, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(blockhash, message),
    (message) => appendTransactionMessageInstructions(instructions, message),
  );
}

async function send(payer: TransactionSigner, instructions: Instruction[]) {
  const transaction = await signTransactionMessageWithSigners(await messageOf(payer, instructions));
  assertIsTransactionWithBlockhashLifetime(transaction);
  await sendAndConfirmTransactionFactory(clients())(transaction, { commitment: 'confirmed' });
  return getSignatureFromTransaction(transaction);
}

test('kit: airdropFactory funds a new wallet', async () => {
  const { rpc, rpcSubscriptions } = clients();
  const { address: recipientAddress } = await generateKeyPairSigner();
  const airdrop = airdropFactory({ rpc, rpcSubscriptions });
  await airdrop({ commitment: 'finalized', lamports: lamports(2n * SOL), recipientAddress });
  const { value } = await rpc.getBalance(recipientAddress).send();
  assert.equal(value, 2n * SOL);
});

test('kit: sendAndConfirmTransactionFactory lands a transfer that getTransaction shows', async () => {
  const { rpc } = clients();
  const alice = await signer('alice');
  const { address: destination } = await generateKeyPairSigner();
  const signature = await send(alice, [getTransferSolInstruction({ source: alice, destination, amount: SOL })]);
  const transaction = await rpc
    .getTransaction(signature, { encoding: 'json', maxSupportedTransactionVersion: 0 })
    .send();
  assert.equal(transaction?.meta?.err, null);
  assert.equal(transaction?.meta?.fee, 5000n);
  assert.equal(transaction?.version, 0);
  const index = transaction?.transaction.message.accountKeys.indexOf(destination) ?? -1;
  assert.equal(transaction?.meta?.postBalances[index], SOL);
  const history = await rpc.getSignaturesForAddress(destination).send();
  assert.deepEqual(
    history.map((row) => row.signature),
    [signature],
  );
});

test('kit: a failing preflight is its error with the program error inside', async () => {
  const alice = await signer('alice');
  const { address: destination } = await generateKeyPairSigner();
  const tooMuch = getTransferSolInstruction({ source: alice, destination, amount: 10n ** 15n });
  await assert.rejects(send(alice, [tooMuch]), (error) => {
    assert.ok(isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE));
    assert.match(`${error.cause}`, /Custom program error: #1/);
    assert.ok(error.context.logs?.some((line) => line.includes('insufficient lamports')));
    return true;
  });
});

test('kit: sendAndConfirmDurableNonceTransactionFactory lands a transaction that lives by a nonce', async () => {
  const { rpc, rpcSubscriptions } = clients();
  const alice = await signer('alice');
  const nonceAccount = await generateKeyPairSigner();
  const space = BigInt(getNonceSize());
  const rent = await rpc.getMinimumBalanceForRentExemption(space).send();
  await send(alice, [
    getCreateAccountInstruction({
      payer: alice,
      newAccount: nonceAccount,
      lamports: rent,
      space,
      programAddress: SYSTEM_PROGRAM_ADDRESS,
    }),
    getInitializeNonceAccountInstruction({ nonceAccount: nonceAccount.address, nonceAuthority: alice.address }),
  ]);
  const { data } = await fetchNonce(rpc, nonceAccount.address);
  const { address: destination } = await generateKeyPairSigner();
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (m) => setTransactionMessageFeePayerSigner(alice, m),
    (m) =>
      setTransactionMessageLifetimeUsingDurableNonce(
        {
          nonce: data.blockhash as string as Parameters<
            typeof setTransactionMessageLifetimeUsingDurableNonce
          >[0]['nonce'],
          nonceAccountAddress: nonceAccount.address,
          nonceAuthorityAddress: alice.address,
        },
        m,
      ),
    (m) =>
      appendTransactionMessageInstructions([getTransferSolInstruction({ source: alice, destination, amount: SOL })], m),
  );
  const transaction = await signTransactionMessageWithSigners(message);
  assertIsTransactionWithDurableNonceLifetime(transaction);
  await sendAndConfirmDurableNonceTransactionFactory({ rpc, rpcSubscriptions })(transaction, {
    commitment: 'confirmed',
  });
  assert.equal((await rpc.getBalance(destination).send()).value, SOL);
  const moved = await fetchNonce(rpc, nonceAccount.address);
  assert.notEqual(moved.data.blockhash, data.blockhash);
});

test('kit: an unsigned transaction is simulated, with the accounts as it would leave them', async () => {
  const { rpc } = clients();
  const alice = await signer('alice');
  const { address: destination } = await generateKeyPairSigner();
  const transfer = getTransferSolInstruction({ source: alice, destination, amount: 3n * SOL });
  const unsigned = compileTransaction(await messageOf(alice, [transfer]));
  const { value } = await rpc
    .simulateTransaction(getBase64EncodedWireTransaction(unsigned), {
      encoding: 'base64',
      replaceRecentBlockhash: true,
      innerInstructions: true,
      accounts: { encoding: 'base64', addresses: [destination, alice.address] },
    })
    .send();
  assert.equal(value.err, null);
  assert.equal(value.accounts[0]?.lamports, 3n * SOL);
  assert.ok((value.unitsConsumed ?? 0n) > 0n);
  assert.ok(value.replacementBlockhash.lastValidBlockHeight > 0n);
  assert.equal((await rpc.getBalance(destination).send()).value, 0n, 'nothing was executed');
});

test('kit: account, logs, program, slot and root subscriptions tell what happens', async () => {
  const { rpcSubscriptions } = clients();
  const alice = await signer('alice');
  const { address: destination } = await generateKeyPairSigner();
  const abortController = new AbortController();
  const options = { abortSignal: abortController.signal };
  const accounts = await rpcSubscriptions.accountNotifications(destination, { encoding: 'base64' }).subscribe(options);
  const logs = await rpcSubscriptions.logsNotifications({ mentions: [destination] }).subscribe(options);
  const programs = await rpcSubscriptions
    .programNotifications(SYSTEM_PROGRAM_ADDRESS, { encoding: 'base64', filters: [{ dataSize: 0n }] })
    .subscribe(options);
  const slots = await rpcSubscriptions.slotNotifications().subscribe(options);
  const roots = await rpcSubscriptions.rootNotifications().subscribe(options);
  // Asked for before the transfer: kit drops what comes while nobody iterates.
  const told = Promise.all([
    first(accounts, () => true),
    first(logs, () => true),
    first(programs, ({ value }) => value.pubkey === destination),
  ]);
  const signature = await send(alice, [getTransferSolInstruction({ source: alice, destination, amount: SOL })]);
  const [account, log, ofProgram] = await told;
  assert.equal(account.value.lamports, SOL);
  assert.equal(account.value.owner, SYSTEM_PROGRAM_ADDRESS);
  assert.equal(log.value.signature, signature);
  assert.equal(log.value.err, null);
  assert.ok(log.value.logs?.some((line) => line.includes('11111111111111111111111111111111 success')));
  assert.equal(ofProgram.value.account.lamports, SOL);

  const { slot, parent } = await first(slots, () => true);
  assert.equal(parent, slot - 1n);
  assert.ok((await first(slots, () => true)).slot > slot);
  assert.equal(typeof (await first(roots, () => true)), 'bigint');
  abortController.abort();
});

async function first<T>(notifications: AsyncIterable<T>, wanted: (notification: T) => boolean): Promise<T> {
  for await (const notification of notifications) {
    if (wanted(notification)) return notification;
  }
  throw new Error('the subscription ended');
}

test('kit: token accounts are read parsed', async () => {
  const { rpc } = clients();
  const owner = address(net.wallet('bob').address);
  const mint = address(net.mint('USDC'));
  const { value } = await rpc.getTokenAccountsByOwner(owner, { mint }, { encoding: 'jsonParsed' }).send();
  assert.equal(value.length, 1);
  const info = value[0]?.account.data.parsed.info;
  assert.equal(info?.owner, owner);
  assert.equal(info?.tokenAmount.amount, '1000000000000');
  assert.equal(info?.tokenAmount.uiAmountString, '1000000');
});
