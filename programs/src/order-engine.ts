import {
  type AccountMeta,
  type Address,
  addressToBytes,
  findProgramAddress,
  type Instruction,
  readonlyAccount,
  SYSTEM_PROGRAM,
  address as toAddress,
  writableAccount,
  writableSigner,
} from '@slipway/wire/formats';

/** The address that the order engine has on the public clusters. */
export const ORDER_ENGINE_PROGRAM: Address = toAddress('61DFfeTKM7trxYcPQCM78bJ794ddZprZpAwAnLiwTpYH');

const FILL_DISCRIMINATOR = Uint8Array.of(0xa8, 0x60, 0xb7, 0xa3, 0x5c, 0x0a, 0x28, 0xa0);
const FILL_SIZE = 32;
const FEE_AT = 32;
const FILL_WITH_FEE_SIZE = 34;
const MOST_FEE_BPS = 10_000;
const TEMPORARY_SEED = new TextEncoder().encode('temporary-wsol-token-account');

/**
 * A market maker's trade: the taker gives the maker the input, the maker gives the taker the output. Amounts are in base
 * units. A side whose mint is wrapped SOL can go without token accounts: where one is not given, the wallet itself gives
 * or receives SOL.
 */
export interface Fill {
  taker: Address;
  maker: Address;
  /** The taker's token account that pays the input. */
  takerInputAccount?: Address;
  /** The maker's token account that receives the input. */
  makerInputAccount?: Address;
  /** The taker's token account that receives the output. */
  takerOutputAccount?: Address;
  /** The maker's token account that pays the output. */
  makerOutputAccount?: Address;
  inputMint: Address;
  inputTokenProgram: Address;
  outputMint: Address;
  outputTokenProgram: Address;
  inputAmount: bigint;
  outputAmount: bigint;
  /** The last second at which the fill is valid (unix seconds). */
  expireAt: bigint;
  /** What the RFQ service charges the maker later, in basis points. A note for the two: the program ignores it. */
  feeBps?: number;
}

/** Signed by taker and maker. Throws a RangeError for an amount, a time or a fee that does not fit. */
export function fillInstruction(fill: Fill, program: Address = ORDER_ENGINE_PROGRAM): Instruction {
  const tokenAccount = (given: Address | undefined) => (given ? writableAccount(given) : readonlyAccount(program));
  const accounts = [
    writableSigner(fill.taker),
    writableSigner(fill.maker),
    tokenAccount(fill.takerInputAccount),
    tokenAccount(fill.makerInputAccount),
    tokenAccount(fill.takerOutputAccount),
    tokenAccount(fill.makerOutputAccount),
    readonlyAccount(fill.inputMint),
    readonlyAccount(fill.inputTokenProgram),
    readonlyAccount(fill.outputMint),
    readonlyAccount(fill.outputTokenProgram),
    readonlyAccount(SYSTEM_PROGRAM),
  ];
  const unwraps =
    (fill.takerInputAccount && !fill.makerInputAccount) || (fill.makerOutputAccount && !fill.takerOutputAccount);
  if (unwraps) accounts.push(writableAccount(temporaryWrappedSolAccount(fill.maker, program)));
  return { program, accounts, data: fillData(fill) };
}

/** The account through which a fill unwraps SOL; it exists only while the fill runs. */
export function temporaryWrappedSolAccount(maker: Address, program: Address = ORDER_ENGINE_PROGRAM): Address {
  return findProgramAddress([TEMPORARY_SEED, addressToBytes(maker)], program).address;
}

/**
 * The fill in an instruction; undefined when it is another instruction, or one that `fillInstruction` would not make of
 * these terms: with accounts more, less or elsewhere, without a signature or a right to write that it needs, or with a fee
 * that is more than all.
 */
