import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readParamSets } from '../../cli/start/param-sets.ts';
import { project } from '../config/support.ts';

const setsOf = (text: string) => readParamSets(join(project({ 'sets.jsonl': text }), 'sets.jsonl'));

test('one set a line, counted from 1, empty lines left out, whatever ends a line', async () => {
  expect(await setsOf('{"a":1}\r\n\n  \n{"a":2}\n')).toEqual([
    { line: 1, values: { a: 1 } },
    { line: 4, values: { a: 2 } },
  ]);
});

test('a byte order mark before the first set is read over', async () => {
  expect(await setsOf('\uFEFF{"a":1}\r\n{"a":2}\r\n')).toEqual([
    { line: 1, values: { a: 1 } },
    { line: 2, values: { a: 2 } },
  ]);
});

test.each([
  ['{"a":1}\n["a"]', 'sets.jsonl:2: not a JSON object'],
  ['{a:1}', 'sets.jsonl:1: not a JSON object'],
  ['null', 'sets.jsonl:1: not a JSON object'],
  ['\n \n', 'holds no parameters'],
])('%j is refused', async (text, says) => {
  await expect(setsOf(text)).rejects.toMatchObject({ name: 'UsageError', message: expect.stringContaining(says) });
});

test('a file that is not there is named', async () => {
  await expect(readParamSets('/nowhere/sets.jsonl')).rejects.toThrow('there is no file /nowhere/sets.jsonl');
});
