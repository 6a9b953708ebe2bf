import { expect, test } from 'vitest';
import { clauses } from '../../text/clauses.ts';

test('no semicolon stands behind a question or a full stop', () => {
  expect(clauses(['a', 'b'])).toBe('a; b');
  expect(clauses(["no step 'a'; did you mean 'b'?", 'steps: b, c', 'd'])).toBe("no step 'a'; did you mean 'b'? steps: b, c; d");
  expect(clauses([undefined, 'a', undefined])).toBe('a');
  expect(clauses([])).toBe('');
});
