import { addressFromBytes, token2022Extensions } from '@slipway/wire';
import { ByteReader, parsed } from './byte-reader.js';
import { integer } from './json.js';

type State = Record<string, unknown>;

interface Extension {
  extension: string;
  state?: State;
}

const ACCOUNT_STATES = ['uninitialized', 'initialized', 'frozen'];

const withoutState = (extension: string) => () => ({ extension });
const withState = (extension: string, read: (reader: ByteReader) => State) => (reader: ByteReader) => ({
  extension,
  state: read(reader),
});

/** By the type number of the Token-2022 program. Confidential ones are left to clients that hold the keys. */
const EXTENSIONS: Record<number, (reader: ByteReader) => Extension> = {
  1: withState('transferFeeConfig', (reader) => ({
    transferFeeConfigAuthority: reader.addressOrZero(),
    withdrawWithheldAuthority: reader.addressOrZero(),
    withheldAmount: integer(reader.u64()),
    olderTransferFee: transferFee(reader),
    newerTransferFee: transferFee(reader),
  })),
  2: withState('transferFeeAmount', (reader) => ({ withheldAmount: integer(reader.u64()) })),
  3: withState('mintCloseAuthority', (reader) => ({ closeAuthority: reader.addressOrZero() })),
  6: withState('defaultAccountState', (reader) => ({ accountState: ACCOUNT_STATES[reader.u8()] })),
  7: withoutState('immutableOwner'),
  8: withState('memoTransfer', (reader) => ({ requireIncomingTransferMemos: reader.u8() !== 0 })),
  9: withoutState('nonTransferable'),
  10: withState('interestBearingConfig', (reader) => ({
    rateAuthority: reader.addressOrZero(),
    initializationTimestamp: integer(reader.i64()),
    preUpdateAverageRate: reader.i16(),
    lastUpdateTimestamp: integer(reader.i64()),
    currentRate: reader.i16(),
  })),
  11: withState('cpiGuard', (reader) => ({ lockCpi: reader.u8() !== 0 })),
  12: withState('permanentDelegate', (reader) => ({ delegate: reader.addressOrZero() })),
  13: withoutState('nonTransferableAccount'),
  14: withState('transferHook', (reader) => ({ authority: reader.addressOrZero(), programId: reader.addressOrZero() })),
  15: withState('transferHookAccount', (reader) => ({ transferring: reader.u8() !== 0 })),
  18: withState('metadataPointer', (reader) => ({
    authority: reader.addressOrZero(),
    metadataAddress: reader.addressOrZero(),
  })),
  19: withState('tokenMetadata', tokenMetadata),
  20: withState('groupPointer', (reader) => ({
    authority: reader.addressOrZero(),
    groupAddress: reader.addressOrZero(),
  })),
  21: withState('tokenGroup', (reader) => ({
    updateAuthority: reader.addressOrZero(),
    mint: reader.address(),
    size: integer(reader.u64()),
    maxSize: integer(reader.u64()),
  })),
  22: withState('groupMemberPointer', (reader) => ({
    authority: reader.addressOrZero(),
    memberAddress: reader.addressOrZero(),
  })),
  23: withState('tokenGroupMember', (reader) => ({
    mint: reader.address(),
    group: reader.address(),
    memberNumber: integer(reader.u64()),
  })),
  25: withState('scaledUiAmountConfig', (reader) => ({
    authority: reader.addressOrZero(),
    multiplier: reader.f64().toString(),
    newMultiplierEffectiveTimestamp: integer(reader.i64()),
    newMultiplier: reader.f64().toString(),
  })),
  26: withState('pausableConfig', (reader) => ({ authority: reader.addressOrZero(), paused: reader.u8() !== 0 })),
  27: withoutState('pausableAccount'),
};

/** The extensions of a Token-2022 mint or account in a validator's JSON form. */
export function parseTokenExtensions(data: Uint8Array): Extension[] {
  return token2022Extensions(data).map(({ type, data: bytes }) => {
    const read = EXTENSIONS[type];
    return (read && parsed(() => read(new ByteReader(bytes)))) ?? { extension: 'unparseableExtension' };
  });
}

function transferFee(reader: ByteReader): State {
  return {
    epoch: integer(reader.u64()),
    maximumFee: integer(reader.u64()),
    transferFeeBasisPoints: reader.u16(),
  };
}

function tokenMetadata(reader: ByteReader): State {
  const state = {
    updateAuthority: reader.addressOrZero(),
    mint: addressFromBytes(reader.bytes(32)),
    name: reader.text(4),
    symbol: reader.text(4),
    uri: reader.text(4),
  };
  const additionalMetadata: [string, string][] = [];
  for (let left = reader.u32(); left > 0; left--) additionalMetadata.push([reader.text(4), reader.text(4)]);
  return { ...state, additionalMetadata };
}
