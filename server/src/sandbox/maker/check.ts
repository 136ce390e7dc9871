import { type Fill, parseFill } from '@slipway/programs';
import {
  type Address,
  ASSOCIATED_TOKEN_PROGRAM,
  address,
  COMPUTE_BUDGET_PROGRAM,
  decodeTransaction,
  decompileInstructions,
  type Instruction,
  invalidSigners,
  missingSigners,
  parseComputeUnitLimit,
  parseComputeUnitPrice,
  parseCreateAssociatedTokenIdempotent,
  parseSystemTransfer,
  parseTransferChecked,
  requiredSigners,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  type Transaction,
  WireError,
} from '@slipway/wire';
import { feeOf } from '../../crafting/transaction.js';

/** What the maker has quoted, and the accounts that it trades with. */
export interface Terms {
  taker: Address;
  maker: Address;
  inputMint: Address;
  outputMint: Address;
  inAmount: bigint;
  outAmount: bigint;
  makerInput: Address;
  makerOutput: Address;
  /** Unix seconds; the fill must expire between the two. */
  notBefore: number;
  notAfter: number;
  orderEngine: Address;
}

/** Why a transaction is not signed; `signature` if the taker has not signed it. */
interface Objection {
  about: 'payload' | 'signature';
  reason: string;
}

/** Asserts what accounts hold; wallets add it to protect their owners. */
const LIGHTHOUSE_PROGRAM = address('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95');
/** Its assertions on accounts and token accounts; others of its instructions can write. */
const LIGHTHOUSE_ASSERTIONS: ReadonlySet<number | undefined> = new Set([5, 6, 9, 10]);
/** The highest fee that the maker pays for a transaction. */
const MAX_FEE_LAMPORTS = 1_000_000n;
const MAX_SIGNERS = 3;
const SYNC_NATIVE = 17;
const CLOSE_ACCOUNT = 9;

/**
 * Checks everything that the maker would sign: one fill as it was quoted, a fee within bounds, and otherwise only what
 * the taker can do without the maker.
 */
export function readForSigning(wire: Uint8Array, terms: Terms): Transaction | Objection {
  try {
    const { decoded, ...transaction } = decodeTransaction(wire);
    if (decoded.lookups.length > 0) return objection('it uses lookup tables');
    const signers = requiredSigners(decoded);
    if (signers[0] !== terms.maker) return objection('the maker is not the fee payer');
    if (signers[1] !== terms.taker) return objection('the taker is not the second signer');
    if (signers.length > MAX_SIGNERS) return objection('it has too many signers');
    const wrong = checkInstructions(decompileInstructions(decoded), signers.length, terms);
    if (wrong) return objection(wrong);
    const unsigned = missingSigners(transaction).some((signer) => signer !== terms.maker);
    if (unsigned || invalidSigners(transaction).some((signer) => signer !== terms.maker)) {
      return { about: 'signature', reason: 'a signature is missing or wrong' };
    }
    return transaction;
  } catch (error) {
    if (error instanceof WireError) return objection(error.message);
    throw error;
  }
}

export function isObjection(value: object): value is Objection {
  return 'about' in value;
}

function objection(reason: string): Objection {
  return { about: 'payload', reason };
}

function checkInstructions(instructions: Instruction[], signers: number, terms: Terms): string | undefined {
  const limits: number[] = [];
  const prices: bigint[] = [];
  let fills = 0;
  for (const instruction of instructions) {
    const { program } = instruction;
    if (program === COMPUTE_BUDGET_PROGRAM) {
      const [limit, price] = [parseComputeUnitLimit(instruction), parseComputeUnitPrice(instruction)];
      if (limit !== undefined) limits.push(limit);
      else if (price !== undefined) prices.push(price);
      else return 'an instruction of the compute budget program that is not expected';
    } else if (program === terms.orderEngine) {
      fills += 1;
      const wrong = checkFill(parseFill(instruction, terms.orderEngine), terms);
      if (wrong) return wrong;
    } else {
      const wrong = checkOther(instruction, terms);
      if (wrong) return wrong;
    }
  }
  const [[limit], [price]] = [limits, prices];
  if (fills !== 1) return `${fills} fills instead of one`;
  if (limits.length !== 1 || prices.length !== 1) return 'it must set the compute unit limit and price, each once';
  const fee = feeOf(signers, { computeUnitLimit: limit!, computeUnitPrice: price! });
  return fee > MAX_FEE_LAMPORTS ? `its fee of ${fee} lamports is more than the maker pays` : undefined;
}

function checkFill(fill: Fill | undefined, terms: Terms): string | undefined {
  if (!fill) return 'the fill is malformed';
  if (fill.taker !== terms.taker || fill.maker !== terms.maker) return 'the fill is between others';
  if (fill.inputMint !== terms.inputMint || fill.outputMint !== terms.outputMint) return 'the fill is of other tokens';
  if (fill.inputAmount !== terms.inAmount || fill.outputAmount !== terms.outAmount) return 'the fill has other amounts';
  // Without them the SOL would come from, or go to, the wallet that pays the fees.
  if (fill.makerInputAccount !== terms.makerInput || fill.makerOutputAccount !== terms.makerOutput) {
    return 'the fill uses other accounts of the maker';
  }
  const expireAt = Number(fill.expireAt);
  return expireAt < terms.notBefore || expireAt > terms.notAfter ? 'the fill expires at another time' : undefined;
}

/** The maker's signature reaches every instruction that names its wallet: none but the fill may. */
function checkOther(instruction: Instruction, terms: Terms): string | undefined {
  const { program, accounts, data } = instruction;
  const makers: Address[] = [terms.maker, terms.makerInput, terms.makerOutput];
  if (accounts.some((meta) => makers.includes(meta.address))) return 'another instruction names accounts of the maker';
  switch (program) {
    case ASSOCIATED_TOKEN_PROGRAM:
      return parseCreateAssociatedTokenIdempotent(instruction) ? undefined : 'only idempotent creation of accounts';
    case SYSTEM_PROGRAM:
      return parseSystemTransfer(instruction) ? undefined : 'only transfers of SOL';
    case TOKEN_PROGRAM:
    case TOKEN_2022_PROGRAM: {
      const simple = data.length === 1 && (data[0] === SYNC_NATIVE || data[0] === CLOSE_ACCOUNT);
      return simple || parseTransferChecked(instruction) ? undefined : 'only checked transfers of tokens';
    }
    case LIGHTHOUSE_PROGRAM:
      return LIGHTHOUSE_ASSERTIONS.has(data[0]) ? undefined : 'only assertions of Lighthouse';
    default:
      return `the program ${program} is not expected`;
  }
}
