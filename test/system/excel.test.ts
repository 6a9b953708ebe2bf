import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newSlug } from '../support/world.ts';
import { useWorld } from './support.ts';

const world = useWorld();

const load = (excel: string): string => `
name: load-workbook
params: { dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}", idField: id } }
  rows:
    use: dataset.append
    with:
      dataset: "\${{ steps.dataset.id }}"
      source: { path: ${join(world.dir, 'films.xlsx')}, excel: ${excel} }
      id: { column: id }
      columns: { whole: "whole::varchar", moment: moment, length: length, text: text }
outputs: { dataset: "\${{ steps.dataset.id }}", rows: "\${{ steps.rows }}" }
`;

test('the rows of a sheet arrive at the service as they stand in it; one that cannot be read is refused before anything is sent', async () => {
  await copyFile(fileURLToPath(new URL('../child/workbooks/kinds.xlsx', import.meta.url)), join(world.dir, 'films.xlsx'));
  const { result } = await world.run(load('{ sheet: Films, skip: 2 }'), { dataset: newSlug('excel') });
  expect(result).toMatchObject({ state: 'done', outputs: { rows: { rows: 4, added: 4, rejected: 0 } } });
  const ids = ['f1', 'f2', 'f3', 'f4'];
  const { datums } = await world.api.data.get({ project_id: result.outputs['dataset'], datum_ids: ids });
  const row = (id: string) => datums.find((datum) => datum['id'] === id);
  expect(row('f1')).toMatchObject({ whole: '1', moment: Date.UTC(2024, 1, 29, 23, 59, 58, 999), length: '36:05:00', text: ' kept ' });
  expect(row('f3')).toMatchObject({ whole: 'null', moment: null, length: 'null', text: '007' });
  const { effects, value } = await world.effectsOf(() =>
    world.run(load('{ sheet: Filme, skip: 2 }'), { dataset: newSlug('excel') }).catch((error: unknown) => String(error)),
  );
  expect(effects).toEqual([]);
  expect(JSON.stringify(value)).toMatch(/films\.xlsx: has no sheet 'Filme'; did you mean 'Films'/);
});
