import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimInvite, initializeInvite, LIMIT_ORDER_ADDRESSES, parseInviteInstruction } from '@slipway/programs';
import { base58Decode, base58Encode, decodeTransaction, generateKeypair, type Instruction } from '@slipway/wire';
import { craftTransaction } from '../crafting/transaction.js';
import { decodeInviteEvents } from '../indexes/invites/decode.js';
import { decodeOrderEvents } from '../indexes/limit-orders/decode.js';
import { ChainUnavailable, listNewer, listTransactions, type Rpc, RpcError, readPastTransaction } from './index.js';

const rpcThat = (answer: unknown): Rpc => ({
  name: 'test',
  call: async <T>() => {
    if (answer instanceof Error) throw answer;
    return answer as T;
  },
});
const key = () => generateKeypair().address;

/** Another program that calls the claim; the invite program and the claimer come from a lookup table. */
function callingTransaction() {
  const payer = key();
  const claim = claimInvite({ inviteSigner: key(), claimer: key(), keeper: payer });
  const claimer = claim.accounts[2]!.address;
  const caller: Instruction = {
    program: key(),
    accounts: [
      ...claim.accounts.filter(({ address }) => address !== claimer),
      { address: claimer, signer: false, writable: true },
      { address: claim.program, signer: false, writable: false },
    ],
    data: Uint8Array.of(1, 2, 3),
  };
  const table = { address: key(), addresses: [claimer, claim.program] };
  const budget = { computeUnitLimit: 1_000, computeUnitPrice: 0n };
  const blockhash = key();
  const crafted = craftTransaction({
    feePayer: payer,
    instructions: [caller],
    blockhash,
    budget,
    lookupTables: [table],
  });
  return { claim, caller, crafted, loadedAddresses: { writable: [claimer], readonly: [claim.program] } };
}

test('reads what a program of somebody else has called, with accounts from lookup tables', async () => {
  const { claim, caller, crafted, loadedAddresses } = callingTransaction();
  const own = crafted.instructions.flatMap(({ program, accounts }) => [
    program,
    ...accounts.map((each) => each.address),
  ]);
  const { decoded } = decodeTransaction(crafted.wire);
  const all = [...decoded.accounts, ...loadedAddresses.writable, ...loadedAddresses.readonly];
  assert.ok(own.every((address) => all.includes(address)));
  const inner = {
    programIdIndex: all.indexOf(claim.program),
    accounts: claim.accounts.map(({ address }) => all.indexOf(address)),
    data: base58Encode(claim.data),
  };
  const innerInstructions = [{ index: 2, instructions: [inner] }];
  const transaction = [Buffer.from(crafted.wire).toString('base64'), 'base64'];
  const answer = { slot: 7, transaction, meta: { err: null, innerInstructions, loadedAddresses } };
  const read = await readPastTransaction(rpcThat(answer), 'signature');
  assert.ok('instructions' in read);
  assert.deepEqual(
    read.instructions.map(({ program }) => program),
    [crafted.instructions[0]!.program, crafted.instructions[1]!.program, caller.program, claim.program],
  );
  assert.deepEqual(parseInviteInstruction(read.instructions[3]!), parseInviteInstruction(claim));
  assert.ok(read.instructions[3]!.accounts[2]!.writable);

  assert.deepEqual(
    read.instructions.map(({ isCalled }) => isCalled),
    [false, false, false, true],
  );
  assert.deepEqual([read.hasFailed, read.signers], [false, decoded.accounts.slice(0, 2)]);

  const failed = { ...answer, meta: { ...answer.meta, err: { InstructionError: [2, { Custom: 1 }] } } };
  const ownOnes = read.instructions.slice(0, 3);
  assert.deepEqual(await readPastTransaction(rpcThat(failed), 'signature'), {
    slot: 7n,
    hasFailed: true,
    calledLength: base58Encode(claim.data).length,
    signers: read.signers,
    instructions: ownOnes,
  });
  const bare = { ...failed, meta: { ...failed.meta, innerInstructions: null } };
  assert.deepEqual(await readPastTransaction(rpcThat(bare), 'signature'), {
    slot: 7n,
    hasFailed: true,
    calledLength: 0,
    signers: read.signers,
    instructions: ownOnes,
  });
});

