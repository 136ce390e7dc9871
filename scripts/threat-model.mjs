// Writes the table of docs/threat-model.md from the names of tests, or checks that it is what they say. A test belongs to it
// whose name is "attack: <attacker> <what he tries, and what it costs at most>", with one of the attackers below; the tests
// in such a describe() say the rest. The defaults of settings that the page names come from docs/configuration.md.
// The formatter leaves the page alone, because it would pad each row to the longest.
// Usage: node scripts/threat-model.mjs [--write] [folder]. Uses nothing but Node itself.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { root } from './prepare.mjs';

/** How the name of an attack begins, and the heading of its part of the table. */
const ATTACKERS = {
  'a caller without a key': 'A caller without a key',
  'a free key': 'A client with a key that costs nothing',
  'a page': 'A page in a browser',
  'a wallet': 'A wallet whose fees or fills the service pays for',
  'a sponsor': 'A sponsor of one’s own choice, who pays for what somebody else signs',
  'a thief of a login': 'A thief of a login',
  'a thief of a key': 'A thief of an API key',
  'somebody who moves pools': 'Somebody who moves pools',
  'a market maker': 'A market maker',
  'a router': 'A router of another company',
  'a venue': 'The program of a pool, in a route',
  'a stranger on the chain': 'Somebody who calls our programs on the chain',
  'an issuer of a token': 'An issuer of a token',
  'an uploader': 'An uploader of images and metadata',
  'a lying service': 'A service that lies to its clients',
  'a node': 'A node that lies, stalls or throttles',
  'a price feed': 'A price feed',
  'a channel of scores': 'The channel of scores, or somebody in its place',
  'a database writer': 'Somebody who can write to the database',
  'a copy that was broken into': 'A copy of the service that was broken into, which asks the signer for signatures',
  'another user': 'Another user of the machine',
  'a writer of the signer file': 'Somebody who can write the signer file',
  'key management': 'Key management that lies, or somebody in its place',
  'an admin': 'Somebody with the token of an admin',
  'an operator by mistake': 'The operator, by mistake',
};
const COMMAND = 'node scripts/threat-model.mjs --write';
const NAME = /^( *)(?:describe|it|test)(?:\.\w+)?\(\s*(?:'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`([^`]*)`)/gm;
const TABLE = /(?<=<!-- attacks[^>]*-->\n).*(?=<!-- \/attacks -->)/s;
/** A row that ends with a setting and its default: | ... | [`setting`](configuration.md#...) | default | */
const SETTING = /(\[`([\w.]+)`\]\(configuration\.md#[^)]*\) +\| )[^|\n]*\|/g;

const write = process.argv.includes('--write');
const folder = process.argv.slice(2).find((argument) => argument !== '--write') ?? root;
const page = join(folder, 'docs', 'threat-model.md');

const attacks = testFiles().flatMap(attacksIn);
const old = readFileSync(page, 'utf8');
if (!TABLE.test(old)) fail('docs/threat-model.md has lost the marks between which its table stands: <!-- attacks -->');
const configuration = readFileSync(join(folder, 'docs', 'configuration.md'), 'utf8');
const text = old
  .replace(TABLE, () => `\n${table()}\n`)
  .replace(SETTING, (_, before, setting) => `${before}${defaultOf(setting)} |`);
if (write) writeFileSync(page, text);
else if (text !== old) fail(`docs/threat-model.md is not what the tests' names say; run "${COMMAND}"`);
console.log(
  `threat model: ${attacks.length} attacks, ${attacks.reduce((sum, { shown }) => sum + shown.length, 0)} tests`,
);

function fail(message) {
  console.error(message);
  process.exit(1);
}

function testFiles() {
  const { workspaces } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return workspaces
    .flatMap((workspace) =>
      readdirSync(join(folder, workspace, 'src'), { recursive: true })
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => `${workspace}/src/${name.replaceAll(sep, '/')}`),
    )
    .sort();
}

/** The attacks of a file, each with the names of the tests that show it. */
function attacksIn(file) {
  const source = readFileSync(join(folder, file), 'utf8');
  if (!source.includes('attack: ')) return [];
  const found = [];
  for (const match of source.matchAll(NAME)) {
    const [, indent, ...quoted] = match;
    const name = quoted.find((each) => each !== undefined).replace(/\\(.)/g, '$1');
    const around = found.findLast(({ end }) => match.index < end);
    // What runs on several databases says at its end on which.
    const said = name.replace(/^attack: /, '').replace(/, on \$\{\w+\}$/, '');
    const attacker = name.startsWith('attack: ') ? attackerOf(said) : undefined;
    // A name with a part that only the run knows says nothing to a reader.
    if (attacker !== undefined && said.includes('${')) fail(`${file}: write "${name}" without \${}, for the table`);
    if (attacker !== undefined)
      found.push({ file, attacker, said, end: endOf(source, match.index, indent), shown: [] });
    else if (around !== undefined && !said.includes('${')) around.shown.push(said);
    else if (around === undefined && name.startsWith('attack: ')) fail(unknownAttacker(file, name));
  }
  return found;
}

function attackerOf(said) {
  return Object.keys(ATTACKERS).find((attacker) => said.startsWith(`${attacker} `));
}

function unknownAttacker(file, name) {
  const known = Object.keys(ATTACKERS).join(', ');
  return `${file}: "${name}" must name an attacker of scripts/threat-model.mjs after "attack: " (${known})`;
}

/** Where the block ends that begins here: at the first line of the same indent that closes it. */
function endOf(source, start, indent) {
  const length = source.slice(start).search(new RegExp(`\\n${indent}[})]`));
  return length < 0 ? source.length : start + length;
}

function defaultOf(setting) {
  const part = configuration.split(/^### /m).find((each) => each.startsWith(`\`${setting}\`\n`)) ?? '';
  const [, value] = /^- Default: (.*)$/m.exec(part) ?? fail(`docs/configuration.md has no default of ${setting}`);
  const [, unit] = /^- Unit: (.*)$/m.exec(part) ?? [];
  return unit === undefined ? value : `${value} (${unit})`;
}

function table() {
  const parts = Object.entries(ATTACKERS).map(([attacker, heading]) => {
    const rows = attacks.filter((attack) => attack.attacker === attacker).map(row);
    const head = '| Tries, and what it costs at most | Shown by |\n| --- | --- |';
    return rows.length === 0 ? [] : [`### ${heading}\n\n${head}\n${rows.join('\n')}\n`];
  });
  return parts.flat().join('\n');
}

function row({ file, said, shown }) {
  const cells = [said, ...shown].map((each) => capital(each).replaceAll('|', '\\|').replaceAll('<', '&lt;'));
  const [attack, ...tests] = cells;
  return `| ${attack} | ${[`\`${file}\``, ...tests].join('<br>')} |`;
}

function capital(sentence) {
  return sentence[0].toUpperCase() + sentence.slice(1);
}
