// Checks a program file by what the loader and the SBPF v3 machine demand, independently of compiler and linker.
//
// It is stricter than the loader in three points. 32-bit arithmetic and jumps are refused: SBPF sign-extends where the
// compiler's eBPF zero-extends, so they load and compute wrong results. Syscalls must be known ones: the loader does not
// look at their numbers when a v3 program is deployed. And stack accesses must lie in the function's own frame.

const SYSCALLS = [
  'abort',
  'sol_create_program_address',
  'sol_curve_validate_point',
  'sol_get_clock_sysvar',
  'sol_get_rent_sysvar',
  'sol_get_return_data',
  'sol_get_stack_height',
  'sol_get_sysvar',
  'sol_invoke_signed_c',
  'sol_log_',
  'sol_log_64_',
  'sol_log_compute_units_',
  'sol_log_data',
  'sol_log_pubkey',
  'sol_memcmp_',
  'sol_memcpy_',
  'sol_memmove_',
  'sol_memset_',
  'sol_panic_',
  'sol_remaining_compute_units',
  'sol_set_return_data',
  'sol_sha256',
  'sol_try_find_program_address',
];

const EM_BPF = 247;
const PT_LOAD = 1;
const FLAG_EXECUTE = 1;
const FLAG_READ = 4;
const CONSTANTS_ADDRESS = 0n;
const CODE_ADDRESS = 1n << 32n;
const FRAME_SIZE = 4096;
const OP = { lddw: 0x18, call: 0x85, exit: 0x95, jump: 0x05, swap: 0xdc, negate: 0x87 };
const CLASS = { load: 1, storeImmediate: 2, storeRegister: 3, jump: 5 };

const ALLOWED = new Set([
  ...Object.values(OP),
  ...[0x61, 0x69, 0x71, 0x79, 0x62, 0x6a, 0x72, 0x7a, 0x63, 0x6b, 0x73, 0x7b], // loads and stores
  ...[0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x90, 0xa0, 0xb0, 0xc0].flatMap((op) => [op | 0x07, op | 0x0f]),
  ...[0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0xa0, 0xb0, 0xc0, 0xd0].flatMap((op) => [op | 0x05, op | 0x0d]),
]);
const DIVISIONS = new Set([0x37, 0x97]);
const SHIFTS = new Set([0x67, 0x77, 0xc7]);

