import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NAMES_TMP = /(?:^|[\s=:"'])(?:\/var)?\/tmp\b/;

test('attack: another user of the machine leaves a package, or a data folder, where the pages would have you look for yours: no command of theirs names a folder that all may write to', () => {
  const listed = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' });
  const pages = listed.split('\n').filter((page) => page !== '' && !page.endsWith('CHANGELOG.md'));
  const commands = pages.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const blocks = [...text.matchAll(/^ *```(?:sh)?\n([\s\S]*?)^ *```$/gm)].flatMap(([, block]) => block!.split('\n'));
    const inline = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);
    return [...blocks, ...inline].map((command) => `${page}: ${command}`);
  });
  assert.ok(commands.some((command) => command.includes('npm run pack -- ~/slipway-packages')));
  assert.deepEqual(
    commands.filter((command) => NAMES_TMP.test(command)),
    [],
  );
});
