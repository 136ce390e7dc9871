import { SOL_MINT } from './chain.js';

/** A transaction as `getTransaction` answers it with `jsonParsed`. */
export interface ParsedTransaction {
  slot: number;
  blockTime: number | null;
  meta: {
    err: unknown;
    fee: number;
    computeUnitsConsumed?: number;
    logMessages: string[] | null;
    preBalances: number[];
    postBalances: number[];
    preTokenBalances: TokenBalance[] | null;
    postTokenBalances: TokenBalance[] | null;
    innerInstructions: { index: number; instructions: ParsedInstruction[] }[] | null;
  };
  transaction: {
    signatures: string[];
    message: {
      accountKeys: { pubkey: string; signer: boolean; writable: boolean; source?: string }[];
      instructions: ParsedInstruction[];
    };
  };
  version?: number | 'legacy';
}
export interface ParsedInstruction {
  programId: string;
  program?: string;
  parsed?: { type: string; info: Record<string, unknown> } | string;
  accounts?: string[];
  data?: string;
}
interface TokenBalance {
  accountIndex: number;
  mint: string;
  owner?: string;
  uiTokenAmount: { amount: string; decimals: number };
}

/** Names of what has an address. */
export interface Book {
  programs: ReadonlyMap<string, string>;
  wallets: ReadonlyMap<string, string>;
  symbols: ReadonlyMap<string, string>;
}

export interface Change {
  owner: string;
  mint: string;
  amount: bigint;
  decimals: number;
}

export const KNOWN_PROGRAMS: readonly (readonly [string, string])[] = [
  ['11111111111111111111111111111111', 'System'],
  ['ComputeBudget111111111111111111111111111111', 'Compute budget'],
  ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'Token'],
  ['TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', 'Token-2022'],
  ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', 'Associated token'],
  ['MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', 'Memo'],
  ['AddressLookupTab1e1111111111111111111111111', 'Lookup table'],
  ['BPFLoaderUpgradeab1e11111111111111111111111', 'Upgradeable loader'],
  ['NativeLoader1111111111111111111111111111111', 'Native loader'],
];
const PLUMBING = new Set(KNOWN_PROGRAMS.map(([address]) => address));
const TITLES: Readonly<Record<string, string>> = {
  router: 'Swap',
  'order-engine': 'Swap with a market maker',
  pool: 'Pool trade',
  'limit-order': 'Limit order',
  'invite-escrow': 'Invite',
  'bonding-curve': 'Bonding curve',
};

/** What a transaction is about, in a few words. */
export function titleOf({ transaction }: ParsedTransaction, book: Book): string {
  const called = transaction.message.instructions.map(({ programId }) => programId);
  const main = called.find((program) => !PLUMBING.has(program));
  if (main !== undefined) {
    const name = book.programs.get(main);
    return (name && TITLES[name]) ?? name ?? 'Program call';
  }
  const types = transaction.message.instructions.map(({ parsed }) => (typeof parsed === 'object' ? parsed.type : ''));
  if (types.some((type) => type.startsWith('transfer'))) return 'Transfer';
  if (types.some((type) => type.startsWith('mintTo'))) return 'Airdrop';
  return types.some((type) => type === 'closeAccount') ? 'Account closed' : 'Transaction';
}

/** What each owner had more or less of afterwards; rent and fees are in the change of SOL. */
export function changesOf({ meta, transaction }: ParsedTransaction): Change[] {
  const changes = new Map<string, Change>();
  const add = (owner: string, mint: string, amount: bigint, decimals: number) => {
    const key = `${owner} ${mint}`;
    changes.set(key, { owner, mint, decimals, amount: amount + (changes.get(key)?.amount ?? 0n) });
  };
  for (const [sign, balances] of [
    [-1n, meta.preTokenBalances ?? []],
    [1n, meta.postTokenBalances ?? []],
  ] as const) {
    for (const { owner = '?', mint, uiTokenAmount } of balances)
      add(owner, mint, sign * BigInt(uiTokenAmount.amount), uiTokenAmount.decimals);
  }
  transaction.message.accountKeys.forEach(({ pubkey }, index) => {
    add(pubkey, SOL_MINT, BigInt(meta.postBalances[index] ?? 0) - BigInt(meta.preBalances[index] ?? 0), 9);
  });
  return [...changes.values()].filter(({ amount }) => amount !== 0n);
}
