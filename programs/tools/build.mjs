// Builds programs: node tools/build.mjs [name...]    all of them without a name
// Writes <name>/<name>.so and its hash into hashes.json.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileProgram, installedToolchain, PROGRAMS, TOOLCHAIN } from './toolchain.mjs';

const HASHES = join(PROGRAMS, 'hashes.json');

const installed = installedToolchain();
if (installed.clang !== TOOLCHAIN.clang || installed.ld !== TOOLCHAIN.ld) {
  console.error(`needs clang-19 ${TOOLCHAIN.clang} and bpf-ld ${TOOLCHAIN.ld}: apt-get install clang-19 binutils-bpf`);
  process.exit(1);
}
const all = readdirSync(PROGRAMS).filter((name) => existsSync(join(PROGRAMS, name, 'src', `${name}.c`)));
for (const name of process.argv.length > 2 ? process.argv.slice(2) : all) {
  const { file, syscalls } = compileProgram(name);
  const sha256 = createHash('sha256').update(file).digest('hex');
  writeFileSync(join(PROGRAMS, name, `${name}.so`), file);
  const hashes = existsSync(HASHES) ? JSON.parse(readFileSync(HASHES, 'utf8')) : {};
  hashes[name] = sha256;
  const sorted = Object.fromEntries(Object.entries(hashes).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(HASHES, `${JSON.stringify(sorted, null, 2)}\n`);
  console.log(`${name}.so: ${file.length} bytes, sha256 ${sha256}; ${syscalls.join(' ')}`);
}
