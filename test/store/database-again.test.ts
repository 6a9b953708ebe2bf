import { expect, test, vi } from 'vitest';
import { queryFiles } from '../../store/columnar.ts';

const lacks = vi.hoisted(() => ({ once: true }));
vi.mock(import('../../files/open-duckdb.ts'), async (load) => {
  const { openDuckDb } = await load();
  return {
    openDuckDb: async (...given) => {
      if (!lacks.once) return openDuckDb(...given);
      lacks.once = false;
      throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    },
  };
});

test('what the system lacked when the tables of the run store were opened first it may have the next time', async () => {
  await expect(queryFiles('select 1 as one')).rejects.toMatchObject({ code: 'EMFILE' });
  expect(await queryFiles('select 1 as one')).toEqual([{ one: 1 }]);
});
