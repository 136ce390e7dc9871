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
