// The pinned compiler and linker, and one program's way through them.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkProgram } from './check.mjs';

export const PROGRAMS = fileURLToPath(new URL('..', import.meta.url));
/** What a build must be made with to have the recorded bytes: Debian 12's `clang-19` and `binutils-bpf`. */
export const TOOLCHAIN = { clang: '19.1.7', ld: '2.40' };

const CLANG = 'clang-19';
const LD = 'bpf-ld';
const FLAGS = [
  ...[
    '--target=bpf',
    '-O2',
    '-std=c17',
    '-ffreestanding',
    '-nostdinc',
    '-fno-builtin',
    '-fno-jump-tables',
    '-fno-ident',
  ],
  // Never v3: it has 32-bit arithmetic, which SBPF extends by the other rule.
  '-mcpu=v2',
  ...['-mllvm', '-bpf-stack-size=4096'],
  ...['-Wall', '-Wextra', '-Werror', '-Wconversion', '-Wno-unused-const-variable'],
];
const SBPF_VERSION_AT = 48;

/** The versions of the installed compiler and linker; undefined for one that is not there. */
export function installedToolchain() {
  const version = (command, pattern) => {
    try {
      return pattern.exec(execFileSync(command, ['--version'], { encoding: 'utf8' }))?.[1];
    } catch {
      return undefined;
    }
  };
  return { clang: version(CLANG, /version ([0-9.]+)/), ld: version(LD, /\) ([0-9.]+)/) };
}

/**
 * The bytes of a program compiled from `<root>/<name>/src/<name>.c` with the headers of `<root>/base`. Throws an Error
 * with the compiler's, linker's or checker's words.
 */
export function compileProgram(name, root = PROGRAMS) {
  const { file, syscalls } = build(name, root, [], 'base/v3.ld');
  return { file, syscalls };
}

/** The mark in the log before the number of a block. */
const BLOCK_MARK = '0x636f766572';
// Each block says so when it is first reached. The upper half of the heap is not used by any program.
const COVERAGE = `
typedef unsigned long Word;
#define UNCOUNTED __attribute__((no_sanitize("coverage")))
static Word (*const log_block)(Word, Word, Word, Word, Word) = (void *)0x5c2a3178UL;
UNCOUNTED void __sanitizer_cov_trace_pc_guard(unsigned *guard) {
  unsigned char *seen = (unsigned char *)0x300004000UL + ((Word)guard >> 2);
  if (*seen) return;
  *seen = 1;
  log_block(${BLOCK_MARK}UL, (Word)guard, 0, 0, 0);
}
UNCOUNTED void __sanitizer_cov_trace_pc_guard_init(unsigned *first, unsigned *end) { (void)first; (void)end; }
`;

/** The same program, which also logs each basic block that it reaches, and how many there are. */
export function compileForCoverage(name, root = PROGRAMS) {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-coverage-'));
  try {
    const [header, layout] = [join(folder, 'coverage.h'), join(folder, 'coverage.ld')];
    writeFileSync(header, COVERAGE);
    const script = readFileSync(join(root, 'base/v3.ld'), 'utf8')
      .replace('*(.rodata .rodata.*)', '*(.rodata .rodata.*) . = ALIGN(8); *(__sancov_guards)')
      .replace('/DISCARD/ : {', '/DISCARD/ : { *(.init_array*) *(.text.sancov.*)');
    writeFileSync(layout, script);
    const { file, object } = build(name, root, ['-fsanitize-coverage=trace-pc-guard', '-include', header], layout);
    return { file, blocks: sectionsOf(object, '__sancov_guards').reduce((sum, { size }) => sum + size, 0) / 4 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Places of all sections of this name in an ELF file of 64 bits. */
function sectionsOf(elf, name) {
  const [table, count, names] = [Number(elf.readBigUInt64LE(40)), elf.readUInt16LE(60), elf.readUInt16LE(62)];
  const section = (i) => elf.subarray(table + 64 * i, table + 64 * (i + 1));
  const texts = Number(section(names).readBigUInt64LE(24));
  const found = Array.from({ length: count }, (_, i) => section(i)).filter((head) => {
    const at = texts + head.readUInt32LE(0);
    return elf.toString('latin1', at, elf.indexOf(0, at)) === name;
  });
  return found.map((head) => ({ at: Number(head.readBigUInt64LE(24)), size: Number(head.readBigUInt64LE(32)) }));
}

/** A text of a program with which another one ends: the linker keeps both in one place, and mistakes the other places. */
function textInText(object) {
  const parts = sectionsOf(object, '.rodata.str1.1').map(({ at, size }) => object.toString('latin1', at, at + size));
  const texts = parts.flatMap((part) => part.split('\0').slice(0, -1));
  return texts.find((text) => texts.some((other) => other !== text && other.endsWith(text)));
}

function build(name, root, flags, script) {
  return inFolder((folder) => {
    const object = join(folder, 'program.o');
    compileObject(name, root, flags, object);
    // Such as an array of texts that is all constant. The compiler does not say, and the linker puts a wrong address.
    if (readFileSync(object).includes('.rel.rodata\0')) throw new Error(`${name}: constants with addresses in them`);
    const text = textInText(readFileSync(object));
    if (text !== undefined) throw new Error(`${name}: the text "${text}" is the end of another one`);
    return { ...link(name, root, [object], join(folder, 'program.so'), script), object: readFileSync(object) };
  });
}

/**
 * The bytes of a program of which the function that a source overrides is the one of `part`, and all else of `rest`: objects
 * that compileObject() made.
 */
export function linkPart(name, root, part, rest) {
  return inFolder((folder) => link(name, root, [part, rest], join(folder, 'program.so'), 'base/v3.ld').file);
}

function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-sbpf-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(command, args, cwd) {
  try {
    // From the root and with relative names: no path of this machine gets into the output.
    execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    throw new Error(`${command}: ${error.stderr?.length ? error.stderr : error.message}`);
  }
}

/** Compiles `<root>/<name>/src/<name>.c` with the headers of `<root>/base` into an object file. */
export function compileObject(name, root, flags, object) {
  run(CLANG, [...FLAGS, ...flags, '-I', 'base', '-c', `${name}/src/${name}.c`, '-o', object], root);
}

function link(name, root, objects, output, script) {
  const layout = ['-static', '-n', '-z', 'max-page-size=8', '--entry', 'entrypoint', '-T', script];
  run(LD, [...layout, '-s', ...objects, '-o', output], root);
  const file = readFileSync(output);
  file.writeUInt32LE(3, SBPF_VERSION_AT);
  const { problems, syscalls } = checkProgram(file);
  if (problems.length) throw new Error(`${name}: ${problems.slice(0, 5).join('; ')}`);
  return { file, syscalls };
}
