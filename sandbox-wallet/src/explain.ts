import { PROGRAM_NAMES, readTransaction, tellTransaction } from '@slipway/checks';
import { ROUTER_PROGRAM } from '@slipway/programs/formats';
import {
  type Address,
  decodeLookupTable,
  decodeMint,
  decodeTokenAccount,
  decodeTransaction,
  isAddress,
  type LookupTable,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type TokenAccount,
  WRAPPED_SOL_MINT,
} from '@slipway/wire/formats';
import { callChain, fromBase64, type Sandbox, toBase64 } from './sandbox.js';

/** What somebody reads before he signs a transaction. */
export interface Explanation {
  /** How the wallet's balances would change, by a simulation now. */
  changes: readonly string[];
  /** Why it would fail now, where it would. */
  failure: string | undefined;
  /** Who pays the network, and how much. */
  fee: string;
  instructions: readonly { program: string; does: string | undefined }[];
}

interface Account {
  owner: string;
  lamports: number;
  data: [string, 'base64'];
}

/** Most accounts that one call of the chain takes. */
const MOST_ACCOUNTS = 100;

/** Decodes a transaction, and asks the chain what its accounts are and what it would change. @throws Error */
export async function explain(sandbox: Sandbox, wire: Uint8Array, wallet: string): Promise<Explanation> {
  const { lookups } = decodeTransaction(wire).decoded;
  const read = readTransaction(
    wire,
    await readTables(
      sandbox,
      lookups.map(({ table }) => table),
    ),
  );
  const named = read.instructions.flatMap(({ accounts }) => accounts.map(({ address }) => address));
  const addresses = [...new Set([wallet as Address, ...read.signers, ...named])].slice(0, MOST_ACCOUNTS);
  const before = await readAccounts(sandbox, addresses);
  const tokens = tokensOf(addresses, before);
  const words = wordsOf(sandbox, await decimalsOf(sandbox, tokens), tokens);
  const told = tellTransaction(read, words);
  const { failure, after } = await simulated(sandbox, wire, addresses);
  return {
    changes: failure ? [] : changesOf(wallet, addresses, { before, after }, words),
    failure,
    fee: `${words.name(told.feePayer)} pays ${words.amount(told.feeLamports, WRAPPED_SOL_MINT)} to the network`,
    instructions: told.instructions.map(({ program, does }) => ({ program: words.name(program), does })),
  };
}

async function readTables(sandbox: Sandbox, tables: Address[]): Promise<LookupTable[]> {
  const accounts = tables.length === 0 ? [] : await readAccounts(sandbox, tables);
  return tables.map((address, i) => {
    const account = accounts[i];
    const table = account && decodeLookupTable(fromBase64(account.data[0]));
    if (!table) throw new Error(`${address} is no lookup table`);
    return { address, addresses: table.addresses };
  });
}

async function readAccounts(sandbox: Sandbox, addresses: readonly string[]): Promise<(Account | null)[]> {
  const config = { encoding: 'base64' };
  return (await callChain<{ value: (Account | null)[] }>(sandbox, 'getMultipleAccounts', addresses, config)).value;
}

async function simulated(sandbox: Sandbox, wire: Uint8Array, addresses: readonly string[]) {
  const config = {
    encoding: 'base64',
    sigVerify: false,
    replaceRecentBlockhash: true,
    accounts: { encoding: 'base64', addresses },
  };
  const { value } = await callChain<{
    value: { err: unknown; logs: string[] | null; accounts: (Account | null)[] | null };
  }>(sandbox, 'simulateTransaction', toBase64(wire), config);
  const reason = value.logs?.findLast((line) => /failed|Error/.test(line)) ?? JSON.stringify(value.err);
  return { failure: value.err === null ? undefined : reason, after: value.accounts ?? [] };
}

const isToken = ({ owner }: Account): boolean => owner === TOKEN_PROGRAM || owner === TOKEN_2022_PROGRAM;

const tokenOf = (account: Account | null | undefined): TokenAccount | undefined =>
  account && isToken(account) ? decodeTokenAccount(fromBase64(account.data[0])) : undefined;

function tokensOf(addresses: readonly Address[], accounts: readonly (Account | null)[]): Map<Address, TokenAccount> {
  const read = addresses.map((address, i) => [address, tokenOf(accounts[i])] as const);
  return new Map(read.filter((each): each is [Address, TokenAccount] => each[1] !== undefined));
}

/** The decimals of mints that the sandbox does not list: of a launch, say. */
async function decimalsOf({ mints, ...sandbox }: Sandbox, tokens: Map<Address, TokenAccount>) {
  const known = new Map(mints.map(({ mint, decimals }) => [mint, decimals]));
  const others = [...new Set([...tokens.values()].map(({ mint }) => mint))].filter((mint) => !known.has(mint));
  const accounts = others.length === 0 ? [] : await readAccounts({ mints, ...sandbox }, others);
  for (const [i, mint] of others.entries()) {
    const account = accounts[i];
    const read = account && decodeMint(fromBase64(account.data[0]));
    if (read) known.set(mint, read.decimals);
  }
  return known;
}

type Words = ReturnType<typeof wordsOf>;

function wordsOf(
  { wallets, mints, programs }: Sandbox,
  decimals: ReadonlyMap<string, number>,
  tokens: ReadonlyMap<Address, TokenAccount>,
) {
  const names = new Map(programs.map(({ name, address }) => [address, name]));
  for (const [address, name] of Object.entries(PROGRAM_NAMES)) names.set(address, name);
  for (const { name, address } of wallets) names.set(address, name);
  for (const { symbol, mint } of mints) names.set(mint, symbol);
  const short = (address: string) => names.get(address) ?? address;
  return {
    name: (address: Address): string => {
      const token = names.has(address) ? undefined : tokens.get(address);
      return token ? `the ${short(token.mint)} account of ${short(token.owner)}` : short(address);
    },
    amount: (amount: bigint, mint: Address | undefined): string => {
      const places = mint === undefined ? undefined : decimals.get(mint);
      if (mint === undefined || places === undefined) return `${amount} of the smallest unit of ${mint ?? 'a token'}`;
      return `${whole(amount, places)} ${short(mint)}`;
    },
    mintOf: (account: Address) => tokens.get(account)?.mint,
    router: ROUTER_PROGRAM,
  };
}

/** An amount of the smallest unit as a number of whole tokens. */
export function whole(amount: bigint, decimals: number): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals + 1, '0');
  const split = digits.length - decimals;
  const fraction = digits.slice(split).replace(/0+$/, '');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, split)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** What the wallet has more and less: its SOL, and each of its token accounts. */
function changesOf(
  wallet: string,
  addresses: readonly Address[],
  { before, after }: { before: readonly (Account | null)[]; after: readonly (Account | null)[] },
  { amount }: Words,
): string[] {
  const changes = new Map<Address, bigint>();
  const add = (mint: Address, change: bigint) => changes.set(mint, (changes.get(mint) ?? 0n) + change);
  for (const [i, address] of addresses.entries()) {
    const [was, is] = [before[i], after[i]];
    if (address === wallet) add(WRAPPED_SOL_MINT, BigInt(is?.lamports ?? 0) - BigInt(was?.lamports ?? 0));
    for (const [account, sign] of [
      [was, -1n],
      [is, 1n],
    ] as const) {
      const token = tokenOf(account);
      if (token?.owner === wallet && isAddress(token.mint)) add(token.mint, sign * token.amount);
    }
  }
  const shown = [...changes].filter(([, change]) => change !== 0n);
  return shown.map(([mint, change]) => `${change > 0n ? '+' : ''}${amount(change, mint)}`);
}
