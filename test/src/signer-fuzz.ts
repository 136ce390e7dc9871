import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import {
  type Address,
  addressFromBytes,
  advanceNonce,
  compileMessage,
  decodeMessage,
  decompileInstructions,
  type Instruction,
  type Keypair,
  keypairFromSeed,
  MAX_TRANSACTION_SIZE,
  parseCloseAccount,
  parseCreateAssociatedTokenIdempotent,
  parseSystemCreateAccountWithSeed,
  parseSystemTransfer,
  SYSTEM_PROGRAM,
  setComputeUnitLimit,
  setComputeUnitPrice,
  sign,
  systemTransfer,
  unsignedTransaction,
} from '@slipway/wire';
import { spoil } from '../../server/dist/signer/policies/testing.js';
import { encodeFrame, MOST_FRAME_BYTES, readFrames } from '../../server/dist/signer/socket/frames.js';
import { PROTOCOL } from '../../server/dist/signer/socket/protocol.js';

/** A whole number from 0 to below this one. */
export type Random = (below: number) => number;

export interface Asked {
  method: string;
  params: unknown;
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const bytesOf = (random: Random, length: number) => Buffer.from(Array.from({ length }, () => random(256)));

const MADE = 1_000;

/** What nobody may have signed, whatever the caller is. */
const NEVER = new Set(['sign', 'issueLogin', 'sealOrder']);

/** Why an answer with this result is a breach; undefined where it is none. `gas` is the fee payer of all that is asked. */
export function breachOf({ method, params }: Asked, result: unknown, gas: Address): string | undefined {
  if (NEVER.has(method)) return `${method} was done`;
  if (method !== 'cosign' || (Array.isArray(result) && result.length === 0)) return undefined;
  const message = Buffer.from(`${(params as { message?: unknown }).message}`, 'base64');
  try {
    return breachIn(message, gas);
  } catch (error) {
    return `what was signed cannot be read: ${(error as Error).message}`;
  }
}

function breachIn(message: Uint8Array, gas: Address): string | undefined {
  if (unsignedTransaction(message).length > MAX_TRANSACTION_SIZE) return 'more than the chain takes was signed';
  const decoded = decodeMessage(message);
  const instructions = decompileInstructions(decoded);
  const opened = new Map<Address, bigint>();
  let given = 0;
  for (const instruction of instructions) {
    const { program, accounts, data } = instruction;
    if (program === SYSTEM_PROGRAM && data[0] === 4) return 'a durable nonce was signed';
    const places = accounts.flatMap(({ address }, at) => (address === gas ? [at] : []));
    if (places.length === 0) continue;
    const stands = (place: number) => places.length === 1 && places[0] === place;
    const lent = parseSystemCreateAccountWithSeed(instruction);
    const closed = parseCloseAccount(instruction);
    if (lent && stands(0)) opened.set(lent.newAccount, lent.lamports);
    else if (closed && stands(1)) opened.delete(closed.account);
    else if (parseCreateAssociatedTokenIdempotent(instruction) && stands(0)) given += 1;
    else if (!(parseSystemTransfer(instruction) && stands(1))) return `gas is a party to ${program}`;
  }
  if (opened.size > 0 || given > 1) return 'gas pays more rent than it may';
  return undefined;
}

/** Requests as a copy that was broken into makes them: sound ones, and everything that is near to them. */
export function createAsker(random: Random, gas: Address): () => Asked {
  const [user, thief] = [keypairFromSeed(bytesOf(random, 32)), keypairFromSeed(bytesOf(random, 32))];
  const anyOf = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const message = () => messageOf(random, { gas, user, thief });
  const any: (() => Asked)[] = [
    () => ({ method: 'state', params: {} }),
    () => ({ method: 'describe', params: {} }),
    () => ({ method: 'publicKey', params: { key: anyOf(['gas', `vault:${user.address}`, `mint:${random(1e6)}`]) } }),
    () => asked('cosign', message(), { keys: ['gas'], request: 'fuzz' }),
    () =>
      asked('cosign', message(), {
        keys: anyOf([['gas', 'tracker'], [`vault:${thief.address}`], ['mint:1', 'gas'], []]),
      }),
    () => asked('sign', message(), { key: anyOf(['gas', 'keeper', 'seal', `vault:${user.address}`, 'login:1']) }),
    () => ({ method: 'issueLogin', params: { wallet: user.address, proof: proofOf(random, user), notBefore: 0 } }),
    () => ({ method: 'sealOrder', params: { token: 'a.b.c', order: {}, proof: { deposit: base64(message()) } } }),
    () => ({ method: 'sealRow', params: { row: base64(bytesOf(random, random(2_000))) } }),
    () => ({ method: 'sealSecret', params: { text: 'x'.repeat(random(20_001)), place: 'fuzz' } }),
    () => ({ method: 'openSecret', params: { sealed: base64(bytesOf(random, random(500))), place: 'fuzz' } }),
    () => ({ method: 'markSecret', params: { text: 'fuzz' } }),
    () => ({ method: 'hearStops', params: { stopped: {} } }),
    () => ({ method: anyOf(['ping', '__proto__', 'constructor', '', 'x'.repeat(41)]), params: {} }),
  ];
  // Made before the time runs, because to make one costs more than to refuse it.
  const made = Array.from({ length: MADE }, () => anyOf(any)());
  return () => anyOf(random(20) === 0 ? [anyOf(any)()] : made);
}

function asked(method: string, message: Uint8Array, params: Record<string, unknown>): Asked {
  return { method, params: { ...params, message: base64(message) } };
}

/** A payment whose fee the gas wallet pays, often spoiled; bytes that are none; a durable nonce; one that is too large. */
function messageOf(random: Random, { gas, user, thief }: { gas: Address; user: Keypair; thief: Keypair }): Uint8Array {
  const instructions: Instruction[] = [
    setComputeUnitLimit(1_000),
    setComputeUnitPrice(BigInt(random(1_000))),
    systemTransfer({ from: user.address, to: thief.address, lamports: BigInt(random(1_000)) }),
  ];
  const mint = { mint: addressFromBytes(bytesOf(random, 32)), tokenProgram: SYSTEM_PROGRAM, decimals: 6 };
  const compiled = (all: Instruction[]) =>
    compileMessage({ version: 0, feePayer: gas, instructions: all, blockhash: addressFromBytes(bytesOf(random, 32)) });
  switch (random(6)) {
    case 0:
      return compiled([advanceNonce({ nonce: thief.address, authority: user.address }), ...instructions]);
    case 1:
      return compiled([
        ...instructions,
        { program: thief.address, accounts: [], data: bytesOf(random, 900 + random(300)) },
      ]);
    case 2:
      return bytesOf(random, random(1_300));
    case 3:
      return compiled(instructions);
    default: {
      const wanted = [{ account: thief.address, owner: gas }];
      return spoil(compiled(instructions), { address: thief.address, tokens: [mint], wanted }, random);
    }
  }
}

function proofOf(random: Random, wallet: Keypair): unknown {
  const challenge = `Log in ${wallet.address} ${random(1e6)}`;
  return { message: { challenge, signature: base64(sign(wallet, Buffer.from(challenge))) } };
}

const JUNK: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  '0',
  'AA==',
  '=',
  [],
  {},
  [[]],
  { a: {} },
  'é'.repeat(50),
];

