// Writes the tables of docs/guides/ that follow from the source: which operations of the hosted API are served, and all
// errors. Usage: node scripts/guides.mjs [--write]; without it, fails where a page says something else. Needs a build.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RFQ } from '../server/dist/errors/rfq.js';
import { errorTable } from '../server/dist/errors/table.js';
import { hostedOperations } from '../server/dist/http/hosted-routes.js';
import { root } from './prepare.mjs';

/** Of the client, for the codes that say no more than a status. */
const STATUS_OF = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  429: 'rate_limited',
  503: 'unavailable',
};
const read = (path) => readFileSync(join(root, path), 'utf8');

/** By page and name of the table, its rows, the head first. */
const TABLES = {
  'docs/guides/from-the-hosted-api.md': { coverage: coverage() },
  'docs/guides/errors.md': { client: clientCodes(), rfq: rfqCodes(), service: serviceCodes() },
};

let differs = false;
for (const [page, tables] of Object.entries(TABLES)) {
  const text = read(page);
  const wanted = Object.entries(tables).reduce(replaceTable, text);
  if (wanted === text) continue;
  differs = true;
  if (process.argv.includes('--write')) writeFileSync(join(root, page), wanted);
  else console.error(`${page} is not what the source says: run "node scripts/guides.mjs --write"`);
}
if (differs && !process.argv.includes('--write')) process.exit(1);

/** Between `<!-- name -->` and `<!-- end -->`. */
function replaceTable(text, [name, rows]) {
  const marks = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(\n<!-- end -->)`);
  if (!marks.test(text)) throw new Error(`there is no table ${name}`);
  return text.replace(marks, (_, begin, end) => `${begin}\n${aligned(rows)}\n${end}`);
}

/** A table as the formatter writes it. */
function aligned([head, ...rows]) {
  const widths = head.map((_, i) => Math.max(3, ...[head, ...rows].map((row) => row[i].length)));
  const line = (row) => `| ${row.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** The client's types have every operation of the API document, which a test compares. */
function coverage() {
  const types = read('client/src/api-types.ts');
  const served = new Set();
  for (const [, path, body] of types.matchAll(/^ {4}"(\/[^"]*)": \{\n([\s\S]*?)^ {4}\};/gm))
    for (const [, method] of body.matchAll(/^ {8}(get|post|put|patch|delete)\??: (?!never)/gm))
      served.add(`${method.toUpperCase()} ${nameless(path)}`);
  const rows = hostedOperations.map(({ method, path, instead }) => {
    const isServed = served.has(`${method} ${nameless(path)}`);
    return [`\`${method} ${path}\``, isServed ? 'yes' : 'no', isServed ? '' : instead];
  });
  return [['Operation', 'Served', 'Instead'], ...rows];
}

function nameless(path) {
  return path.replaceAll(/\{\w+\}/g, '{}');
}

function clientCodes() {
  const type = /export type ErrorCode =\n([\s\S]*?)\| \(string/.exec(read('client/src/errors.ts'))[1];
  const rows = [...type.matchAll(/(?:\/\*\* (.*?) \*\/\n)?\s+\| '(\w+)'/g)].map(([, about, code]) => {
    const [status] = Object.entries(STATUS_OF).find(([, each]) => each === code) ?? [];
    return [`\`${code}\``, about ?? (status ? `the service answered ${status}` : 'the service answered 500 or above')];
  });
  return [['Code', 'What it means'], ...rows];
}

function rfqCodes() {
  return [['Code', 'Message'], ...Object.values(RFQ).map(({ code, message }) => [`${code}`, message])];
}

function serviceCodes() {
  const rows = Object.entries(errorTable).map(([code, { status, message, wireCode }]) => [
    `\`${wireCode ?? code}\``,
    `${status}`,
    message,
  ]);
  return [['Code', 'Status', 'Message where nothing more precise is known'], ...rows];
}
