import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

// Root's commands of a machine with systemd, with other paths, and nobody for the users slipway and slipway-signer.

const UNITS = fileURLToPath(new URL('../../deploy/systemd', import.meta.url));
const COMMANDS = ['slipway', 'slipway-operator'];
const missing =
  process.getuid?.() !== 0 || ['/sbin/runuser', 'script', 'perl'].some((name) => spawnSync(name, ['--version']).error);
const options = { skip: missing && 'needs root, runuser, script and perl' };

it("no command of root's hands on root's terminal by itself", () => {
  for (const name of COMMANDS) {
    const last = readFileSync(join(UNITS, name), 'utf8').trimEnd().split('\n').at(-1);
    assert.match(last ?? '', /^exec \/usr\/local\/bin\/slipway-as slipway(-signer)? \S+ "\$@"$/);
  }
  for (const page of ['production', 'signer', 'deploy', 'security', 'recovery', 'operations']) {
    const text = readFileSync(join(UNITS, '..', '..', 'docs', `${page}.md`), 'utf8');
    assert.doesNotMatch(text, /^ *(?:runuser|setpriv|sudo|su) /m, page);
  }
});

describe(
  "attack: a copy that was broken into takes over a command that root has typed, to type into root's shell, which has the seed: the command has no hold of root's terminal",
  options,
  () => {
    const dir = installed(`open(my $stat, '<', '/proc/self/stat');
my $terminal = (split / /, <$stat>)[6];
open(my $seen, '>>', 'seen');
print $seen join(' ', $terminal, map { readlink "/proc/self/fd/$_" } 0 .. 2), "\\n";
exit if $ARGV[0] ne 'type';
open(my $tty, '+<', '/dev/tty');
for my $end ($tty, *STDIN, *STDOUT, *STDERR) { ioctl($end, 0x5412, $_) for split //, "typed by it\\n" }`);
    for (const name of COMMANDS)
      it(`${name}, whatever of it is redirected`, async () => {
        writeFileSync(join(dir, 'seen'), '');
        const redirections = ['', '| cat', '> out', '2> out', '< /dev/null', '> out 2>&1', '< /dev/null > out 2>&1'];
        const runs = [`./${name} type`, ...redirections.map((redirection) => `./${name} status ${redirection}`)];
        const said = await atTerminal(
          dir,
          [
            ...runs,
            'echo "terminal: $(cut -d " " -f 7 /proc/$$/stat) $(tty)"',
            'echo next?',
            'read -r line',
            'echo "the shell of root reads: $line"',
          ],
          'next?',
          'typed by root\n',
        );
        assert.match(said, /the shell of root reads: typed by root/);
        const [, number, path] = /terminal: (\d+) (\S+)/.exec(said) ?? [];
        const seen = readFileSync(join(dir, 'seen'), 'utf8').trim().split('\n');
        assert.equal(seen.length, runs.length, said);
        for (const line of seen) assert.ok(!line.split(' ').some((each) => each === number || each === path), line);
      });
  },
);

describe("a command of root's", options, () => {
  const dir = installed(`$| = 1;
if ($ARGV[0] eq 'wait') {
  $SIG{INT} = $SIG{TERM} = sub { exit 9 };
  print STDERR "waiting\\n";
  sleep 600;
}
print "$ENV{GIVEN}: ", join('|', @ARGV), ' ', <STDIN>;
print STDERR "problem\\n";
exit 6;`);
  const given = ['--why', "it's a $drill", ''];
  const complete = (run: SpawnSyncReturns<string>) =>
    assert.deepEqual([run.stdout, run.stderr, run.status], [`by the file: ${given.join('|')} a\nb`, 'problem\n', 6]);

  it("has its input, output, words and exit code without a terminal, and with cron's PATH", () => {
    const env = { PATH: '/usr/bin:/bin' };
    complete(spawnSync(join(dir, 'slipway'), given, { input: 'a\nb', encoding: 'utf8', env }));
  });

  it('has the same bytes at a terminal in what is redirected', async () => {
    const words = given.map((word) => `"${word.replace('$', '\\$')}"`).join(' ');
    const line = `./slipway ${words} < in > out 2> err`;
    writeFileSync(join(dir, 'in'), 'a\nb');
    const said = await atTerminal(dir, [line, 'echo "code: $?"'], '', '');
    const [stdout, stderr] = ['out', 'err'].map((name) => readFileSync(join(dir, name), 'utf8'));
    const status = Number(/code: (\d+)/.exec(said)?.[1]);
    complete({ stdout, stderr, status } as SpawnSyncReturns<string>);
  });

  for (const piped of ['', '| cat'])
    it(`ends by Ctrl-C${piped && ', also with its output in a pipe'}`, async () => {
      const said = await atTerminal(
        dir,
        ['trap : INT', `./slipway wait ${piped}`, 'echo "code: $?"'],
        'waiting',
        '\x03',
      );
      // That of cat, which the same key has ended.
      assert.match(said, piped === '' ? /code: 9/ : /code: /);
    });
});

/** A folder with the commands, and with a program in Perl in the place of the service's command line. */
function installed(program: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'slipway-root-'));
  after(() => rmSync(dir, { recursive: true, force: true }));
  chmodSync(dir, 0o755);
  for (const name of ['slipway-as', ...COMMANDS]) {
    const text = readFileSync(join(UNITS, name), 'utf8')
      .replace(/slipway-as slipway(?:-signer)? /, 'slipway-as nobody ')
      .replace('/opt/slipway/node_modules/.bin/slipway', join(dir, 'program'))
      .replaceAll('/usr/local/bin/', `${dir}/`)
      .replaceAll('/etc/slipway/slipway.env', join(dir, 'service.env'))
      .replace(/\/var\/lib\/slipway(?:-signer)?/, dir);
    writeFileSync(join(dir, name), text, { mode: 0o755 });
  }
  writeFileSync(join(dir, 'service.env'), "GIVEN='by the file'\n", { mode: 0o600 });
  writeFileSync(join(dir, 'program'), `#!/usr/bin/perl\n${program}\n`, { mode: 0o755 });
  for (const name of ['seen', 'out']) writeFileSync(join(dir, name), '');
  chmodSync(join(dir, 'seen'), 0o666);
  return dir;
}

/** What a terminal shows where root's shell runs these lines; what is typed once it shows something. */
async function atTerminal(dir: string, lines: string[], shown: string, typed: string): Promise<string> {
  writeFileSync(join(dir, 'lines'), lines.join('\n'));
  const shell = spawn('script', ['--quiet', '--command', 'sh lines', '/dev/null'], { cwd: dir });
  let said = '';
  let waits = typed !== '';
  for await (const chunk of shell.stdout.setEncoding('utf8')) {
    said += chunk;
    if (!waits || !said.includes(shown)) continue;
    waits = false;
    shell.stdin.write(typed);
  }
  return said;
}
