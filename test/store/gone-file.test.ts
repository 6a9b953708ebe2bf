import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { goneFile } from '../../store/gone-file.ts';

test('a file that a result names is gone where it is not there; a text that only looks like its address names none', () => {
  const here = join(mkdtempSync(join(tmpdir(), 'portolan-gone-')), 'ids');
  writeFileSync(here, '');
  const there = pathToFileURL(`${here}-not`).href;
  expect(goneFile({ list: [{ uri: pathToFileURL(here).href }], text: ['file:///a%2Fb', 'file:///%zz', 'file:'] })).toBeUndefined();
  expect(goneFile({ list: [{ uri: pathToFileURL(here).href }, there] })).toBe(`${here}-not`);
});