test('attack: a stranger on the chain has his own program called with ten kilobytes, 60 times in a transaction: none of it is decoded', async () => {
  const { claim, caller, crafted, loadedAddresses } = callingTransaction();
  const { decoded } = decodeTransaction(crafted.wire);
  const all = [...decoded.accounts, ...loadedAddresses.writable, ...loadedAddresses.readonly];
  let read = 0;
  const calls = Array.from({ length: 60 }, () => ({
    programIdIndex: all.indexOf(caller.program),
    accounts: [],
    get data() {
      read += 1;
      return base58Encode(new Uint8Array(4_000).fill(7));
    },
  }));
  const honest = {
    programIdIndex: all.indexOf(claim.program),
    accounts: claim.accounts.map(({ address }) => all.indexOf(address)),
    data: base58Encode(claim.data),
  };
  const transaction = [Buffer.from(crafted.wire).toString('base64'), 'base64'];
  const answerOf = (instructions: object[]) => ({
    slot: 7,
    transaction,
    meta: { err: null, innerInstructions: [{ index: 2, instructions }], loadedAddresses },
  });
  const past = await readPastTransaction(rpcThat(answerOf([...calls, honest])), 'signature');
  assert.ok('instructions' in past);
  assert.deepEqual(
    decodeInviteEvents(past, claim.program).map(({ kind }) => kind),
    ['claimed'],
  );
  assert.deepEqual(decodeOrderEvents(past, LIMIT_ORDER_ADDRESSES), []);
  assert.equal(read, 0);
});

test('attack: a stranger on the chain claims an invite by a call with kilobytes behind its arguments: the claim is read all the same', async () => {
  const { claim, crafted, loadedAddresses } = callingTransaction();
  const { decoded } = decodeTransaction(crafted.wire);
  const all = [...decoded.accounts, ...loadedAddresses.writable, ...loadedAddresses.readonly];
  const transaction = [Buffer.from(crafted.wire).toString('base64'), 'base64'];
  for (const fill of [0, 255, 7]) {
    const instruction = {
      programIdIndex: all.indexOf(claim.program),
      accounts: claim.accounts.map(({ address }) => all.indexOf(address)),
      data: base58Encode(Uint8Array.from([...claim.data, ...new Uint8Array(10_000).fill(fill)])),
    };
    const innerInstructions = [{ index: 2, instructions: [instruction] }];
    const past = await readPastTransaction(
      rpcThat({ slot: 7, transaction, meta: { err: null, innerInstructions, loadedAddresses } }),
      'signature',
    );
    assert.ok('instructions' in past);
    assert.deepEqual(
      decodeInviteEvents(past, claim.program).map(({ kind }) => kind),
      ['claimed'],
    );
    assert.throws(() => past.instructions.at(-1)!.data, RangeError);
  }
});

test('attack: a stranger on the chain claims an invite beside making one whose terms cannot be told: the claim is read all the same', async () => {
  const { claim, crafted, loadedAddresses } = callingTransaction();
  const { decoded } = decodeTransaction(crafted.wire);
  const all = [...decoded.accounts, ...loadedAddresses.writable, ...loadedAddresses.readonly];
  const accounts = claim.accounts.map(({ address }) => all.indexOf(address));
  const [sender, inviteSigner] = [key(), key()];
  const { data } = initializeInvite({ sender, inviteSigner, amount: 1n << 56n, expiry: 1n });
  const programIdIndex = all.indexOf(claim.program);
  const instructions = [
    { programIdIndex, accounts, data: base58Encode(Uint8Array.from([...data, ...new Uint8Array(10_000)])) },
    { programIdIndex, accounts, data: base58Encode(claim.data) },
  ];
  const meta = { err: null, innerInstructions: [{ index: 2, instructions }], loadedAddresses };
  const transaction = [Buffer.from(crafted.wire).toString('base64'), 'base64'];
  const past = await readPastTransaction(rpcThat({ slot: 7, transaction, meta }), 'signature');
  assert.ok('instructions' in past);
  const kinds = decodeInviteEvents(past, claim.program).map(({ kind }) => kind);
  assert.deepEqual(kinds, ['claimed']);
});

test('attack: a stranger on the chain fills an order by a call with kilobytes behind its arguments: the trade is read all the same', async () => {
  const { crafted, loadedAddresses } = callingTransaction();
  const [taker, orderKey] = [key(), key()];
  const tag = Buffer.from('e445a52e51cb9a1dbddb7fd34ee661ee', 'hex');
  const amounts = Buffer.from(BigUint64Array.of(1n, 2n, 3n, 4n).buffer);
  const trade = Buffer.concat([tag, base58Decode(orderKey)!, base58Decode(taker)!, amounts]);
  const readonly = [LIMIT_ORDER_ADDRESSES.program];
  const loaded = { writable: loadedAddresses.writable, readonly };
  const programIdIndex = decodeTransaction(crafted.wire).decoded.accounts.length + loaded.writable.length;
  const call = (data: Uint8Array) => ({ programIdIndex, accounts: [], data: base58Encode(data) });
  const instructions = [call(new Uint8Array(4_000).fill(7)), call(trade)];
  const meta = { err: null, innerInstructions: [{ index: 2, instructions }], loadedAddresses: loaded };
  const transaction = [Buffer.from(crafted.wire).toString('base64'), 'base64'];
  const past = await readPastTransaction(rpcThat({ slot: 7, transaction, meta }), 'signature');
  assert.ok('instructions' in past);
  const events = decodeOrderEvents(past, LIMIT_ORDER_ADDRESSES);
  assert.deepEqual(
    events.map(({ orderKey: of, event }) => [of, event.kind]),
    [[orderKey, 'traded']],
  );
});

