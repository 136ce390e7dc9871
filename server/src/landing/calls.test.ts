import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Address, generateKeypair } from '@slipway/wire';
import { lastCalls } from './index.js';

const [outer, first, second, inner] = [1, 2, 3, 4].map(() => generateKeypair().address) as [
  Address,
  Address,
  Address,
  Address,
];
const invoke = (program: string, depth: number) => `Program ${program} invoke [${depth}]`;
const success = (program: string) => `Program ${program} success`;
const failed = (program: string) => `Program ${program} failed: custom program error: 0x11`;

describe('the calls of the last instruction', () => {
  it('are those at the second level, and the one that fails is the last', () => {
    const logs = [
      ...[invoke(outer, 1), invoke(second, 2), success(second), success(outer)],
      ...[invoke(outer, 1), invoke(first, 2), invoke(inner, 3), success(inner), success(first)],
      ...[invoke(second, 2), invoke(inner, 3)],
    ];
    const programs = [first, second];
    assert.deepEqual(lastCalls([...logs, ...[inner, second, outer].map(failed)]), { programs, isLastFailed: true });
    assert.deepEqual(lastCalls([...logs, success(inner), success(second), failed(outer)]), {
      programs,
      isLastFailed: false,
    });
    assert.deepEqual(lastCalls([...logs, 'Log truncated']), { programs, isLastFailed: false });
    assert.deepEqual(lastCalls([]), { programs: [], isLastFailed: false });
  });

  it('are not what a program says about itself', () => {
    const said = [invoke(second, 2), failed(first), 'invoke [2]', 'failed: '].map((text) => `Program log: ${text}`);
    const logs = [invoke(outer, 1), invoke(first, 2), ...said, success(first), failed(outer)];
    assert.deepEqual(lastCalls(logs), { programs: [first], isLastFailed: false });
  });
});
