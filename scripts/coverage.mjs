// How much of the code a test run executes, by line of TypeScript: from what V8 records in every process of the run,
// also in the services that the tests start.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './prepare.mjs';

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const LEAST_COVERED = 10;
/** The tests themselves, and what only they use. */
const isTest = (file) => file.startsWith('test/') || /\.test\.ts$|(^|[/-])testing([/.]|$)/.test(file);

/** From here on, processes that are started record what they execute. */
export function startCoverage() {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-coverage-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  process.env.NODE_V8_COVERAGE = folder;
  const scripts = readScripts();
  const collect = () => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const recorded = parse(readFileSync(path, 'utf8'));
      // Else it is being written.
      if (recorded === undefined) continue;
      for (const { url, functions } of recorded.result) scripts.get(url)?.add(functions);
      rmSync(path);
    }
  };
  return {
    /** Reads what processes that have ended recorded; it is large, so this should happen now and then. */
    collect,
    print() {
      collect();
      print([...scripts.values()]);
    },
  };
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Every compiled script of ours, by its URL, and with it which lines of its source have been executed. */
function readScripts() {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const scripts = new Map();
  for (const workspace of workspaces) {
    for (const entry of readdirSync(join(root, workspace, 'src'), { recursive: true, withFileTypes: true })) {
      const file = relative(root, join(entry.parentPath ?? entry.path, entry.name)).replaceAll(sep, '/');
      const compiled = join(root, file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'));
      if (!entry.isFile() || !file.endsWith('.ts') || isTest(file) || !existsSync(compiled)) continue;
      scripts.set(pathToFileURL(compiled).href, script(file, compiled));
    }
  }
  return scripts;
}

function script(file, compiled) {
  const positions = readPositions(compiled);
  const lines = new Set(positions.map(({ line }) => line));
  const executed = new Set();
  return {
    file,
    lines,
    executed,
    /** The functions of one process: each has ranges with counts, the first for the whole of it and others inside. */
    add(functions) {
      const ranges = functions
        .flatMap((each) => each.ranges)
        .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
      const around = [];
      let next = 0;
      for (const { offset, line } of positions) {
        while (next < ranges.length && ranges[next].startOffset <= offset) around.push(ranges[next++]);
        while (around.length > 0 && around.at(-1).endOffset <= offset) around.pop();
        // The innermost range counts.
        if (around.length > 0 && around.at(-1).count > 0) executed.add(line);
      }
    },
  };
}

/** Where the compiled script has something of its source: offsets in the script, ascending, with the source's line. */
function readPositions(compiled) {
  const { mappings } = JSON.parse(readFileSync(`${compiled}.map`, 'utf8'));
  const starts = [0];
  const text = readFileSync(compiled, 'utf8');
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  let line = 0;
  return mappings.split(';').flatMap((segments, row) => {
    let column = 0;
    if (segments === '') return [];
    return segments.split(',').map((segment) => {
      const fields = decode(segment);
      column += fields[0];
      line += fields[2] ?? 0;
      return { offset: starts[row] + column, line };
    });
  });
}

/** The numbers of a segment of a source map: base 64, five bits a digit, the lowest first, the sign in the lowest bit. */
function decode(segment) {
  const numbers = [];
  let value = 0;
  let shift = 0;
  for (const character of segment) {
    const digit = BASE64.indexOf(character);
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}

function print(scripts) {
  const rows = new Map([...new Set(scripts.map(workspaceOf)), 'all'].map((name) => [name, { lines: 0, executed: 0 }]));
  for (const script of scripts) {
    for (const name of [workspaceOf(script), 'all']) {
      rows.get(name).lines += script.lines.size;
      rows.get(name).executed += script.executed.size;
    }
  }
  console.log('> lines of code that were executed');
  for (const [name, { lines, executed }] of rows)
    console.log(`${percent(executed, lines)}  ${name} (${executed} of ${lines})`);
  const missing = ({ lines, executed }) => lines.size - executed.size;
  console.log('> files with most lines that were not');
  for (const each of scripts.sort((a, b) => missing(b) - missing(a)).slice(0, LEAST_COVERED))
    console.log(`${String(missing(each)).padStart(7)}  ${each.file}`);
}

const workspaceOf = ({ file }) => file.split('/')[0];
const percent = (part, whole) => `${((100 * part) / Math.max(1, whole)).toFixed(1).padStart(5)} %`;
