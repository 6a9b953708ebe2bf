import { expect, test } from 'vitest';
import { planOf } from './support.ts';

test('--accept of a step that is not there names those for which it says something', () => {
  const files = '  films: { use: dataset.ensure, with: { slug: films } }\n';
  const rows =
    '  rows: { use: dataset.append, with: { dataset: "${{ steps.films.id }}", source: rows.csv, id: { column: id }, onChange: replace } }\n';
  const plan = (steps: string) => () => planOf(`name: p\nsteps:\n${steps}`, { accept: ['nosuch'] });
  expect(plan(files + rows)).toThrow(
    /--accept: there is no step 'nosuch'; there are films, rows\n +what cannot be taken back is done by rows\n/,
  );
  expect(plan(files)).toThrow(/--accept: .*\n +leave it out: no step of this file does what cannot be taken back\n/);
});
