import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeHidden, removeHidden } from './hidden-characters.js';

it('names the first character that shows nothing or changes the direction of text', () => {
  const cases: [text: string, expected: string][] = [
    ['US\u202eCD', 'U+202E, which changes the direction of text'],
    ['\u200fUSDC', 'U+200F, which changes the direction of text'],
    ['US\u2066DC\u2069', 'U+2066, which changes the direction of text'],
    ['US\u200bDC', 'U+200B, which is invisible'],
    ['USDC\ufeff', 'U+FEFF, which is invisible'],
    ['US\u00adDC', 'U+00AD, which is invisible'],
    ['USDC\u3164', 'U+3164, which is invisible'],
    ['USDC\u2800', 'U+2800, which is invisible'],
    ['USDC\u{e0041}', 'U+E0041, which is invisible'],
    ['USDC\ufe0f', 'U+FE0F, which is invisible'],
    ['US\u200dDC', 'U+200D, which is invisible'],
    ['US\nDC', 'U+000A, which is a control character'],
    ['US\u2028DC', 'U+2028, which is invisible'],
  ];
  for (const [text, expected] of cases) {
    assert.equal(describeHidden(text), expected);
    assert.equal(describeHidden(removeHidden(text)), undefined, expected);
  }
});

it('takes every script, and emoji that are joined of several characters', () => {
  for (const text of ['USD Coin', 'Café №1', '株式会社　東京', 'שלום', 'سلام', '❤️', '👨‍👩‍👧', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣', '🇩🇪 coin']) {
    assert.equal(describeHidden(text), undefined, text);
    assert.equal(removeHidden(text), text);
  }
});
