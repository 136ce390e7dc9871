// Builds changed programs. A change inside one function compiles that function alone and links it with the rest, which is
// compiled once: a tenth of the work.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileObject, compileProgram, linkPart, PROGRAMS } from './toolchain.mjs';

const ENTRY = 'u64 entrypoint(';
const IS_STATIC = /^#define NOINLINE static (.*)$/m;

/** Where the functions of a source file are that are compiled by themselves: { name, head, first, last } (lines from 0). */
function functionsOf(source) {
  const lines = source.split('\n');
  const found = [];
  for (let i = 0; i < lines.length; i++) {
    if (!lines[i].startsWith('NOINLINE ') && !lines[i].startsWith(ENTRY)) continue;
    const [first, open] = [i, lines.findIndex((line, k) => k >= i && line.endsWith('{'))];
    i = lines.indexOf('}', open);
    const head = lines
      .slice(first, open + 1)
      .join('\n')
      .slice(0, -1)
      .trimEnd();
    found.push({ name: /(\w+)\(/.exec(head)[1], head, first, last: i });
  }
  return found;
}

/** The source with the bodies of all functions away, but for the named one. Lines stay where they are. */
function only(source, kept) {
  const lines = source.split('\n');
  for (const { name, head, first, last } of functionsOf(source)) {
    if (name === kept) continue;
    const rest = Array(last - first + 1 - head.split('\n').length).fill('');
    lines.splice(first, last - first + 1, ...`${head};`.split('\n'), ...rest);
  }
  return lines.join('\n');
}

export class Mutants {
  #name;
  #root = mkdtempSync(join(tmpdir(), 'slipway-mutants-'));
  /** Sources by their path. */
  #sources = new Map();
  #original;
  /** Of a function: its object without a change. */
  #parts = new Map();

  constructor(name) {
    this.#name = name;
    this.#original = compileProgram(name).file;
    for (const folder of ['whole', 'rest', 'part'])
      for (const part of [name, 'base'])
        cpSync(join(PROGRAMS, part), join(this.#root, folder, part), { recursive: true });
    for (const folder of [join(name, 'src'), 'base'])
      for (const file of readdirSync(join(PROGRAMS, folder)).filter((each) => /\.[ch]$/.test(each)))
        this.#sources.set(join(folder, file), readFileSync(join(PROGRAMS, folder, file), 'utf8'));
    for (const [path, source] of this.#sources) {
      // What the part has takes the place of what the rest has of the same name.
      const weak = source
        .replace(IS_STATIC, '#define NOINLINE __attribute__((weak)) $1')
        .replace(/^u64 entrypoint\(/m, '__attribute__((weak)) $&');
      writeFileSync(join(this.#root, 'rest', path), weak);
    }
    compileObject(name, join(this.#root, 'rest'), [], this.#object('rest'));
  }

  get original() {
    return this.#original;
  }

  get sources() {
    return this.#sources;
  }

  close() {
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** The bytes of a program with all these changes of different lines; undefined where they are the same code. Throws. */
  build(mutations) {
    const name = mutations.length === 1 ? this.#functionOf(mutations[0]) : undefined;
    if (name) return this.#buildPart(name, mutations[0]);
    const file = this.#with(
      'whole',
      mutations,
      (text) => text,
      (root) => compileProgram(this.#name, root).file,
    );
    return file.equals(this.#original) ? undefined : file;
  }

  #functionOf({ path, line }) {
    return functionsOf(this.#sources.get(path)).find(({ first, last }) => line - 1 >= first && line - 1 <= last)?.name;
  }

  #buildPart(name, mutation) {
    const place = this.#object('part');
    const compile = (mutations) =>
      this.#with(
        'part',
        mutations,
        (text) => only(text, name).replace(IS_STATIC, '#define NOINLINE $1'),
        (root) => {
          compileObject(this.#name, root, ['-Wno-unused-function'], place);
          return readFileSync(place);
        },
      );
    if (!this.#parts.has(name)) this.#parts.set(name, compile([]));
    if (compile([mutation]).equals(this.#parts.get(name))) return undefined;
    return linkPart(this.#name, join(this.#root, 'part'), place, this.#object('rest'));
  }

  #object(of) {
    return join(this.#root, `${of}.o`);
  }

  #with(folder, mutations, prepare, work) {
    const root = join(this.#root, folder);
    for (const [path, source] of this.#sources) {
      const lines = source.split('\n');
      for (const mutation of mutations) if (mutation.path === path) lines[mutation.line - 1] = mutation.changed;
      writeFileSync(join(root, path), prepare(lines.join('\n')));
    }
    return work(root);
  }
}
