import { base58Encode, type DecodedMessage } from '@slipway/wire';
import type { Chain } from '../../chain.js';
import { ChainError } from '../../chain-error.js';
import type { SimulationResult } from '../../types.js';
import { invalidParam, isUnloadable, RPC_CODE, RpcError, signatureFailure, unloadable } from '../errors.js';
import {
  type Config,
  readAddress,
  readAddresses,
  readChoice,
  readConfig,
  readFlag,
  readObject,
  readU64,
} from '../params.js';
import { type AccountView, readAccountView, renderAccounts } from '../render.js';
import { renderSimulation, type SimulationParts } from '../render-simulation.js';
import { allAccounts } from '../render-transaction.js';
import { readTransaction } from '../transaction-param.js';
import { type Methods, withContext } from './method.js';

/** Sending and simulating. */
export const transactionMethods: Methods = {
  sendTransaction: async (chain, params) => {
    const config = readConfig(params[1], chain.slot);
    const { wire, signatures } = readTransaction(params[0], config);
    const skipPreflight = readFlag(config.skipPreflight, 'skipPreflight');
    readChoice(config.preflightCommitment, 'preflightCommitment', ['finalized', 'confirmed', 'processed']);
    if (config.maxRetries !== undefined && config.maxRetries !== null) readU64(config.maxRetries, 'maxRetries');
    try {
      return (await chain.send(wire, { skipPreflight })).signature;
    } catch (error) {
      // Without preflight a validator answers before it knows: a dead or repeated transaction is dropped in silence.
      if (!skipPreflight || !isDropped(error)) throw error;
      return base58Encode(signatures[0]!);
    }
  },

  simulateTransaction: async (chain, params) => {
    const config = readConfig(params[1], chain.slot);
    const { wire, decoded } = readTransaction(params[0], config);
    const sigVerify = readFlag(config.sigVerify, 'sigVerify');
    const replaceRecentBlockhash = readFlag(config.replaceRecentBlockhash, 'replaceRecentBlockhash');
    if (sigVerify && replaceRecentBlockhash) {
      throw new RpcError(RPC_CODE.invalidParams, 'sigVerify may not be used with replaceRecentBlockhash');
    }
    const wanted = readWantedAccounts(config, decoded);
    const innerInstructions = readFlag(config.innerInstructions, 'innerInstructions');
    const result = await chain.simulate(wire, { sigVerify, replaceRecentBlockhash, innerInstructions });
    if (result.err === 'SignatureFailure') throw signatureFailure();
    if (result.err !== null && isUnloadable(result.err)) throw unloadable(result.err);
    const parts: SimulationParts = {};
    if (wanted) parts.accounts = await accountsAfter(chain, result, wanted);
    if (innerInstructions) parts.innerInstructionKeys = allAccounts(decoded, result.loadedAddresses);
    return withContext(chain, renderSimulation(result, parts));
  },

  requestAirdrop: (chain, params) => {
    const address = readAddress(params[0], 'pubkey');
    const lamports = readU64(params[1], 'lamports');
    readConfig(params[2], chain.slot);
    return chain.airdrop(address, lamports);
  },
};

function isDropped(error: unknown): boolean {
  return error instanceof ChainError && (error.kind === 'blockhash' || error.kind === 'already-processed');
}

interface WantedAccounts {
  addresses: ReturnType<typeof readAddresses>;
  view: AccountView;
}

function readWantedAccounts(config: Config, { accounts, lookups }: DecodedMessage): WantedAccounts | undefined {
  if (config.accounts === undefined || config.accounts === null) return undefined;
  const wanted = readObject(config.accounts, 'accounts');
  const lookedUp = lookups.reduce((count, { writable, readonly }) => count + writable.length + readonly.length, 0);
  const max = accounts.length + lookedUp;
  if (Array.isArray(wanted.addresses) && wanted.addresses.length > max) {
    throw new RpcError(RPC_CODE.invalidParams, `Too many accounts provided; max ${max}`);
  }
  const addresses = readAddresses(wanted.addresses, 'accounts.addresses', max);
  const encoding = wanted.encoding ?? 'base64';
  if (encoding === 'base58' || encoding === 'binary')
    throw invalidParam('accounts.encoding', 'base58 encoding not supported');
  return { addresses, view: readAccountView({ encoding }) };
}

/** The accounts as the transaction leaves them; after a failure there are none. */
async function accountsAfter(
  chain: Chain,
  result: SimulationResult,
  { addresses, view }: WantedAccounts,
): Promise<unknown[]> {
  if (result.err !== null) return addresses.map(() => null);
  const before = await chain.accounts(addresses);
  const after = addresses.map((address, index) => ({
    address,
    account: result.postAccounts.has(address) ? result.postAccounts.get(address) : before[index],
  }));
  return renderAccounts(chain, after, view);
}
