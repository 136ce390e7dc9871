import assert from 'node:assert/strict';
import test from 'node:test';
import {
  compileMessage,
  encodeTransaction,
  generateKeypair,
  MOST_LAMPORTS_PER_BYTE,
  SYSTEM_PROGRAM,
  sign,
  systemTransfer,
} from '@slipway/wire';
import { AccountsDb } from './accounts-db.js';
import { Bank } from './bank.js';
import { SOL } from './chain-testing.js';
import { parseTransaction } from './chain-transaction.js';
import { createMemoryStorage } from './memory-storage.js';
import { Vm } from './vm.js';

test('a transaction that cannot be stored is not confirmed and leaves nothing, and can be sent again', () => {
  const db = new AccountsDb();
  const memory = createMemoryStorage();
  let isFull = true;
  const bank = new Bank({
    vm: new Vm(MOST_LAMPORTS_PER_BYTE),
    db,
    storage: {
      ...memory,
      commit(slot, changes, execution) {
        if (isFull) throw new Error('no space left on device');
        memory.commit(slot, changes, execution);
      },
    },
    state: {
      seed: '00'.repeat(32),
      clock: { firstSlot: 1000n, startMs: 0, offsetMs: 0 },
      lastSlot: 1000n,
      transactionCount: 0n,
      fork: null,
      faucetName: 'faucet',
      tokens: [],
      receiver: SYSTEM_PROGRAM,
      programs: {},
    },
    now: () => 0,
    builtins: new Map(),
    deleted: undefined,
    isLocal: () => true,
    markLocal() {},
  });
  const payer = generateKeypair();
  const to = generateKeypair().address;
  db.set(payer.address, { lamports: 10n * SOL, owner: SYSTEM_PROGRAM, executable: false, data: new Uint8Array() });
  const { blockhash } = bank.latestBlockhash;
  const instructions = [systemTransfer({ from: payer.address, to, lamports: 6n * SOL })];
  const message = compileMessage({ version: 0, feePayer: payer.address, instructions, blockhash });
  const transaction = parseTransaction(encodeTransaction({ signatures: [sign(payer, message)], message }));

  assert.throws(() => bank.execute(transaction, false), /no space left/);
  assert.equal(bank.read(payer.address)?.lamports, 10n * SOL);
  assert.equal(bank.read(to), undefined);
  assert.equal(bank.transactionCount, 0n);
  isFull = false;
  // With what the first try left in the virtual machine there would be too little for a second one.
  bank.execute(transaction, false);
  assert.equal(bank.read(to)?.lamports, 6n * SOL);
  assert.equal(bank.read(payer.address)?.lamports, 4n * SOL - 5000n);
});
