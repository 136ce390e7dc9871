import { base58Encode } from '@slipway/wire';
import { SOL } from '../../genesis-pools.js';
import { invalidParam } from '../errors.js';
import { integer } from '../json.js';
import { decodeBase64, readAddress, readFlag, readObject, readString, readU64 } from '../params.js';
import type { Methods } from './method.js';

const U64_TEXT = /^(?:0|[1-9]\d{0,19})$/;

/** What only a chain for development can do; not part of the Solana interface. */
export const localnetMethods: Methods = {
  /** The funded wallets with their keys, the mints and their first prices, pools, programs, and the time. */
  localnet_info: (chain, _params, forkHost) => {
    const { wallets, mints, receiver, programs, pools, lookupTable } = chain.genesis;
    return {
      wallets: wallets.map(({ name, address, secretKey }) => ({ name, address, secretKey: base58Encode(secretKey) })),
      mints: [SOL, ...mints].map(({ symbol, mint, decimals, usd }) => ({ symbol, mint, decimals, usd })),
      receiver,
      pools,
      lookupTable,
      faucet: chain.faucet,
      programs: programs.map(({ name, address, standIn = false }) => ({ name, address, standIn })),
      forkHost,
      unixTimestamp: integer(chain.unixTimestamp),
    };
  },

  /** Moves the clock forward by some seconds, and the slots with it: by `milliseconds`, which is whole slots. */
  localnet_advanceClock: (chain, params) => {
    const seconds = params[0];
    if (typeof seconds !== 'number' || !(seconds > 0) || !Number.isFinite(seconds)) {
      throw invalidParam('seconds', 'expected a number above 0');
    }
    const milliseconds = chain.advanceClock(seconds);
    return { milliseconds, unixTimestamp: integer(chain.unixTimestamp), slot: integer(chain.slot) };
  },

  /** Mints tokens into the wallet's associated token account; the amount is a decimal string of the smallest unit. */
  localnet_airdropToken: (chain, params) => {
    const wallet = readAddress(params[0], 'wallet');
    const mint = readAddress(params[1], 'mint');
    const text = readString(params[2], 'amount');
    if (!U64_TEXT.test(text)) throw invalidParam('amount', 'expected a decimal string of the smallest unit');
    return chain.airdropToken(wallet, mint, readU64(BigInt(text), 'amount'));
  },

  /** Writes an account, or removes it where `null` is given. */
  localnet_setAccount: async (chain, params) => {
    const address = readAddress(params[0], 'address');
    if (params[1] === undefined) throw invalidParam('account', 'expected an object or null, it is missing');
    if (params[1] === null) {
      await chain.setAccount(address, undefined);
      return null;
    }
    const account = readObject(params[1], 'account');
    const data = decodeBase64(readString(account.data ?? '', 'account.data'));
    if (!data) throw invalidParam('account.data', 'Invalid base64');
    await chain.setAccount(address, {
      lamports: readU64(account.lamports, 'account.lamports'),
      owner: readAddress(account.owner, 'account.owner'),
      executable: readFlag(account.executable, 'account.executable'),
      data: new Uint8Array(data),
    });
    return null;
  },
};
