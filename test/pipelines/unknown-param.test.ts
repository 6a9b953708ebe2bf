import { expect, test } from 'vitest';
import { renderFindings } from '../../cli/render/findings.ts';
import { remedied } from '../../pipelines/file/finding-codes.ts';
import { findings } from './support.ts';

const said = (params: string, name: string): string =>
  renderFindings('p.yaml', findings(`name: p\n${params}steps:\n  one: { use: acme.sample }\n`, { params: { [name]: 'x' } }).map(remedied));

test('a parameter that the file does not have comes with what to do, also where no name is suggested', () => {
  const declared = 'params: { city: { type: string }, year: { type: string } }\n';
  expect(said(declared, 'citty')).toContain("'citty' is not a parameter of this pipeline; did you mean 'city'?");
  for (const [params, name] of [
    [declared, 'source'],
    ['', 'source'],
  ] as const) {
    const text = said(params, name);
    expect(text).toContain("'source' is not a parameter of this pipeline");
    expect(text).toContain('Take the name of one that stands under `params:` in the file, or declare it there.');
    expect(text).not.toContain('suggested');
  }
});
