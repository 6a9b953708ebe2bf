import { expect, test } from 'vitest';
import { endedByBudget } from '../../activities/agent/budget-spent.ts';

const says = 'spend_limit_reached: the budget of the project is exhausted';

test.each([
  ['has ended by the budget where its last message is the error that says so', 'failed', ['assistant', 'error'], true],
  ['has not where it only says the word', 'failed', ['assistant'], false],
  ['has not where it has said more since', 'failed', ['error', 'assistant'], false],
  ['has not where its turn went well', 'finished', ['error'], false],
])('an agent %s', (_, status, types, ended) => {
  expect(endedByBudget({ status, messages: types.map((type, at) => ({ id: String(at), type, text: says })) })).toBe(ended);
  expect(endedByBudget({ status, messages: [] })).toBe(false);
});
