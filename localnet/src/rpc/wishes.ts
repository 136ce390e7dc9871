import { invalidParam, RPC_CODE, RpcError } from './errors.js';
import { type AccountFilter, readFilters } from './filters.js';
import { readAddress, readConfig, readFlag, readList, readObject, readSignature } from './params.js';
import { type AccountView, readAccountView } from './render.js';

/** What a subscription method asks for. */
export interface Wish {
  kind: 'account' | 'logs' | 'program' | 'signature' | 'slot' | 'root';
  /** Which events it wants. */
  topic: string;
  view?: AccountView;
  filters?: AccountFilter[];
  /** Whether it wants to hear of a transaction's reception, too. */
  received?: boolean;
}

/** By the first word of the method. What is not here, such as `block` and `vote`, is not found. */
export const WISHES = new Map<string, (params: unknown[], slot: bigint) => Wish>([
  [
    'account',
    (params, slot) => ({
      kind: 'account',
      topic: `account:${readAddress(params[0], 'pubkey')}`,
      view: readAccountView(readConfig(params[1], slot)),
    }),
  ],
  [
    'program',
    (params, slot) => {
      const topic = `program:${readAddress(params[0], 'program')}`;
      const config = readConfig(params[1], slot);
      return { kind: 'program', topic, view: readAccountView(config), filters: readFilters(config.filters) };
    },
  ],
  [
    'signature',
    (params, slot) => {
      const topic = `signature:${readSignature(params[0], 'signature')}`;
      const { enableReceivedNotification } = readConfig(params[1], slot);
      return { kind: 'signature', topic, received: readFlag(enableReceivedNotification, 'enableReceivedNotification') };
    },
  ],
  [
    'logs',
    (params, slot) => {
      readConfig(params[1], slot);
      return { kind: 'logs', topic: logsTopic(params[0]) };
    },
  ],
  ['slot', () => ({ kind: 'slot', topic: 'slot' })],
  ['root', () => ({ kind: 'root', topic: 'root' })],
]);

/** There are no votes on this chain, so that `all` and `allWithVotes` are the same. */
function logsTopic(filter: unknown): string {
  if (filter === 'all' || filter === 'allWithVotes') return 'logs';
  if (typeof filter !== 'object') throw invalidParam('filter', 'expected all, allWithVotes or an object with mentions');
  const mentions = readList(readObject(filter, 'filter').mentions, 'filter.mentions', Number.POSITIVE_INFINITY);
  if (mentions.length !== 1) throw new RpcError(RPC_CODE.invalidParams, 'Invalid Request: Only 1 address supported');
  return `logs:${readAddress(mentions[0], 'filter.mentions[0]')}`;
}
