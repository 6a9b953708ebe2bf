import { expect, test } from 'vitest';
import { z } from 'zod';
import { pipelineJsonSchema } from '../../pipelines/file/json-schema.ts';
import { stepsPage } from '../../scripts/pages/steps.ts';
import { fields } from '../../pipelines/file/schema-fields.ts';
import { steps } from '../../pipelines/steps/table.ts';
import { brief, findings, planOf } from '../pipelines/support.ts';
import { stringify } from 'yaml';

test.each(Object.values(steps))('the example of $name is valid', (step) => {
  const others = {
    dataset: { use: 'dataset.ensure', with: { slug: 'x' } },
    map: { use: 'index.build', with: { dataset: '${{ steps.dataset.id }}', ...(step.name.startsWith('points.') && { embed: 'text' }) } },
    ...Object.fromEntries(
      ['rich', 'find', 'old', 'familiar'].map((id) => [id, { use: 'points.select', with: { map: '${{ steps.map.id }}' } }]),
    ),
    tag: { use: 'points.tag', with: { map: '${{ steps.map.id }}', points: '${{ steps.rich.points }}', add: 'rich' } },
    approval: { use: 'gate.approve', with: { who: 'me' } },
    compare: { use: 'budgets.compare', with: { desired: 'budgets.yaml' } },
  };
  const text = stringify({ name: 'a', steps: { ...others, it: { use: step.name, needs: ['approval'], with: step.example } } });
  expect(brief(findings(text))).toEqual([]);
  expect(planOf(text).steps.map(({ use }) => use)).toContain(step.name);
});

test('the reference names every step, field and default', () => {
  const page = stepsPage(steps);
  for (const step of Object.values(steps)) {
    const section = page
      .slice(page.indexOf(`\n## ${step.name}\n`))
      .split('\n## ')
      .slice(0, 2)
      .join('');
    expect(section).toContain(step.summary);
    for (const name of [...Object.keys(fields(step.input)!), ...Object.keys(fields(step.output)!)])
      expect(section).toContain(`| \`${name}\` |`);
  }
  expect(page).toContain('| `k` | whole number 1–100 | `10` |');
  expect(page).not.toMatch(/undefined|\[object/);
});

/** zod reads JSON Schema back, so that the schema for editors is judged by something that did not write it. */
const valid = (value: unknown): boolean => z.fromJSONSchema(withoutConditions(pipelineJsonSchema(steps)) as never).safeParse(value).success;

/** `if`/`then` as the union that it stands for: zod reads no conditions. */
function withoutConditions(schema: ReturnType<typeof pipelineJsonSchema>): unknown {
  type Node = { [name: string]: any };
  const { $defs, ...rest }: Node = schema;
  const union = ({ allOf, ...step }: Node): Node[] =>
    allOf === undefined
      ? [step]
      : (allOf as Node[]).map(({ if: condition, then }) => ({
          ...step,
          properties: { ...step['properties'], use: condition.properties.use, with: then.properties.with },
        }));
  return { ...rest, $defs: { ...$defs, step: { anyOf: union($defs.step) }, undo: { anyOf: ($defs.undo.anyOf as Node[]).flatMap(union) } } };
}

test('the schema for editors lets `use` decide what `with` takes, and takes expressions', () => {
  const file = (use: string, input: object): object => ({ name: 'a', steps: { one: { use, with: input } } });
  expect(valid(file('dataset.ensure', { slug: 'movies' }))).toBe(true);
  expect(valid(file('dataset.ensure', { slug: '${{ params.s }}', public: '${{ params.p }}' }))).toBe(true);
  expect(valid(file('dataset.ensure', { slg: 'movies' }))).toBe(false);
  expect(valid(file('dataset.ensure', { slug: 'Movies' }))).toBe(false);
  expect(valid(file('points.search', { slug: 'movies' }))).toBe(false);
  expect(valid(file('points.select', { map: '${{ steps.a.id }}', where: { all: [{ range: 'gross', from: '${{ params.n }}' }] } }))).toBe(
    true,
  );
  expect(valid(file('points.select', { map: '${{ steps.a.id }}', where: { al: [] } }))).toBe(false);
  expect(valid({ name: 'a', steps: {}, stepz: {} })).toBe(false);
  const undone = (undo: unknown): object => ({ name: 'a', steps: { one: { use: 'dataset.ensure', with: { slug: 'movies' }, undo } } });
  expect(['none', { use: 'index.update', with: { dataset: '${{ steps.one.id }}' } }].map((undo) => valid(undone(undo)))).toEqual([
    true,
    true,
  ]);
  expect(['nothing', { use: 'index.update', with: { datset: 'x' } }].map((undo) => valid(undone(undo)))).toEqual([false, false]);
  const loop = (slug: string, more = {}): object => ({
    name: 'a',
    steps: { each: { forEach: { items: ['one'], ...more }, steps: { one: { use: 'dataset.ensure', with: { slug } } } } },
  });
  expect(valid(loop('${{ item }}'))).toBe(true);
  expect(valid(loop('movies', { parallel: 0 }))).toBe(false);
  expect(valid(loop('Movies'))).toBe(false);
});
