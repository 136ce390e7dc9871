import { type Address, SYSTEM_PROGRAM } from '@slipway/wire';
import { bytesIn, wholeIn } from './node-values.js';
import { ask, listOf, type Rpc } from './rpc.js';

export interface ChainAccount {
  lamports: bigint;
  owner: Address;
  executable: boolean;
  /** Of a large account, what it begins with. */
  data: Uint8Array;
}

/**
 * Whether a program has made something of the account. SOL that anybody has sent to an address makes no token account of it, nor
 * keeps one from being made there.
 */
export const isMade = (account: ChainAccount | undefined): account is ChainAccount =>
  account !== undefined && account.owner !== SYSTEM_PROGRAM;

/** As JSON-RPC writes an account. */
export interface RpcAccount {
  lamports: number | bigint;
  owner: string;
  executable: boolean;
  data: [string, 'base64'];
}

/** The most addresses that getMultipleAccounts takes. */
export const MAX_BATCH = 100;
/**
 * Bytes of an account that are read; none that is looked into is longer. Clients name any account, and there are many of ten
 * megabytes: a few of them would be more than one answer may have, also for those who wait for the same one.
 */
export const MAX_DATA = 32 * 1024;
/** How many calls one turn's reads may have at the node at the same time. */
const MAX_CALLS = 8;

/** What a node says of an address. */
export interface AccountReading {
  account: ChainAccount | undefined;
  /** Of the node that answered. */
  slot: bigint;
}

/** `createReadings`, for whom it does not matter which node answers. */
export function createAccountReader(rpc: Rpc): (address: Address) => Promise<ChainAccount | undefined> {
  const read = createReadings(rpc);
  return async (address) => (await read(address)).account;
}

/**
 * Reads accounts. Reads within one turn of the event loop go out as one call, with each address once. Nothing is cached
 * longer, so an answer is never older than its question.
 */
export function createReadings(rpc: Rpc): (address: Address) => Promise<AccountReading> {
  let open: { addresses: Set<Address>; answer: Promise<Map<Address, AccountReading>> } | undefined;

  function openBatch() {
    const addresses = new Set<Address>();
    const answer = nextTurn().then(() => {
      open = undefined;
      return fetchAll(rpc, [...addresses]);
    });
    open = { addresses, answer };
    return open;
  }

  return async (address) => {
    const batch = open ?? openBatch();
    batch.addresses.add(address);
    return (await batch.answer).get(address)!;
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function fetchAll(rpc: Rpc, addresses: Address[]): Promise<Map<Address, AccountReading>> {
  const found = new Map<Address, AccountReading>();
  const parts: Address[][] = [];
  for (let from = 0; from < addresses.length; from += MAX_BATCH) parts.push(addresses.slice(from, from + MAX_BATCH));
  const waiting = parts.values();
  const takeTurns = async () => {
    for (const part of waiting) {
      const { slot, accounts } = await fetchAccounts(rpc, part);
      for (const [index, address] of part.entries()) found.set(address, { slot, account: accounts[index] });
    }
  };
  await Promise.all(Array.from({ length: MAX_CALLS }, takeTurns));
  return found;
}

function fetchAccounts(rpc: Rpc, addresses: Address[]) {
  const dataSlice = { offset: 0, length: MAX_DATA };
  const params = [addresses, { encoding: 'base64', commitment: 'confirmed', dataSlice }];
  type Answer = { context: { slot: number }; value: (RpcAccount | null)[] };
  return ask(rpc, 'getMultipleAccounts', params, ({ context, value }: Answer) => ({
    slot: wholeIn(context.slot),
    accounts: listOf(value, addresses.length).map(readRpcAccount),
  }));
}

/** @throws TypeError, RangeError or SyntaxError if it is not an account. */
export function readRpcAccount(account: RpcAccount | null): ChainAccount | undefined {
  if (account === null) return undefined;
  const { lamports, owner, executable, data } = account;
  if (typeof owner !== 'string' || !Array.isArray(data)) throw new TypeError('no account');
  return { lamports: wholeIn(lamports), owner: owner as Address, executable, data: beginningOf(bytesIn(data[0])) };
}

/**
 * The account, to be kept for long: bytes of a few kilobytes are cut out of 8 KiB that Node shares among whatever comes at the
 * same time, and would keep them all.
 */
export function ownAccount(account: ChainAccount): ChainAccount {
  const { data } = account;
  return data.buffer.byteLength === data.length ? account : { ...account, data: new Uint8Array(data) };
}

/** A copy, so that the rest is not kept. */
function beginningOf(data: Buffer): Uint8Array {
  return data.length > MAX_DATA ? Buffer.from(data.subarray(0, MAX_DATA)) : data;
}
