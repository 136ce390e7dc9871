import { untilLost } from './patience.js';

/** One JSON-RPC call in a batch. */
export type RpcCall = readonly [method: string, params: readonly unknown[]];

/** Asks the node of the chain, all in one request. @throws Error where the node refuses one of them */
export async function rpc<T extends readonly unknown[]>(url: string, calls: readonly RpcCall[]): Promise<T> {
  if (calls.length === 0) return [] as unknown as T;
  const body = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }));
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', headers, body: JSON.stringify(body), signal: untilLost() };
  const response = await fetch(url, request).catch((cause: unknown) => {
    throw new Error('The chain does not answer.', { cause });
  });
  const answers = (await response.json()) as { id: number; result?: unknown; error?: { message: string } }[];
  const results: unknown[] = [];
  for (const { id, result, error } of answers) {
    if (error) throw new Error(`${calls[id]?.[0]}: ${error.message}`);
    results[id] = result;
  }
  return results as unknown as T;
}

interface TokenRow {
  pubkey: string;
  account: { data: { parsed: { info: { mint: string; tokenAmount: { amount: string; decimals: number } } } } };
}
export interface Held {
  account: string;
  amount: bigint;
  decimals: number;
}
/** What a wallet holds, by mint. Its own lamports and wrapped SOL stand under the mint of SOL. */
export type Holdings = ReadonlyMap<string, Held>;

export const SOL_MINT = 'So11111111111111111111111111111111111111112';
const TOKEN_PROGRAMS = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'];

/** What each of these wallets holds. */
export async function holdingsOf(url: string, wallets: readonly string[]): Promise<Holdings[]> {
  const calls = wallets.flatMap((wallet): RpcCall[] => [
    ['getBalance', [wallet]],
    ...TOKEN_PROGRAMS.map(
      (programId): RpcCall => ['getTokenAccountsByOwner', [wallet, { programId }, { encoding: 'jsonParsed' }]],
    ),
  ]);
  const answers = await rpc<[{ value: number | TokenRow[] }]>(url, calls);
  return wallets.map((wallet, index) => {
    const [lamports, ...tokens] = answers.slice(index * 3, index * 3 + 3).map(({ value }) => value);
    const held = new Map<string, Held>();
    held.set(SOL_MINT, { account: wallet, amount: BigInt(lamports as number), decimals: 9 });
    for (const { pubkey, account } of tokens.flat() as TokenRow[]) {
      const { mint, tokenAmount } = account.data.parsed.info;
      const amount = BigInt(tokenAmount.amount) + (held.get(mint)?.amount ?? 0n);
      held.set(mint, { account: pubkey, amount, decimals: tokenAmount.decimals });
    }
    return held;
  });
}
