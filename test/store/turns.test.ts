import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { itemName } from '../../pipelines/item-name.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import { formerTurn, keepTurn } from '../../store/turns.ts';

type Item = { id: string };

const items = fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd') }), { maxLength: 12 });
const count = (list: readonly Item[], id: string): number => list.filter((each) => each.id === id).length;

/** Which turns of the list before those of the list of now take over, asked in this order. */
async function takenOver(before: readonly Item[], now: readonly Item[], order: readonly number[]): Promise<Map<number, number>> {
  await using root = Object.assign([await mkdtemp(join(tmpdir(), 'portolan-turns-'))], {
    async [Symbol.asyncDispose](this: string[]) {
      await rm(this[0]!, { recursive: true });
    },
  });
  const former = createRunStore(join(root[0]!, 'run-1'));
  const store = createRunStore(join(root[0]!, 'run-2'));
  const pathOf = (list: readonly Item[], turn: number) => ({ step: `each[${turn}].pay`, byItem: `each[${itemName(list[turn]!)}].pay` });
  for (const turn of before.keys()) await keepTurn({ ...pathOf(before, turn), store: former });
  const taken = new Map<number, number>();
  for (const turn of order) {
    const path = pathOf(now, turn);
    const was = await formerTurn({ run: 'run-1', store: former, step: path.step }, { ...path, lists: [{ items: [...now] }], store });
    if (was !== undefined) taken.set(turn, Number(/\d+/.exec(was)![0]));
  }
  return taken;
}

test('items that are the same take over what was done for them, whoever comes first; then others that of their place', async () => {
  const cases = fc.tuple(items, items).chain(([before, now]) =>
    fc.record({
      before: fc.constant(before),
      now: fc.constant(now),
      order: fc.shuffledSubarray([...now.keys()], { minLength: now.length }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ({ before, now, order }) => {
      const taken = await takenOver(before, now, order);
      expect(new Set(taken.values()).size).toBe(taken.size);
      for (const { id } of before) {
        const same = [...taken].filter(([turn, was]) => now[turn]!.id === id && before[was]!.id === id);
        expect(same.length).toBe(Math.min(count(before, id), count(now, id)));
      }
      for (const [turn, was] of taken) if (now[turn]!.id !== before[was]!.id) expect(was).toBe(turn);
      const left = [...before.keys()].filter((was) => ![...taken.values()].includes(was));
      for (const was of left) expect(was >= now.length || taken.has(was)).toBe(true);
    }),
    { numRuns: 100 },
  );
});
