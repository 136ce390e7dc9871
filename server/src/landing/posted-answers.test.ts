import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PostedAnswers } from './posted-answers.js';

it('attack: a free key posts ever more that would fail: what is good no more is forgotten, and no more than 10,000 are remembered at once', async () => {
  let now = 0;
  const answers = new PostedAnswers<string>(
    (answer) => (answer === 'good for nothing' ? 0 : 2_000),
    () => now,
  );
  for (let request = 0; request < 100; request++) await answers.of(`${request}`, null, async () => 'good for nothing');
  assert.equal(answers.size, 1);
  for (let request = 0; request < 20_000; request++) await answers.of(`${request}`, null, async () => 'kept');
  assert.equal(answers.size, 10_000);
  now += 2_000;
  await answers.of('last', null, async () => 'kept');
  assert.equal(answers.size, 1);
});
