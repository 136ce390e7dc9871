// Runs a compiled program of this repository, after installing and building what is missing.
// Usage: node scripts/run.mjs <compiled file> [arguments]. Uses nothing but Node itself.
import { pathToFileURL } from 'node:url';
import { prepare } from './prepare.mjs';

const [target, ...rest] = process.argv.slice(2);
if (target === undefined) {
  console.error('usage: node scripts/run.mjs <compiled file> [arguments]');
  process.exit(2);
}
const path = prepare(target);
// From here on it is the program's own time: what it says of its start counts from this mark.
performance.mark('prepared');
process.argv = [process.argv[0], path, ...rest];
await import(pathToFileURL(path).href);
