import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Localnet, startLocalnet } from '@slipway/localnet';
import {
  type Address,
  associatedTokenAddress,
  base58Decode,
  decodeTokenAccount,
  decodeTransaction,
  encodeTransaction,
  generateKeypair,
  type Keypair,
  keypairFromSecret,
  MAX_TRANSACTION_SIZE,
  sign,
  TOKEN_PROGRAM,
  withSignature,
} from '@slipway/wire';
import * as fc from 'fast-check';
import { MAX_COMPUTE_UNITS, unitLimitFrom } from './budget.js';
import { craftPayment, type Payment } from './payment.js';
import { craftTransaction, feeOf, TransactionTooLarge } from './transaction.js';

const MINT = 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN' as Address;
const DECIMALS = 6;
const blockhash = generateKeypair().address;

const anyAddress = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(() => generateKeypair().address);
const anyBudget = fc.record({
  computeUnitLimit: fc.integer({ min: 0, max: MAX_COMPUTE_UNITS }),
  computeUnitPrice: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
});
const anyPayment = fc
  .record({
    sender: anyAddress,
    receiver: anyAddress,
    gasless: fc.boolean(),
    mint: anyAddress,
    createDestination: fc.boolean(),
    decimals: fc.integer({ min: 0, max: 255 }),
    amount: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
    reference: fc.uuid(),
  })
  .map(({ gasless, ...asked }): Payment => {
    const { sender, receiver, mint } = asked;
    return {
      ...asked,
      feePayer: gasless ? generateKeypair().address : sender,
      source: associatedTokenAddress(sender, mint),
      destination: associatedTokenAddress(receiver, mint),
      tokenProgram: TOKEN_PROGRAM,
    };
  });

