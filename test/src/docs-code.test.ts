import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inheritedEnvironment, SLIPWAY } from './command.js';
import { type Service, startService } from './service.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MOST_LINES = 15;

interface Block {
  page: string;
  lang: string;
  text: string;
}

/** Blocks of code that another test runs, or that nothing can run by itself, by how they begin. */
const ELSEWHERE: Record<string, string> = {
  'for await (const event of client.events({': 'it never ends; client-flows.test.ts reads such a stream',
  "import { limitOrderAddresses, updateLimitOrderFee } from '@slipway/programs';":
    'it wants an admin of a deployed program',
  "await page.getByRole('dialog')": 'sandbox-wallet.test.ts presses the button in a browser',
  "import { startLocalnet } from '@slipway/localnet';": 'packages.test.ts runs it where the package is installed',
  "import { inviteKeypair, newInviteCode, readProgram } from '@slipway/programs';": 'packages.test.ts runs it',
  'import { compileMessage, decodeMessage, generateKeypair': 'packages.test.ts runs it',
  "import assert from 'node:assert/strict';\nimport { after, test }":
    'packages.test.ts runs it where the package is installed',
  '// The vault of a wallet, from a backup of the signer file.': 'vault-recovery.test.ts runs it',
  "import { test } from 'node:test';\nimport { startSlipway }": 'packages.test.ts runs it',
  "import { test as base } from '@playwright/test';": 'it wants a package that is not ours',
  "import { expect, test } from 'vitest';": 'it wants a package that is not ours',
};
/** Lines of a shell that are not run, and why. Those of the pages for contributors are tried by whoever follows them. */
const NOT_RUN: readonly [RegExp, string][] = [
  [
    /^(?:apt-get|systemctl|journalctl|docker|install|bash|scp|ssh|certbot|ln|promtool|amtool|export SLIPWAY_NAME=\S+|openssl|useradd|slipway-as|chmod|chgrp|nginx|slipway-operator|for (?:name|group) in)\b/,
    'needs root, or a machine of its own',
  ],
  [
    /deb\.nodesource\.com|127\.0\.0\.1:9099|^\/usr\/bin\/node --version|^export CURL_CA_BUNDLE/,
    'needs root, or a machine of its own',
  ],
  [/example:rehearsal/, 'production.test.ts runs it'],
  [/^node recover-vault/, 'vault-recovery.test.ts runs it'],
  [/^(?:solana|solana-keygen|spl-token)\b/, 'needs a cluster'],
  [/programs pull|SLIPWAY_FORK_URL=|SLIPWAY_PROGRAMS_DIR=/, 'needs a cluster'],
  [
    /^npm (?:start|test|ci|install|create|pack|exec|run (?!example:))|^cd |^node (?:--test|scripts|programs|server)/,
    'npm runs it in other tests',
  ],
  [
    /example:web|^npx slipway$|slipway (?:listen|scores watch|mcp|serve|signer|logs --follow|open)|^curl -N/,
    'does not end by itself',
  ],
  [
    /slipway (?:doctor|vaults|wallets|keys create --name (?:web|shop))|\/slipway doctor/,
    'wants the settings of production',
  ],
  [/^[A-Z_0-9]+=\S+$|<[a-z]+>/, 'settings, or something to fill in'],
  [/\| jq/, 'wants jq'],
  [/^(?:for role in .* do|id=\$\(aws .*|aws .*|done)$/, 'wants an account of AWS'],
];

const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((page) => page && !/^docs\/(?:contributing|decisions)\/|template\/|CHANGELOG|CONTRIBUTING/.test(page));
const blocks: Block[] = pages.flatMap((page) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)].map(
    ([, indent, lang, text]) => ({
      page,
      lang: lang!,
      text: text!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  ),
);
const of = (...langs: string[]) => blocks.filter(({ lang }) => langs.includes(lang));
const isElsewhere = ({ text }: Block) => Object.keys(ELSEWHERE).some((start) => text.startsWith(start));

describe('the code in the documentation', () => {
  let service: Service;
  /** Beside the packages of the workspace, so that the code finds them. */
  let folder: string;
  before(async () => {
    service = await startService();
    folder = mkdtempSync(join(ROOT, 'test', 'dist', 'docs-'));
    symlinkSync(SLIPWAY, join(folder, 'slipway'));
  });
  after(async () => {
    await service?.close();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  const here = (text: string) =>
    text.replaceAll('http://127.0.0.1:8080', service.url).replaceAll('https://api.example.com', service.url);
  const env = () => ({
    ...inheritedEnvironment(),
    SLIPWAY_URL: service.url,
    SLIPWAY_DATA_DIR: service.dataDir,
    PATH: `${folder}:${process.env.PATH}`,
  });

  it('is of a language that is tested, or marked as none', () => {
    const known = ['', 'text', 'mermaid', 'sh', 'ts', 'tsx', 'js', 'html', 'json', 'yaml', 'ini'];
    for (const { page, lang } of blocks) assert.ok(known.includes(lang), `${page}: ${lang}`);
    for (const { text } of of('json')) JSON.parse(text);
    for (const start of Object.keys(ELSEWHERE))
      assert.ok(
        blocks.some(({ text }) => text.startsWith(start)),
        `no page has a block that begins ${start}`,
      );
  });

  it('compiles strictly, and runs, a page after the other', async () => {
    const programs = new Map<string, string[]>();
    for (const block of of('ts', 'js').filter((each) => !isElsewhere(each)))
      programs.set(block.page, [...(programs.get(block.page) ?? []), here(block.text)]);
    const files = [...programs].map(([page, parts], i) => {
      const file = join(folder, `page-${i}`);
      for (const extension of ['mts', 'mjs']) writeFileSync(`${file}.${extension}`, text(parts, extension));
      return { page, file };
    });
    assert.ok(files.length >= 9, `${files.length}`);
    const flags =
      '--ignoreConfig --noEmit --strict --skipLibCheck --target es2023 --module nodenext --lib es2023,esnext.disposable,dom --types node';
    const tsc = join(ROOT, 'node_modules', 'typescript-7', 'bin', 'tsc');
    const args = [tsc, ...flags.split(' '), ...files.map(({ file }) => `${file}.mts`)];
    await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(({ stdout }) => assert.fail(stdout));
    // One after the other: they move the prices and the time of the one sandbox.
    for (const { page, file } of files) {
      const run = promisify(execFile)(process.execPath, [`${file}.mjs`], { cwd: folder, env: env() });
      const { stdout } = await run.catch(({ stderr }) => assert.fail(`${page}: ${stderr}`));
      assert.match(stdout, /\S/, page);
    }
  });

  it('has tables that say what the source and the service say', async () => {
    const list = await (await fetch(`${service.url}/coverage.txt`)).text();
    const page = readFileSync(join(ROOT, 'docs', 'guides', 'from-the-hosted-api.md'), 'utf8');
    for (const [, served, method, path] of list.matchAll(/^(served| {6}) {2}(\w+) +(\S+)/gm))
      assert.match(
        page,
        new RegExp(`\`${method} ${path!.replaceAll(/[{}]/g, '\\$&')}\` +\\| ${served === 'served' ? 'yes' : 'no '}`),
      );
    execFileSync(process.execPath, [join(ROOT, 'scripts', 'guides.mjs')], { stdio: 'pipe', encoding: 'utf8' });
  });

  it('begins each guide with at most 15 lines that run', () => {
    for (const page of pages.filter((each) => each.startsWith('docs/guides/'))) {
      const [first] = blocks.filter((each) => each.page === page);
      const lines = first?.text.split('\n').filter((line) => line.trim() !== '') ?? [];
      if (first) assert.ok(lines.length <= MOST_LINES, `${page}: ${lines.length} lines`);
    }
  });

  it('installs none of our packages by its name, which anybody may register', () => {
    for (const { page, text } of of('sh'))
      assert.doesNotMatch(text, /npm create slipway|npm (?:i|install|exec) [^~\n]*(?:@slipway\/|slipway-app)/, page);
  });

  it('runs in a shell', async () => {
    let count = 0;
    for (const { page, text } of of('sh')) {
      for (const line of text
        .replaceAll('\\\n', ' ')
        .split('\n')
        .map((each) => each.replace(/(?:^|\s+)#\s.*$/, '').trim())) {
        if (line === '' || NOT_RUN.some(([pattern]) => pattern.test(line))) continue;
        assert.match(
          line,
          /^(?:(?:npx )?slipway|curl|npm run example:) ?/,
          `${page}: run it here, or say in NOT_RUN why not: ${line}`,
        );
        const command = here(line)
          .replace(/^(?:npx )?slipway/, `"${process.execPath}" "${SLIPWAY}"`)
          .replace(/^npm run example:([\w-]+)/, `"${process.execPath}" "${join(ROOT, 'examples', 'dist')}/$1.js"`)
          // Asked again, as its reader does, where no router had time for a quote.
          .replace(/^curl /, 'curl --silent --show-error --fail-with-body --retry 10 ');
        const run = promisify(execFile)('sh', ['-c', command], { cwd: folder, env: env() });
        await run.catch(({ stdout, stderr }) => assert.fail(`${page}: ${line}\n${stdout}${stderr}`));
        count += 1;
      }
    }
    assert.ok(count >= 20, `${count}`);
  });
});

/** The blocks of a page as one program; without the marks of types where Node runs it. */
function text(parts: string[], extension: string): string {
  const joined = parts.join('\n');
  if (extension === 'mts') return joined;
  return joined.replaceAll(/!(?=[;.,)])/g, '').replaceAll(/ as const/g, '');
}