export function parseFill(instruction: Instruction, program: Address = ORDER_ENGINE_PROGRAM): Fill | undefined {
  const { accounts, data } = instruction;
  if (instruction.program !== program || FILL_DISCRIMINATOR.some((byte, i) => data[i] !== byte)) return undefined;
  if (data.length !== FILL_SIZE && data.length !== FILL_WITH_FEE_SIZE) return undefined;
  const [taker, maker, takerInput, makerInput, takerOutput, makerOutput, ...others] = accounts.map((a) => a.address);
  const [inputMint, inputTokenProgram, outputMint, outputTokenProgram] = others;
  if (!taker || !maker || !inputMint || !inputTokenProgram || !outputMint || !outputTokenProgram) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const fill: Fill = {
    taker,
    maker,
    ...(takerInput && takerInput !== program && { takerInputAccount: takerInput }),
    ...(makerInput && makerInput !== program && { makerInputAccount: makerInput }),
    ...(takerOutput && takerOutput !== program && { takerOutputAccount: takerOutput }),
    ...(makerOutput && makerOutput !== program && { makerOutputAccount: makerOutput }),
    inputMint,
    inputTokenProgram,
    outputMint,
    outputTokenProgram,
    inputAmount: view.getBigUint64(8, true),
    outputAmount: view.getBigUint64(16, true),
    expireAt: view.getBigInt64(24, true),
    ...(data.length === FILL_WITH_FEE_SIZE && { feeBps: view.getUint16(FEE_AT, true) }),
  };
  if (fill.feeBps !== undefined && fill.feeBps > MOST_FEE_BPS) return undefined;
  const expected = fillInstruction(fill, program).accounts;
  return expected.length === accounts.length && expected.every((meta, i) => grants(accounts[i], meta))
    ? fill
    : undefined;
}

/** Whether it is the same account with at least these rights; in a message it can have more, from other instructions. */
function grants(meta: AccountMeta | undefined, needed: AccountMeta): boolean {
  if (meta?.address !== needed.address) return false;
  return meta.signer >= needed.signer && meta.writable >= needed.writable;
}

function fillData({ inputAmount, outputAmount, expireAt, feeBps }: Fill): Uint8Array {
  const data = new Uint8Array(feeBps === undefined ? FILL_SIZE : FILL_WITH_FEE_SIZE);
  const view = new DataView(data.buffer);
  data.set(FILL_DISCRIMINATOR);
  for (const [at, amount] of [
    [8, inputAmount],
    [16, outputAmount],
  ] as const) {
    if (BigInt.asUintN(64, amount) !== amount) throw new RangeError(`${amount} is not an unsigned 64-bit number`);
    view.setBigUint64(at, amount, true);
  }
  if (BigInt.asIntN(64, expireAt) !== expireAt) throw new RangeError(`${expireAt} is not a signed 64-bit number`);
  view.setBigInt64(24, expireAt, true);
  if (feeBps !== undefined) {
    if (!Number.isInteger(feeBps) || feeBps < 0 || feeBps > MOST_FEE_BPS)
      throw new RangeError(`${feeBps} basis points`);
    view.setUint16(FEE_AT, feeBps, true);
  }
  return data;
}

/** Errors of the order engine by number; those from 6100 on are not part of the public interface. */
export const ORDER_ENGINE_ERRORS = {
  101: 'InstructionFallbackNotFound',
  102: 'InstructionDidNotDeserialize',
  2000: 'ConstraintMut',
  2014: 'ConstraintTokenMint',
  2015: 'ConstraintTokenOwner',
  2021: 'ConstraintTokenTokenProgram',
  2502: 'RequireKeysEqViolated',
  2506: 'RequireGteViolated',
  3005: 'AccountNotEnoughKeys',
  3008: 'InvalidProgramId',
  3010: 'AccountNotSigner',
  6001: 'MissingTemporaryWrappedSolTokenAccount',
  6002: 'Token2022MintExtensionNotSupported',
  6100: 'MakerIsTaker',
  6101: 'SameMint',
  6102: 'ZeroAmount',
  6103: 'InvalidMint',
  6104: 'InvalidTokenAccount',
} as const;
