// Writes down what a fresh sandbox was asked and answered in each operation, as examples for the API document:
// node scripts/record-calls.mjs [--all], after npm run build. Without --all, only those that have no example yet.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';

const FILE = join(root, 'server/src/app/recorded-calls.json');
const LONGEST_LIST = 2;
const LONGEST_TEXT_LINES = 12;
/** What would open something, by the names of its fields. */
const SECRETS = {
  secretKey: 'base58 of the secret key',
  key: 'sk_the_text_of_the_key',
  token: 'the.text.of-the-token',
  secret: 'whsec_the_text_of_the_secret',
};

const load = (file) => import(join(root, 'test', 'dist', file));
const { startService } = await load('service.js');
const { documentOf, operationsOf } = await load('openapi-document.js');
const { takeTour } = await load('api-tour.js');

const service = await startService();
try {
  const document = await documentOf(service);
  const calls = await takeTour(service, document);
  const known = process.argv.includes('--all') ? {} : JSON.parse(readFileSync(FILE, 'utf8'));
  const recorded = {};
  for (const { method, path } of operationsOf(document)) {
    const name = `${method} ${path}`;
    const { parameters, body, answer } = calls.find((call) => call.name === name);
    recorded[name] = known[name] ?? {
      ...(Object.keys(parameters).length > 0 && { parameters }),
      body,
      answer: readable(answer),
    };
  }
  const text = JSON.stringify(recorded, undefined, 1)
    .replaceAll(service.url, 'http://127.0.0.1:8080')
    .replaceAll(new URL(service.url).host, '127.0.0.1:8080')
    .replaceAll(service.rpcUrl, 'http://127.0.0.1:8899')
    .replaceAll(service.wsUrl, 'ws://127.0.0.1:8900');
  writeFileSync(FILE, `${text}\n`);
  console.log(`${Object.keys(recorded).length} operations, ${text.length} characters`);
} finally {
  await service.close();
}

/** An answer without secrets, with the first of its long lists. */
function readable(value, name = '') {
  if (typeof value === 'string') {
    if (name in SECRETS) return SECRETS[name];
    const url = URL.canParse(value) ? new URL(value) : undefined;
    // The signature in the query of an address is what opens it.
    if (url && /sign/i.test(url.search)) return value.replace(/(sign[a-z]*=)[^&]+/gi, '$1...');
    return value.split('\n').slice(0, LONGEST_TEXT_LINES).join('\n');
  }
  if (Array.isArray(value)) return value.slice(0, LONGEST_LIST).map((member) => readable(member));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, member]) => [field, readable(member, field)]));
}
