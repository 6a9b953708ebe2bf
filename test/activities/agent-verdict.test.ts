import { expect, test } from 'vitest';
import { verdictOf } from '../../activities/agent/verdict.ts';
import { Throttled } from '../../client/errors.ts';

test.each([
  ['instance.agents.launch', 'closed'],
  ['instance.agents.followup', 'closed'],
  ['instance.files.upload', 'closed'],
  ['instance.agents.get', 'stop'],
])('where the limit of %s is closed the verdict on a chunk is %s', (operation, verdict) => {
  expect(verdictOf(new Throttled({ operation, requestId: 'r', limit: 'l', waitMs: 1, sent: true }))).toBe(verdict);
});
