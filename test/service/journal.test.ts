import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashOfIds, journalRow, summarize } from '../../service/core/journal.ts';

type Sent = { subject: string; act: string; content: number; changed: number };

const rows = (sent: Sent[]) =>
  sent.map(({ changed, ...entry }, at) => ({ seq: at, ...journalRow({ requestId: String(at), operation: 'op', ...entry }, at, changed) }));
const sent = fc.record({
  subject: fc.constantFrom('a', 'b'),
  act: fc.constantFrom('add', 'remove'),
  content: fc.integer({ min: 0, max: 3 }),
  changed: fc.nat({ max: 2 }),
});

/** The rule read literally: an earlier row of the same intent, and between them no other act on the subject. Both changed something. */
const repeats = (list: Sent[]): number => {
  const effects = list.filter(({ changed }) => changed > 0);
  return effects.filter((row, at) =>
    effects.some(
      (earlier, from) =>
        from < at &&
        earlier.subject === row.subject &&
        earlier.act === row.act &&
        earlier.content === row.content &&
        !effects.slice(from + 1, at).some((between) => between.subject === row.subject && between.act !== row.act),
    ),
  ).length;
};

test('repeated, harmless and effects are what the rule says', () => {
  fc.assert(
    fc.property(fc.array(sent, { maxLength: 30 }), (list) => {
      const { effects, repeated, harmless } = summarize(rows(list));
      expect({ effects, repeated, harmless }).toEqual({
        effects: list.filter(({ changed }) => changed > 0).length,
        repeated: repeats(list),
        harmless: list.filter(({ changed }) => changed === 0).length,
      });
    }),
  );
});

test('an act is one by whatever operation: rows of a file between two equal shards undo nothing, a removal may', () => {
  const made = (operation: string, act: string) => ({
    ...journalRow({ requestId: '', operation, subject: 's', act, content: operation }, 0, 1),
    seq: 0,
  });
  const shard = made('shard', 'add');
  expect(summarize([shard, made('file', 'add'), shard]).repeated).toBe(1);
  expect(summarize([shard, made('delete', 'remove'), shard]).repeated).toBe(0);
});

test('equal content is one intent, whatever the order of its fields', () => {
  const intent = (content: unknown) => journalRow({ requestId: '', operation: 'op', subject: 's', content }, 0, 1).intent;
  expect(intent({ a: 1, b: { c: 2, d: 3 } })).toBe(intent({ b: { d: 3, c: 2 }, a: 1 }));
  expect(intent({ a: [1, 2] })).not.toBe(intent({ a: [2, 1] }));
});

test('a list of ids is one intent, whatever its order', () => {
  expect(hashOfIds(['b', 'a', 'c'])).toBe(hashOfIds(['c', 'b', 'a']));
  expect(hashOfIds(['a', 'b'])).not.toBe(hashOfIds(['a', 'c']));
});
