import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkProgram, murmur3 } from '../tools/check.mjs';
import { compileProgram, installedToolchain, TOOLCHAIN } from '../tools/toolchain.mjs';
import { type ProgramName, readProgram } from './program-files.js';

const FOLDER = fileURLToPath(new URL('..', import.meta.url));
const hashes: Record<string, string> = JSON.parse(readFileSync(`${FOLDER}/hashes.json`, 'utf8'));
const names = Object.keys(hashes) as ProgramName[];

test('every program’s file is the one whose hash is recorded, and follows the rules of SBPF v3', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.so'));
  assert.deepEqual(files.sort(), names.map((name) => `${name}/${name}.so`).sort());
  for (const name of names) {
    const file = readProgram(name);
    assert.equal(createHash('sha256').update(file).digest('hex'), hashes[name], name);
    assert.deepEqual(checkProgram(file).problems, [], name);
  }
});

const installed = installedToolchain();
const isPinned = installed.clang === TOOLCHAIN.clang && installed.ld === TOOLCHAIN.ld;
const skip = isPinned ? false : `needs clang-19 ${TOOLCHAIN.clang} and bpf-ld ${TOOLCHAIN.ld} (clang-19, binutils-bpf)`;
for (const name of names) {
  test(`the source of ${name} builds to the same bytes`, { skip }, () => {
    assert.ok(compileProgram(name).file.equals(readProgram(name)));
  });

  test(`the source of ${name} builds to the same bytes in a folder of another name and depth`, { skip }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-elsewhere-'));
    try {
      const root = join(folder, 'a folder', 'further down');
      for (const part of ['base', `${name}/src`]) cpSync(join(FOLDER, part), join(root, part), { recursive: true });
      assert.ok(compileProgram(name, root).file.equals(readProgram(name)));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

const CODE_SEGMENT = 64 + 56;

/** A program whose first instructions are these, eight bytes each, followed by the real ones. */
function startingWith(...instructions: number[][]): Buffer {
  const file = Buffer.from(readProgram('pool'));
  const at = Number(file.readBigUInt64LE(CODE_SEGMENT + 8));
  for (const [i, bytes] of instructions.entries()) file.set(bytes, at + 8 * i);
  return file;
}

const word = (op: number, registers = 0, offset = 0, immediate = 0) => {
  const bytes = Buffer.alloc(8);
  bytes[0] = op;
  bytes[1] = registers;
  bytes.writeInt16LE(offset, 2);
  bytes.writeInt32LE(immediate | 0, 4);
  return [...bytes];
};

test('code that would be refused, or computed otherwise than compiled, does not pass the check', () => {
  assert.deepEqual(checkProgram(startingWith(word(0xb7))).problems, []);
  for (const [what, instruction] of [
    ['32-bit addition', word(0x04)],
    ['32-bit jump', word(0x16)],
    ['indirect call', word(0x8d)],
    ['unknown opcode', word(0xff)],
    ['signed division', word(0x37, 0, 1, 2)],
    ['division by zero', word(0x37)],
    ['shift by 64', word(0x67, 0, 0, 64)],
    ['byte swap of 8 bits', word(0xdc, 0, 0, 8)],
    ['register 11', word(0xb7, 11)],
    ['change of the frame pointer', word(0xb7, 10)],
    ['load above the frame', word(0x79, 0xa0, 0)],
    ['store below the frame', word(0x7b, 0x0a, -4097)],
    ['jump out of the code', word(0x05, 0, -2)],
    ['call out of the code', word(0x85, 0x10, 0, -2)],
    ['call of an unknown syscall', word(0x85, 0, 0, murmur3('sol_unheard_of'))],
  ] as const) {
    assert.equal(checkProgram(startingWith([...instruction])).problems.length, 1, what);
  }
  assert.ok(checkProgram(startingWith(word(0x18), word(0xb7))).problems.length > 0, 'half a constant');
  assert.deepEqual(checkProgram(startingWith(word(0x85, 0, 0, murmur3('sol_log_')))).problems, []);
});

test('a file with other headers does not pass the check', () => {
  for (const [what, at, value] of [
    ['magic', 0, 0],
    ['machine', 18, 0],
    ['entry point', 24, 1],
    ['version', 48, 2],
    ['segments', 56, 1],
    ['flags of the code', CODE_SEGMENT + 4, 5],
    ['place of the code', CODE_SEGMENT + 8, 0],
    ['address of the code', CODE_SEGMENT + 16, 8],
    ['size of the code', CODE_SEGMENT + 32, 1],
  ] as const) {
    const file = Buffer.from(readProgram('pool'));
    file[at] = value;
    assert.ok(checkProgram(file).problems.length > 0, what);
  }
  assert.ok(checkProgram(readProgram('pool').subarray(0, 60)).problems.length > 0);
  assert.ok(checkProgram(readProgram('pool').subarray(0, 2_000)).problems.length > 0);
});
