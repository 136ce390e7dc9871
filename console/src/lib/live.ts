import { useSyncExternalStore } from 'react';
import { type RpcCall, rpc } from './chain.js';
import type { ParsedTransaction } from './describe.js';

export interface LiveState {
  /** The newest first. */
  transactions: readonly ParsedTransaction[];
  /** How many were executed since the page was opened. */
  count: number;
  connected: boolean;
}

/** How long an answer is kept that the next transaction has outdated: with many a second, they would be hundreds. */
export const OUTDATED_MS = 2_000;

const KEPT = 40;
/** Of a burst, only the last ones are read whole. */
const MOST_AT_ONCE = 12;
const GATHER_MS = 150;
const RECONNECT_MS = 1_000;
const AS_PARSED = { encoding: 'jsonParsed', maxSupportedTransactionVersion: 1 };

let state: LiveState = { transactions: [], count: 0, connected: false };
const listeners = new Set<() => void>();
function set(next: Partial<LiveState>): void {
  state = { ...state, ...next };
  for (const listener of listeners) listener();
}

export function useLive(): LiveState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}

/** Follows what the chain executes. Answers what ends it. */
export function follow({ rpcUrl, wsUrl, of }: { rpcUrl: string; wsUrl: string; of: readonly string[] }): () => void {
  let ended = false;
  let socket: WebSocket | undefined;
  let waiting: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const add = async (signatures: readonly string[]) => {
    // A node may tell of one twice.
    const asked = [...new Set(signatures)]
      .slice(-MOST_AT_ONCE)
      .map((signature): RpcCall => ['getTransaction', [signature, AS_PARSED]]);
    const read = await rpc<(ParsedTransaction | null)[]>(rpcUrl, asked);
    const known = new Set(state.transactions.map(idOf));
    const fresh = read.filter((each) => each !== null).filter((each) => !known.has(idOf(each)));
    const transactions = [...fresh.reverse(), ...state.transactions].sort((a, b) => b.slot - a.slot).slice(0, KEPT);
    if (!ended) set({ transactions, count: state.count + signatures.length });
  };
  const gather = (signature: string) => {
    waiting.push(signature);
    timer ??= setTimeout(() => {
      const signatures = waiting;
      waiting = [];
      timer = undefined;
      add(signatures).catch(() => {});
    }, GATHER_MS);
  };
  const open = () => {
    if (ended) return;
    socket = new WebSocket(wsUrl);
    socket.onopen = () => {
      socket?.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'logsSubscribe', params: ['all'] }));
      set({ connected: true });
      readLast(rpcUrl, of).then(add, () => {});
    };
    socket.onmessage = ({ data }) => {
      const signature = (JSON.parse(String(data)) as Notification).params?.result.value.signature;
      if (signature !== undefined) gather(signature);
    };
    socket.onclose = () => {
      if (!ended) set({ connected: false });
      setTimeout(open, RECONNECT_MS);
    };
  };
  open();
  return () => {
    ended = true;
    clearTimeout(timer);
    socket?.close();
  };
}

interface Notification {
  params?: { result: { value: { signature: string } } };
}

/** The last transactions of these accounts, the oldest first. */
async function readLast(rpcUrl: string, accounts: readonly string[]): Promise<string[]> {
  const calls = accounts.map((account): RpcCall => ['getSignaturesForAddress', [account, { limit: MOST_AT_ONCE }]]);
  const found = (await rpc<{ signature: string; slot: number }[][]>(rpcUrl, calls)).flat();
  const ordered = found.sort((a, b) => a.slot - b.slot).map(({ signature }) => signature);
  return [...new Set(ordered)].slice(-MOST_AT_ONCE);
}

const idOf = ({ transaction }: ParsedTransaction): string => transaction.signatures[0]!;
