import type { Instruction, LookupTable } from '@slipway/wire/formats';
import { rpc } from './chain.js';

/** A transaction before it is signed, as its bytes and a trial run tell it. */
export interface Decoded {
  bytes: number;
  mostBytes: number;
  signers: readonly string[];
  accounts: number;
  /** Of which the lookup tables name so many. */
  looked: number;
  unitLimit: number | undefined;
  /** Micro-lamports. */
  unitPrice: bigint | undefined;
  /** Compute units of the trial run. */
  units: number | undefined;
  trialError: string | undefined;
  instructions: readonly { program: string; accounts: readonly string[]; bytes: number; says: string }[];
}

interface Simulation {
  value: { err: unknown; unitsConsumed?: number; logs: string[] | null };
}
interface AccountAnswer {
  value: ({ data: [string] } | null)[];
}

/** Reads a transaction of the service as the client does before it signs, and tries it out on the node. */
export async function decode(rpcUrl: string, base64: string): Promise<Decoded> {
  const formats = await import('@slipway/wire/formats');
  const wire = bytesOf(base64);
  const { decoded } = formats.decodeTransaction(wire);
  const named = decoded.lookups.map(({ table }) => table);
  const trial = { encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true };
  const [simulation, accounts] = await rpc<[Simulation, AccountAnswer | undefined]>(rpcUrl, [
    ['simulateTransaction', [base64, trial]],
    ...(named.length > 0 ? ([['getMultipleAccounts', [named, { encoding: 'base64' }]]] as const) : []),
  ]);
  const tables = named.flatMap((address, i): LookupTable[] => {
    const state = accounts?.value[i] && formats.decodeLookupTable(bytesOf(accounts.value[i].data[0]));
    return state ? [{ address, addresses: state.addresses }] : [];
  });
  const instructions = formats.decompileInstructions(decoded, tables);
  const looked = decoded.lookups.reduce((sum, table) => sum + table.writable.length + table.readonly.length, 0);
  const { err, unitsConsumed, logs } = simulation.value;
  return {
    bytes: wire.length,
    mostBytes: formats.MAX_TRANSACTION_SIZE,
    signers: formats.requiredSigners(decoded),
    accounts: decoded.accounts.length + looked,
    looked,
    unitLimit: instructions.map((each) => formats.parseComputeUnitLimit(each)).find((units) => units !== undefined),
    unitPrice: instructions.map((each) => formats.parseComputeUnitPrice(each)).find((price) => price !== undefined),
    units: unitsConsumed,
    trialError: err === null ? undefined : (logs?.at(-1) ?? JSON.stringify(err)),
    instructions: instructions.map((each) => ({
      program: each.program,
      accounts: each.accounts.map(({ address }) => address),
      bytes: each.data.length,
      says: say(formats, each),
    })),
  };
}

function say(formats: typeof import('@slipway/wire/formats'), instruction: Instruction): string {
  const { parseComputeUnitLimit, parseComputeUnitPrice, parseSystemTransfer, parseTransferChecked } = formats;
  const limit = parseComputeUnitLimit(instruction);
  if (limit !== undefined) return `at most ${limit.toLocaleString('en-US')} compute units`;
  const price = parseComputeUnitPrice(instruction);
  if (price !== undefined) return `${price.toLocaleString('en-US')} micro-lamports for each`;
  const sol = parseSystemTransfer(instruction);
  if (sol) return `transfer of ${sol.lamports.toLocaleString('en-US')} lamports`;
  const tokens = parseTransferChecked(instruction);
  if (tokens) return `transfer of ${tokens.amount.toLocaleString('en-US')} of a token`;
  if (formats.parseSystemCreateAccountWithSeed(instruction)) return 'new account';
  if (formats.parseInitializeAccount3(instruction)) return 'new token account';
  if (formats.parseCloseAccount(instruction)) return 'closes a token account';
  if (formats.parseSyncNative(instruction)) return 'counts wrapped SOL';
  return '';
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
