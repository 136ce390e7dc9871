import assert from 'node:assert/strict';
import type { Address } from '@slipway/wire';
import { type Chain, type Rpc, RpcError } from '../../chain/index.js';

/** A chain, and the program on it whose history is read. */
export interface IndexedChain {
  program: Address;
  rpc: Rpc;
  chain: Chain;
}

/** A node that answers some calls itself: those for which `answer` does not return `undefined`. */
export function nodeThat(
  { rpc, chain }: Pick<IndexedChain, 'rpc' | 'chain'>,
  answer: (method: string, params: unknown[]) => unknown,
): { chain: Chain } {
  const call = async <T>(method: string, params: unknown[]): Promise<T> => {
    const own = await answer(method, params);
    return own === undefined ? rpc.call<T>(method, params) : (own as T);
  };
  return { chain: { ...chain, rpc: { ...rpc, call } satisfies Rpc } };
}

export type Range = { before?: string; until?: string; limit?: number; minContextSlot?: number };
export type Row = { signature: string; slot: number };
/** How a node answers about a transaction that it does not know: with more than requested, nothing, or an error. */
export const UNKNOWN = ['more', 'nothing', 'error'] as const;
const NOT_FOUND = new RpcError(-32020, 'Transaction not found');

/** A node with only some of the program's transactions, newest first. */
export function nodeWith(world: IndexedChain, pick: (rows: Row[]) => Row[], unknown: (typeof UNKNOWN)[number]) {
  const asked = { transactions: 0 };
  const all = async () =>
    pick(await world.rpc.call<Row[]>('getSignaturesForAddress', [world.program, { limit: 1_000 }]));
  const node = nodeThat(world, async (method, params) => {
    if (method === 'getTransaction') asked.transactions++;
    if (method === 'getSignatureStatuses') {
      const known = new Map((await all()).map(({ signature, slot }) => [signature, { slot }]));
      return { context: { slot: 1 }, value: (params[0] as string[]).map((id) => known.get(id) ?? null) };
    }
    if (method !== 'getSignaturesForAddress') return undefined;
    const { before, until } = params[1] as Range;
    const rows = await all();
    const at = (signature?: string) => rows.findIndex((row) => row.signature === signature);
    for (const bound of [before, until]) {
      if (!bound || at(bound) >= 0 || (bound === until && unknown === 'more')) continue;
      if (unknown === 'error') throw NOT_FOUND;
      return [];
    }
    return rows.slice(at(before) + 1, until && at(until) >= 0 ? at(until) : undefined);
  });
  return { ...node, asked };
}

/** Polls until the condition holds. */
export async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail(what);
}
