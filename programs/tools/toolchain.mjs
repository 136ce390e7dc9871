// The pinned compiler and linker, and one program's way through them.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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
  const folder = mkdtempSync(join(tmpdir(), 'slipway-sbpf-'));
  const run = (command, args) => {
    try {
      // From the root and with relative names: no path of this machine gets into the output.
      execFileSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
    } catch (error) {
      throw new Error(`${command}: ${error.stderr?.length ? error.stderr : error.message}`);
    }
  };
  try {
    const object = join(folder, 'program.o');
    const output = join(folder, 'program.so');
    run(CLANG, [...FLAGS, '-I', 'base', '-c', `${name}/src/${name}.c`, '-o', object]);
    // Such as an array of texts that is all constant. The compiler does not say, and the linker puts a wrong address.
    if (readFileSync(object).includes('.rel.rodata\0')) throw new Error(`${name}: constants with addresses in them`);
    const layout = ['-static', '-n', '-z', 'max-page-size=8', '--entry', 'entrypoint', '-T', 'base/v3.ld'];
    run(LD, [...layout, '-s', object, '-o', output]);
    const file = readFileSync(output);
    file.writeUInt32LE(3, SBPF_VERSION_AT);
    const { problems, syscalls } = checkProgram(file);
    if (problems.length) throw new Error(`${name}: ${problems.slice(0, 5).join('; ')}`);
    return { file, syscalls };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