describe('a crafted payment', () => {
  it('says what was asked for, in any packet, for 1,000 random payments', () => {
    fc.assert(
      fc.property(anyPayment, anyBudget, (payment, budget) => {
        const { wire, signers, feeLamports } = craftPayment(payment, blockhash, budget);
        assert.ok(wire.length <= MAX_TRANSACTION_SIZE);
        assert.deepEqual(new Set(signers), new Set([payment.feePayer, payment.sender]));
        assert.equal(signers[0], payment.feePayer);
        assert.equal(feeLamports, feeOf(signers.length, budget));
        // Read by hand, not by the code that wrote it: the amount stands in the transfer's data.
        const { decoded } = decodeTransaction(wire);
        const transfer = decoded.instructions.at(-2)!;
        const [source, mint, destination, authority] = transfer.accountIndexes.map((index) => decoded.accounts[index]);
        assert.equal(Buffer.from(transfer.data).readBigUInt64LE(1), payment.amount);
        assert.deepEqual(
          { source, mint, destination, authority },
          { source: payment.source, mint: payment.mint, destination: payment.destination, authority: payment.sender },
        );
        assert.equal(Buffer.from(decoded.instructions.at(-1)!.data).toString(), payment.reference);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the same bytes for the same input, and others for another reference', () => {
    fc.assert(
      fc.property(anyPayment, anyBudget, fc.uuid(), (payment, budget, reference) => {
        fc.pre(reference !== payment.reference);
        const { wire } = craftPayment(payment, blockhash, budget);
        assert.deepEqual(craftPayment(payment, blockhash, budget).wire, wire);
        assert.notDeepEqual(craftPayment({ ...payment, reference }, blockhash, budget).wire, wire);
      }),
      { numRuns: 200 },
    );
  });

  it('is refused when it does not fit, with the bytes that are too many', () => {
    const feePayer = generateKeypair().address;
    const data = new Uint8Array(1_100);
    const instructions = [{ program: MINT, accounts: [], data }];
    const budget = { computeUnitLimit: 1, computeUnitPrice: 0n };
    assert.throws(
      () => craftTransaction({ feePayer, instructions, blockhash, budget }),
      (error) =>
        error instanceof TransactionTooLarge &&
        error.size > error.limit &&
        error.message.includes(`${error.size - error.limit} more`),
    );
  });
});

describe('a crafted payment on the virtual machine', () => {
  let chain: Localnet;
  let wallets: Keypair[];
  let receiver: Address;

  before(async () => {
    chain = await startLocalnet({ rpcPort: 0 });
    const info = (await chain.call('localnet_info')) as { wallets: { secretKey: string }[]; receiver: Address };
    receiver = info.receiver;
    wallets = info.wallets.map(({ secretKey }) => keypairFromSecret(base58Decode(secretKey)!));
  });
  after(() => chain.close());

  it('moves exactly the amount and costs exactly the quoted fee, over random payments', async () => {
    const money = fc.record({
      from: fc.nat(),
      gasless: fc.boolean(),
      amount: fc.bigInt({ min: 1n, max: 2_000_000n }),
      price: fc.bigInt({ min: 0n, max: 5_000_000n }),
      reference: fc.uuid(),
    });
    await fc.assert(
      fc.asyncProperty(money, async ({ from, gasless, amount, price, reference }) => {
        const sender = wallets[from % wallets.length]!;
        const payer = gasless ? wallets[(from + 1) % wallets.length]! : sender;
        const payment = paymentOf(sender.address, payer.address, receiver, amount, reference);
        const used = await simulatedUnits(craft(payment, await latest(), MAX_COMPUTE_UNITS, 0n).wire);
        const crafted = craft(payment, await latest(), unitLimitFrom(used), price);
        const old = await balances(payment);
        await send(crafted.wire, [...new Set([payer, sender])]);
        const now = await balances(payment);
        assert.equal(now.source, old.source - amount);
        assert.equal(now.destination, old.destination + amount);
        assert.equal(now.payer, old.payer - crafted.feeLamports);
        if (gasless) assert.equal(now.sender, old.sender);
      }),
      { numRuns: 1_000 },
    );
  });

  it("costs the payer the rent of the receiver's account, and nothing more, when it must be made", async () => {
    const [sender] = wallets as [Keypair];
    const payment = {
      ...paymentOf(sender.address, sender.address, generateKeypair().address, 5n, 'r'),
      createDestination: true,
    };
    const crafted = craft(payment, await latest(), 200_000, 1_000n);
    const old = await balances(payment);
    await send(crafted.wire, [sender]);
    const now = await balances(payment);
    assert.equal(now.destination, 5n);
    const rent = BigInt((await chain.call('getMinimumBalanceForRentExemption', [165])) as number);
    assert.equal(now.payer, old.payer - crafted.feeLamports - rent);
  });

  function paymentOf(sender: Address, feePayer: Address, to: Address, amount: bigint, reference: string): Payment {
    return {
      sender,
      feePayer,
      receiver: to,
      amount,
      reference,
      source: associatedTokenAddress(sender, MINT),
      destination: associatedTokenAddress(to, MINT),
      createDestination: false,
      mint: MINT,
      tokenProgram: TOKEN_PROGRAM,
      decimals: DECIMALS,
    };
  }

  function craft(payment: Payment, hash: string, computeUnitLimit: number, computeUnitPrice: bigint) {
    return craftPayment(payment, hash, { computeUnitLimit, computeUnitPrice });
  }

  async function latest(): Promise<string> {
    return ((await chain.call('getLatestBlockhash')) as { value: { blockhash: string } }).value.blockhash;
  }

  async function simulatedUnits(wire: Uint8Array): Promise<number> {
    const encoded = Buffer.from(wire).toString('base64');
    const answer = await chain.call('simulateTransaction', [encoded, { encoding: 'base64' }]);
    const { err, unitsConsumed } = (answer as { value: { err: unknown; unitsConsumed: number } }).value;
    assert.equal(err, null);
    return unitsConsumed;
  }

  async function send(wire: Uint8Array, signers: Keypair[]): Promise<void> {
    let { decoded: _, ...transaction } = decodeTransaction(wire);
    for (const signer of signers) {
      transaction = withSignature(transaction, signer.address, sign(signer, transaction.message));
    }
    const encoded = Buffer.from(encodeTransaction(transaction)).toString('base64');
    await chain.call('sendTransaction', [encoded, { encoding: 'base64' }]);
  }

  async function balances({ feePayer, sender, source, destination }: Payment) {
    const addresses = [feePayer, sender, source, destination];
    const answer = await chain.call('getMultipleAccounts', [addresses, { encoding: 'base64' }]);
    const { value } = answer as { value: ({ lamports: number; data: [string] } | null)[] };
    const tokens = (index: number) => {
      const account = value[index];
      return account ? decodeTokenAccount(Buffer.from(account.data[0], 'base64'))!.amount : 0n;
    };
    return {
      payer: BigInt(value[0]!.lamports),
      sender: BigInt(value[1]!.lamports),
      source: tokens(2),
      destination: tokens(3),
    };
  }
});
