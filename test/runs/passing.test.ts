import { ServiceError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { isPassing } from '../../runs/watch.ts';

const ofGrpc = (code: number): Error => Object.assign(new Error('14 UNAVAILABLE'), { code, details: 'x', metadata: {} });

test.each([
  [14, true],
  [4, true],
  [5, false],
  [7, false],
])('a Temporal server that says %d goes on by itself: %j, also as its client wraps it', (code, passes) => {
  expect(isPassing(ofGrpc(code))).toBe(passes);
  expect(isPassing(new ServiceError('Failed to describe workflow', { cause: ofGrpc(code) }))).toBe(passes);
});