test('attack: a stranger on the chain claims an invite by a transaction of version 1: the claim is read all the same', async () => {
  const { claim } = callingTransaction();
  const accounts = [...new Set([...claim.accounts.map(({ address }) => address), claim.program])];
  const bytes = (address: string) => [...base58Decode(address)!];
  const wire = Uint8Array.from([
    ...[0x81, 2, 0, 1],
    // A priority fee and a limit of compute units.
    ...[0b111, 0, 0, 0],
    ...bytes(key()),
    ...[1, accounts.length],
    ...accounts.flatMap(bytes),
    ...new Uint8Array(12).fill(7),
    ...[accounts.length - 1, claim.accounts.length, claim.data.length, 0],
    ...claim.accounts.map(({ address }) => accounts.indexOf(address)),
    ...claim.data,
    ...new Uint8Array(2 * 64).fill(9),
  ]);
  const transaction = [Buffer.from(wire).toString('base64'), 'base64'];
  const rpc: Rpc = {
    name: 'node.example',
    async call<T>(_method: string, params: unknown[]): Promise<T> {
      const { maxSupportedTransactionVersion: most } = params[1] as { maxSupportedTransactionVersion: number };
      if (most < 1) throw new RpcError(-32015, 'Transaction version (1) is not supported by the requesting client');
      return { slot: 7, transaction, meta: { err: null, innerInstructions: [] }, version: 1 } as T;
    },
  };
  const past = await readPastTransaction(rpc, 'signature');
  assert.ok('instructions' in past);
  assert.deepEqual(past.signers, accounts.slice(0, 2));
  const [claimed] = decodeInviteEvents(past, claim.program);
  assert.deepEqual([claimed?.kind, claimed?.invitePda], ['claimed', claim.accounts[0]!.address]);
});

test('says why a transaction cannot be read, and throws where the node is away', async () => {
  const refusal = new RpcError(-32015, 'Transaction version (1) is not supported');
  const wires = [
    null,
    { meta: null },
    { meta: { err: null } },
    { meta: { err: null, innerInstructions: [] } },
    refusal,
  ];
  for (const answer of wires) {
    const read = await readPastTransaction(rpcThat(answer), 'signature');
    assert.ok('unreadable' in read && read.unreadable !== '', JSON.stringify(answer));
  }
  await assert.rejects(readPastTransaction(rpcThat(new ChainUnavailable('away')), 'signature'), ChainUnavailable);
});

test('a listed transaction without a time has that of a neighbor', async () => {
  const rows = [
    { signature: 'd', slot: 4, blockTime: null },
    { signature: 'c', slot: 3, blockTime: 30 },
    { signature: 'b', slot: 2, blockTime: null },
    { signature: 'a', slot: 1 },
  ];
  const listed = await listTransactions(rpcThat(rows), key(), {});
  assert.deepEqual(
    listed.map(({ txId, slot, at }) => [txId, slot, at.getTime()]),
    [
      ['d', 4n, 30_000],
      ['c', 3n, 30_000],
      ['b', 2n, 30_000],
      ['a', 1n, 30_000],
    ],
  );
  await assert.rejects(listTransactions(rpcThat({}), key(), {}), ChainUnavailable);
});

test('attack: a node lists millions of transactions of a program that are new: the oldest 100,000 are kept, and the others listed after them', async () => {
  const all = Array.from({ length: 250_500 }, (_, i) => ({
    signature: `tx ${i}`,
    slot: 1_000 + Math.floor(i / 7),
    blockTime: 1,
  }));
  const rpc: Rpc = {
    name: 'node.example',
    async call<T>(method: string, params: unknown[]): Promise<T> {
      if (method === 'getSignatureStatuses') return { value: [{ slot: 1 }] } as T;
      const { before, until, limit } = params[1] as { before?: string; until?: string; limit: number };
      const end = before === undefined ? all.length : Number(before.slice(3));
      const first = until === undefined ? 0 : Number(until.slice(3)) + 1;
      return all.slice(Math.max(first, end - limit), end).reverse() as T;
    },
  };
  const program = key();
  const read: string[] = [];
  for (let newest = { txId: 'tx 0', slot: 1_000n }, rounds = 0, isAll = false; !isAll; rounds++) {
    const listed = await listNewer(rpc, program, newest);
    assert.ok(listed.isWhole && listed.found.length <= 100_000 && rounds < 3);
    read.push(...listed.found.map(({ txId }) => txId).reverse());
    newest = listed.found[0]!;
    isAll = listed.isAll;
    const next = all[Number(newest.txId.slice(3)) + 1];
    assert.ok(next === undefined || BigInt(next.slot) > newest.slot, 'a part of a slot');
  }
  assert.equal(read.length, all.length - 1);
  assert.ok(read.every((txId, i) => txId === `tx ${i + 1}`));
});