/** Murmur3 (32 bits, seed 0) of a name: how SBPF v3 calls a syscall. */
export function murmur3(text) {
  const bytes = Buffer.from(text, 'latin1');
  const scramble = (k) => {
    const product = Math.imul(k, 0xcc9e2d51);
    return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
  };
  let hash = 0;
  const whole = bytes.length & ~3;
  for (let i = 0; i < whole; i += 4) {
    hash ^= scramble(bytes.readInt32LE(i));
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  let rest = 0;
  for (let i = bytes.length - 1; i >= whole; i--) rest = (rest << 8) | bytes[i];
  if (bytes.length > whole) hash ^= scramble(rest);
  hash ^= bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const SYSCALL_NAMES = new Map(SYSCALLS.map((name) => [murmur3(name), name]));

/** What is wrong with the file, a line each (none: it is good), and which syscalls it makes. */
export function checkProgram(file) {
  const problems = [];
  const expect = (condition, text) => {
    if (!condition) problems.push(text);
  };
  const code = checkHeaders(file, expect);
  const syscalls = code ? checkCode(code.bytes, expect) : new Set();
  if (code) expect(code.entry % 8 === 0 && code.entry >= 0 && code.entry < code.bytes.length, 'entry point');
  return { problems, syscalls: [...syscalls].sort() };
}

function checkHeaders(file, expect) {
  if (file.length < 64) {
    expect(false, 'too short for a header');
    return undefined;
  }
  expect(file.subarray(0, 16).toString('hex') === '7f454c46020101000000000000000000', 'ELF identification');
  expect(file.readUInt16LE(18) === EM_BPF, 'machine');
  expect(file.readUInt32LE(48) === 3, 'SBPF version');
  expect(
    file.readBigUInt64LE(32) === 64n && file.readUInt16LE(52) === 64 && file.readUInt16LE(54) === 56,
    'header sizes',
  );
  const count = file.readUInt16LE(56);
  expect(count === 2, 'two segments');
  if (count !== 2 || file.length < 64 + 2 * 56) return undefined;
  let expected = 64n + 2n * 56n;
  const segments = [
    { flags: FLAG_READ, address: CONSTANTS_ADDRESS },
    { flags: FLAG_EXECUTE, address: CODE_ADDRESS },
  ].map(({ flags, address }, i) => {
    const at = 64 + i * 56;
    const offset = file.readBigUInt64LE(at + 8);
    const size = file.readBigUInt64LE(at + 32);
    expect(file.readUInt32LE(at) === PT_LOAD && file.readUInt32LE(at + 4) === flags, `segment ${i}: type or flags`);
    expect(
      file.readBigUInt64LE(at + 16) === address && file.readBigUInt64LE(at + 24) === address,
      `segment ${i}: address`,
    );
    expect(size === file.readBigUInt64LE(at + 40) && size % 8n === 0n && size > 0n, `segment ${i}: size`);
    expect(offset === expected && offset + size <= BigInt(file.length), `segment ${i}: place in the file`);
    expected = offset + size;
    return file.subarray(Number(offset), Number(offset + size));
  });
  return { bytes: segments[1], entry: Number(file.readBigUInt64LE(24) - CODE_ADDRESS) };
}

function checkCode(code, expect) {
  const count = Math.floor(code.length / 8);
  const secondHalves = new Set();
  for (let i = 0; i < count; i++) if (code[i * 8] === OP.lddw) secondHalves.add(++i);
  const isInstruction = (i) => i >= 0 && i < count && !secondHalves.has(i);
  const syscalls = new Set();
  for (let i = 0; i < count; i++) {
    if (secondHalves.has(i)) {
      expect(code[i * 8] === 0, `instruction ${i}: second half of a constant`);
      continue;
    }
    const instruction = {
      op: code[i * 8],
      target: code[i * 8 + 1] & 15,
      source: code[i * 8 + 1] >> 4,
      offset: code.readInt16LE(i * 8 + 2),
      immediate: code.readInt32LE(i * 8 + 4),
    };
    const wrong = problemOf(instruction, i, isInstruction, syscalls);
    expect(!wrong, `instruction ${i} (opcode 0x${instruction.op.toString(16)}): ${wrong}`);
  }
  const last = code[code.length - 8];
  expect(last === OP.exit || last === OP.jump, 'the code runs past its end');
  return syscalls;
}

function problemOf({ op, target, source, offset, immediate }, i, isInstruction, syscalls) {
  if (!ALLOWED.has(op)) return 'not among the allowed';
  const kind = op & 7;
  const stores = kind === CLASS.storeImmediate || kind === CLASS.storeRegister;
  if (source > 10 || target > 10 || (target === 10 && !stores)) return 'register';
  if (kind === 7 && offset !== 0) return 'signed or sign-extending form';
  if (DIVISIONS.has(op) && immediate === 0) return 'division by zero';
  if (SHIFTS.has(op) && (immediate < 0 || immediate > 63)) return 'shift too wide';
  if (op === OP.swap && ![16, 32, 64].includes(immediate)) return 'width';
  const onStack = (kind === CLASS.load && source === 10) || (stores && target === 10);
  if (onStack && (offset >= 0 || offset < -FRAME_SIZE)) return 'outside of the stack frame';
  if (op === OP.call) return callProblem(source, immediate, i, isInstruction, syscalls);
  if (kind === CLASS.jump && op !== OP.exit && !isInstruction(i + 1 + offset)) return 'jumps into nothing';
  return undefined;
}

function callProblem(source, immediate, i, isInstruction, syscalls) {
  if (source === 1) return isInstruction(i + 1 + immediate) ? undefined : 'calls into nothing';
  const name = SYSCALL_NAMES.get(immediate >>> 0);
  if (source !== 0 || name === undefined) return 'calls an unknown syscall';
  syscalls.add(name);
  return undefined;
}
