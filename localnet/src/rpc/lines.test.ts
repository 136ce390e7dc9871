import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Line } from './line.js';
import { Lines } from './lines.js';

/** Of a teller that has to wait for the first thing that it tells. */
function openLines() {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const told: string[] = [];
  const lines = new Lines<string>(assert.fail);
  const newsOf = (text: string, done?: Promise<void>) => ({
    news: {
      bytesFor: () => text.length,
      tell: (listener: string) => {
        told.push(`${listener} ${text}`);
        return done;
      },
    },
    listeners: () => ['A', 'B'],
  });
  return { lines, told, newsOf, begin, begun };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
}

test('of what is not told yet, only the newest is, in the place of the older one', async () => {
  const { lines, told, newsOf, begin, begun } = openLines();
  const line = new Line<string>(() => 0, assert.fail);
  lines.add(line, 'first', newsOf('first', begun));
  for (const text of ['old', 'new']) lines.add(line, 'account', newsOf(text));
  lines.add(line, 'last', newsOf('last'));
  assert.deepEqual(told, ['A first']);
  begin();
  await new Promise(setImmediate);
  assert.deepEqual(told, ['A first', 'B first', 'A new', 'B new', 'A last', 'B last']);
});

test('attack: a free key of a sandbox asks for more logs than can be told: his connection ends, those of others stay', () => {
  const { lines, newsOf, begun } = openLines();
  const ended: string[] = [];
  const lineOf = (name: string) => {
    const line: Line<string> = new Line(
      () => 1,
      () => {
        ended.push(name);
        lines.drop(line);
      },
    );
    return line;
  };
  const [rude, polite] = [lineOf('rude'), lineOf('polite')];
  lines.add(rude, 'first', newsOf('first', begun));
  for (let count = 0; count < 5_002; count++) {
    lines.add(rude, `logs ${count}`, newsOf('logs'));
    lines.add(polite, 'slot', newsOf('slot'));
  }
  assert.deepEqual(ended, ['rude']);
});

test('attack: a free key of a sandbox waits for accounts that only another node can show: all others are told meanwhile, and he afterwards', async () => {
  const { lines, told, newsOf, begin, begun } = openLines();
  const [waiting, other] = [new Line<string>(() => 1, assert.fail), new Line<string>(() => 1, assert.fail)];
  lines.add(waiting, 'parsed', newsOf('parsed', begun));
  lines.add(other, 'first', newsOf('first'));
  await turns();
  assert.deepEqual(told, ['A parsed', 'A first', 'B first']);
  lines.add(waiting, 'more', newsOf('more'));
  lines.add(other, 'second', newsOf('second'));
  assert.deepEqual(told.splice(0), ['A parsed', 'A first', 'B first', 'A second', 'B second']);
  begin();
  await turns();
  assert.deepEqual(told, ['B parsed', 'A more', 'B more']);
});

test('attack: a free key of a sandbox has ever more news wait for another node: his connection ends, and not that of somebody else', async () => {
  const { lines, newsOf, begun } = openLines();
  const ended: string[] = [];
  const lineOf = (name: string, subscribed: number) => {
    const line: Line<string> = new Line(
      () => subscribed,
      () => {
        ended.push(name);
        lines.drop(line);
      },
    );
    return line;
  };
  const [rude, polite] = [lineOf('rude', 500_000), lineOf('polite', 1)];
  lines.add(rude, 'parsed', newsOf('parsed', begun));
  await turns();
  for (let count = 0; count <= 400_000; count++) lines.add(rude, `logs ${count}`, newsOf('logs'));
  lines.add(polite, 'slot', newsOf('slot'));
  assert.deepEqual(ended, ['rude']);
});

test('news that fails before it is told holds up nothing else', async () => {
  const failed: string[] = [];
  const lines = new Lines<string>((line) => failed.push(line));
  const told: string[] = [];
  const line = new Line<string>(() => 1, assert.fail);
  const fail = (): never => {
    throw new Error('a fault');
  };
  const tell = (listener: string) => void told.push(listener);
  lines.add(line, 'measured', { news: { bytesFor: fail, tell }, listeners: () => ['A'] });
  lines.add(line, 'heard', { news: { bytesFor: () => 0, tell }, listeners: fail });
  lines.add(line, 'last', { news: { bytesFor: () => 0, tell }, listeners: () => ['B'] });
  await turns();
  assert.deepEqual([told, failed.length, line.size], [['A', 'B'], 2, 0]);
});
