import { expect, test } from 'vitest';
import { loop, pipelineFile, step } from '../../pipelines/file/schema.ts';
import { brief, findings } from './support.ts';

/** A file whose loop has this id. */
const file = (id: string, inner = 'one', outputs = '{}'): string =>
  `name: p\nsteps:\n  ${id}:\n    forEach: { items: [a, b] }\n    steps:\n      ${inner}: { use: acme.sample }\n    outputs: ${outputs}\n`;

test('a loop is a step, also where its id is the name of a field of the file or of a step', () => {
  const names = [...new Set([pipelineFile, step, loop].flatMap(({ shape }) => Object.keys(shape)))];
  expect(names).toEqual(expect.arrayContaining(['notify', 'schedule', 'params', 'window', 'when', 'undo', 'outputs']));
  expect(names.flatMap((id) => findings(file(id)))).toEqual([]);
});

test('neither a column named use nor a step named use makes a step of the part of a loop that it stands in', () => {
  expect(findings(file('each', 'one', '{ use: "${{ item }}" }'))).toEqual([]);
  expect(findings(file('each', 'use'))).toEqual([]);
});

test('a loop beside the steps, and a step or a loop among the fields of another, stand at the wrong level', () => {
  const each = '{ forEach: { items: [a] }, steps: { inner: { use: acme.sample } } }';
  expect(brief(findings(`name: p\nsteps:\n  one: { use: acme.sample }\ntwo: ${each}\n`))).toEqual(['misplaced 4:1']);
  expect(brief(findings(`name: p\nsteps:\n  one:\n    use: acme.sample\n    outputs: { use: acme.sample }\n`))).toEqual(['misplaced 5:5']);
  expect(brief(findings(`${file('each')}    two: { use: acme.sample }\n    three: ${each}\n`))).toEqual(['misplaced 8:5', 'misplaced 9:5']);
});
