import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { levelOf, mayName, readLogLine } from './log-line.js';
import { RecentLines } from './recent-lines.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function all(lines: RecentLines): string[] {
  const kept: string[] = [];
  for (let number = lines.oldest; number <= lines.newest; number += 1) kept.push(lines.at(number)!);
  return kept;
}

test('the last 2,000 lines are kept, by their numbers', () => {
  const lines = new RecentLines();
  assert.deepEqual([lines.oldest, lines.newest, lines.at(0), lines.at(1)], [1, 0, undefined, undefined]);
  for (let number = 1; number <= 4_500; number += 1) lines.push(`line ${number}`);
  assert.deepEqual([lines.oldest, lines.newest], [2_501, 4_500]);
  assert.deepEqual(
    [lines.at(2_500), lines.at(2_501), lines.at(4_500), lines.at(4_501)],
    [undefined, 'line 2501', 'line 4500', undefined],
  );
});

test('attack: an uploader has long lines logged without end: a megabyte is kept, and of each at most 4,096 characters', () => {
  const lines = new RecentLines();
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  // Each is a string of its own, of a megabyte and of two bytes a character.
  for (let at = 0; at < 300; at += 1) lines.push(`{"level":30,"at":${at},"text":"${'é€'.repeat(500_000)}"}`);
  collectGarbage();
  const grown = process.memoryUsage().heapUsed - before;
  const kept = all(lines);
  const bytes = kept.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
  assert.ok(bytes <= 1_000_000 && bytes > 900_000, `${bytes} bytes of lines`);
  assert.ok(kept.every((line) => line.length <= 4_097));
  assert.ok(grown < 8_000_000, `${grown} bytes of memory`);
  assert.ok(kept.at(-1)!.startsWith('{"level":30,"at":299,'));
});

test('a line that is cut still says its time, level, request and message', () => {
  const written: string[] = [];
  const lines = new RecentLines();
  const write = (line: string) => {
    written.push(line);
    lines.push(line);
  };
  const log = pino({}, { write });
  log.error({ requestId: 'abc-1', error: { stack: 'x"\\\n'.repeat(3_000) } }, 'it "failed"');
  log.warn({ requestId: 'abc-2', status: 500 }, 'short');
  const [long, short] = all(lines);
  assert.ok(long!.length < 4_097 && written[0]!.length > 9_000);
  const { time, facts, ...told } = readLogLine(long!);
  assert.deepEqual(told, { level: 'error', message: 'it "failed"', requestId: 'abc-1' });
  assert.equal(new Date(time).getTime(), (JSON.parse(written[0]!) as { time: number }).time);
  assert.match(String(facts.cut), / … /);
  assert.deepEqual(readLogLine(short!).facts, { status: 500 });
  assert.deepEqual([levelOf(long!), levelOf(short!)], [50, 40]);
  assert.ok(mayName(short!, 'abc-2') && !mayName(short!, 'abc-1'));
});

test('a line that is cut anywhere says so', () => {
  const lines = new RecentLines();
  const parts = { level: 40, time: 1, text: '', numbers: [1, 2, 3], msg: '' };
  for (let length = 0; length < 600; length += 1)
    for (const field of ['text', 'numbers', 'msg'] as const) {
      const long = field === 'numbers' ? new Array(2_000).fill(1) : '\u0001"\\é'.repeat(600);
      lines.push(`${JSON.stringify({ ...parts, text: 'a'.repeat(length), [field]: long })}\n`);
    }
  const kept = all(lines);
  assert.ok(kept.length > 200);
  for (const line of kept) {
    const { level, facts } = readLogLine(line);
    assert.equal(level, 'warn');
    assert.match(String(facts.cut), /^[^\0]* … [^\0]*$/);
  }
});