/** The value with one part of it replaced, left out or added. */
export function mutated(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random(4) === 0) return JUNK[random(JUNK.length)];
  const entries = Object.entries(value);
  const at = random(entries.length + 1);
  const [name, inner] = entries[at] ?? [['x', '__proto__', 'id', 'constructor'][random(4)]!, undefined];
  const rest = entries.filter(([each]) => each !== name);
  const changed = random(3) === 0 ? rest : [...rest, [name, mutated(inner, random)] as [string, unknown]];
  return Array.isArray(value) ? changed.map(([, each]) => each) : Object.fromEntries(changed);
}

/** Bytes that are no frame, or one that goes wrong. */
export function brokenBytes(random: Random): Buffer {
  const length = Buffer.alloc(4);
  const framed = (json: string) => {
    length.writeUInt32BE(Buffer.byteLength(json));
    return Buffer.concat([length, Buffer.from(json)]);
  };
  switch (random(7)) {
    case 0:
      return bytesOf(random, 1 + random(300));
    case 1:
      length.writeUInt32BE([0, MOST_FRAME_BYTES + 1, 2 ** 31, 2 ** 32 - 1][random(4)]!);
      return Buffer.concat([length, bytesOf(random, 20)]);
    case 2:
      // Half of a frame.
      length.writeUInt32BE(1 + random(MOST_FRAME_BYTES));
      return Buffer.concat([length, Buffer.alloc(random(5_000), 0x20)]);
    case 3: {
      const depth = 1 + random(100_000);
      return framed(`${'['.repeat(depth)}${']'.repeat(depth)}`);
    }
    case 4: {
      const depth = 1 + random(20_000);
      return framed(`{"id":1,"method":"state","params":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`);
    }
    case 5:
      return framed(
        ['null', '1', '"x"', '[]', '{}', '{"id":1e400}', '{"id":1,"id":2}', '\u0000', '{"id":'][random(9)]!,
      );
    default:
      return framed(`{"id":${random(10)},"method":${JSON.stringify('x'.repeat(random(200_000)))}}`);
  }
}

/** A connection of a hostile caller. */
export interface Line {
  socket: Socket;
  /** Sends what may be a request, and remembers it until it is answered. */
  ask(value: unknown, bytes?: (frame: Uint8Array) => void): void;
  send(bytes: Uint8Array): void;
}

export const hello = () => encodeFrame({ slipwaySigner: PROTOCOL });

/** Undefined where it was not let in, because it has too many. */
export async function openLine(
  path: string,
  breached: (asked: Asked, result: unknown) => void,
): Promise<Line | undefined> {
  const socket = connect({ path });
  socket.on('error', () => {});
  const isOpen = await Promise.race([once(socket, 'connect'), once(socket, 'close')]).then(
    () => !socket.destroyed,
    () => false,
  );
  if (!isOpen) return undefined;
  // Of two with the same id, the first is answered before the second is read as one.
  const asked = new Map<unknown, Asked[]>();
  const take = (value: unknown) => {
    const { id, result, error } = value as { id?: number; result?: unknown; error?: unknown };
    const found = asked.get(id)?.shift();
    if (found && !error && result !== null && result !== undefined) breached(found, result);
  };
  readFrames(socket, take, () => socket.destroy());
  const send = (bytes: Uint8Array) => void (socket.writable && socket.write(bytes));
  return {
    socket,
    send,
    ask(value, sendFrame = send) {
      const { id, method, params } = (value ?? {}) as { id?: unknown; method?: string; params?: unknown };
      if (typeof method === 'string') asked.set(id, [...(asked.get(id) ?? []), { method, params }]);
      sendFrame(encodeFrame(value));
    },
  };
}
