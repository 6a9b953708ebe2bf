import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as classes from '../../errors/classes.ts';
import { meanings } from '../../errors/meanings.ts';
import { findingCodes } from '../../pipelines/file/finding-codes.ts';
import { failures } from '../../errors/remedies.ts';
import { errorsPage } from '../../scripts/pages/errors.ts';
import { root, sourceFiles } from '../../scripts/sources.mjs';

const tables = ['pipelines/file/finding-codes.ts', 'errors/meanings.ts', 'errors/remedies.ts'];
const sources = sourceFiles()
  .filter((file) => file.endsWith('.ts') && !tables.includes(file))
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n');

test.each([...Object.keys(findingCodes), ...Object.keys(failures).filter((type) => type !== 'TimeoutFailure')])(
  'the code %s of the page is one that is given',
  (code) => expect(sources).toContain(`'${code}'`),
);

test('every class of a failure has its meaning and remedy, and stands on the page', () => {
  expect(Object.keys(meanings).toSorted()).toEqual(Object.keys(classes).toSorted());
  const page = errorsPage();
  for (const name of [...Object.keys(meanings), ...Object.keys(failures), ...Object.keys(findingCodes)])
    expect(page).toContain(`| \`${name}\` |`);
  expect(page).not.toMatch(/undefined|\[object|\| +\|/);
});
