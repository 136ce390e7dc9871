import { type Chain, SLOTS_PER_EPOCH } from '../../chain.js';
import { RPC_CODE, RpcError } from '../errors.js';
import { integer } from '../json.js';
import { readConfig, readSize, readU64 } from '../params.js';
import { API_VERSION, type Method, type Methods } from './method.js';

const MAX_BLOCK_RANGE = 500_000n;
const MAX_DATA_LENGTH = 10 * 1024 * 1024;
/** The feature set of a validator of API_VERSION; clients only show it. */
const FEATURE_SET = 3_294_202_862;

const currentSlot: Method = (chain, params) => {
  readConfig(params[0], chain.slot);
  return integer(chain.slot);
};

/** There is no earlier slot to read: the chain keeps no blocks, only transactions. */
const firstSlot: Method = () => 0;

const refusedBlock: Method = () => {
  throw new RpcError(
    RPC_CODE.methodNotFound,
    'Method not found: this chain keeps no blocks; use getSignaturesForAddress and getTransaction',
  );
};

/** Slots, epochs, blocks and the node itself. */
export const clusterMethods: Methods = {
  getSlot: currentSlot,
  getFirstAvailableBlock: firstSlot,
  minimumLedgerSlot: firstSlot,
  getBlock: refusedBlock,
  getBlocks: (chain, params) => {
    const start = readU64(params[0], 'startSlot');
    const end = typeof params[1] === 'object' ? undefined : params[1];
    return blockRange(chain, start, end === undefined ? chain.slot : readU64(end, 'endSlot'));
  },
  getBlocksWithLimit: (chain, params) => {
    const start = readU64(params[0], 'startSlot');
    const limit = readU64(params[1], 'limit');
    if (limit > MAX_BLOCK_RANGE) throw tooManyBlocks();
    return limit === 0n ? [] : blockRange(chain, start, start + limit - 1n);
  },
  getBlockHeight: (chain, params) => {
    readConfig(params[0], chain.slot);
    return integer(chain.blockHeight);
  },
  getBlockTime: (chain, params) => {
    const slot = readU64(params[0], 'slot');
    const time = slot > chain.slot ? undefined : chain.blockTime(slot);
    if (time === undefined) throw new RpcError(RPC_CODE.blockNotAvailable, `Block not available for slot ${slot}`);
    return integer(time);
  },
  getEpochInfo: (chain, params) => {
    readConfig(params[0], chain.slot);
    return {
      absoluteSlot: integer(chain.slot),
      blockHeight: integer(chain.blockHeight),
      epoch: integer(chain.slot / SLOTS_PER_EPOCH),
      slotIndex: integer(chain.slot % SLOTS_PER_EPOCH),
      slotsInEpoch: integer(SLOTS_PER_EPOCH),
      transactionCount: integer(chain.transactionCount),
    };
  },
  getEpochSchedule: () => ({
    slotsPerEpoch: integer(SLOTS_PER_EPOCH),
    leaderScheduleSlotOffset: integer(SLOTS_PER_EPOCH),
    warmup: false,
    firstNormalEpoch: 0,
    firstNormalSlot: 0,
  }),
  getTransactionCount: (chain, params) => {
    readConfig(params[0], chain.slot);
    return integer(chain.transactionCount);
  },
  getSlotLeader: (chain, params) => {
    readConfig(params[0], chain.slot);
    return chain.faucet;
  },
  getIdentity: (chain) => ({ identity: chain.faucet }),
  getGenesisHash: (chain) => chain.genesisHash,
  getVersion: () => ({ 'solana-core': API_VERSION, 'feature-set': FEATURE_SET }),
  getHealth: (chain) => {
    chain.assertWritable();
    return 'ok';
  },
  getMinimumBalanceForRentExemption: (chain, params) => {
    const length = readSize(params[0], 'dataLength');
    readConfig(params[1], chain.slot);
    if (length > MAX_DATA_LENGTH) throw new RpcError(RPC_CODE.invalidParams, 'Invalid param: dataLength: over 10 MiB');
    return integer(chain.rentExemptLamports(length));
  },
};

/** Every slot has its block. */
function blockRange(chain: Chain, start: bigint, end: bigint): (number | bigint)[] {
  const last = end < chain.slot ? end : chain.slot;
  if (last - start >= MAX_BLOCK_RANGE) throw tooManyBlocks();
  const slots: (number | bigint)[] = [];
  for (let slot = start; slot <= last; slot++) slots.push(integer(slot));
  return slots;
}

function tooManyBlocks(): RpcError {
  return new RpcError(RPC_CODE.invalidParams, `Slot range too large; max ${MAX_BLOCK_RANGE}`);
}
