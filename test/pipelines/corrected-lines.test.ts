import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nowhere, parse } from '../../pipelines/file/parse.ts';
import { together } from '../../pipelines/file/together.ts';
import type { Json } from '../../text/json.ts';
import { badFiles } from './bad-files.ts';
import { findings } from './support.ts';

const file = (steps: string, outputs = ''): string => `name: shop\nsteps:\n${steps.replaceAll(/^/gm, '  ')}\n${outputs}`;
const rows = 'rows: { use: acme.sample }';
/** Its one output is `id`. */
const ids = 'ids: { use: dataset.ensure, with: { slug: films } }';

/** The file with every corrected line in its place. */
const corrected = (text: string): string => {
  const lines = text.split('\n');
  for (const found of findings(text)) if (found.corrected !== undefined) lines[found.line - 1] = found.corrected;
  return lines.join('\n');
};

/** A reference as it is written, and as it is meant. */
const references: [steps: string, written: string, meant: string][] = [
  [rows.replace('rows', 'tex'), 'steps.tex.tex', 'steps.tex.text'],
  [rows.replace('rows', 'texts'), 'steps.texts.tex', 'steps.texts.text'],
  [ids, 'steps.ids.i', 'steps.ids.id'],
  [ids, 'steps.ids.ids', 'steps.ids.id'],
  [ids, "steps['ids']['ids']", "steps['ids']['id']"],
  [ids, 'steps.?ids.ids', 'steps.?ids.id'],
  [ids, '[steps.ids.ids, steps.ids.id]', '[steps.ids.id, steps.ids.id]'],
  [ids, '[steps.ids.id, steps.ids.ids]', '[steps.ids.id, steps.ids.id]'],
  [ids, '[steps.ids.i, steps.ids.ids]', '[steps.ids.id, steps.ids.id]'],
  [ids, '["steps.ids.i", steps.ids.i]', '["steps.ids.i", steps.ids.id]'],
  [rows, 'steps.rows.rows.text', 'steps.rows.text'],
  [rows, 'steps.rows["outputs"]["text"]', 'steps.rows["text"]'],
  [rows, 'steps.rows.inner.dee', 'steps.rows.inner.deep'],
  [rows.replace('rows', 'dee'), 'steps.dee.inner.dee', 'steps.dee.inner.deep'],
  [rows.replace('rows', 'steps'), 'steps.step.text', 'steps.steps.text'],
  [rows.replace('rows', 'st_'), 'steps.st.text + "steps.st"', 'steps.st_.text + "steps.st"'],
  [rows.replace('rows', 'st_'), 'steps["st"].text + steps.st.text', 'steps["st_"].text + steps.st_.text'],
  [rows, 'run.i', 'run.id'],
];

describe('a corrected line changes the name that is wrong', () => {
  test.each(references)('%s: %s', (steps, written, meant) => {
    const inFile = (code: string): string => file(steps, `outputs: { one: '\${{ ${code.replaceAll("'", "''")} }}' }`);
    expect(corrected(inFile(written))).toBe(inFile(meant));
  });

  test('the text around an expression stays as it is', () => {
    const text = file(`my-rows: { use: acme.sample }`, 'outputs: { one: "my-rows of ${{ steps.my-rows.text }}" }');
    expect(corrected(text)).toContain('one: "my-rows of ${{ steps.myRows.text }}"');
    const root = file(rows, 'outputs: { one: "rows of ${{ rows.text }} and ${{ rows.text }}" }');
    expect(corrected(root)).toContain('one: "rows of ${{ steps.rows.text }} and ${{ steps.rows.text }}"');
  });
});

test('two corrections that begin at one place are not written behind each other', () => {
  const [line, ...others] = ['slug: film', 'slug: films', 'slug: filmed'];
  const all = others.map((corrected) => ({ code: 'syntax' as const, message: '', path: '', line: 1, column: 1, corrected }));
  expect(together(all, { ...nowhere, line: () => line })).toEqual(all);
});

describe('a correction is another line than the one that stands there', () => {
  const long = 'a'.repeat(109);
  test.each([
    ['a name that is too long', file(`${long}: { use: acme.sample }`)],
    ['a name that is too long and has a hyphen', file(`${long}-b: { use: acme.sample }`)],
    ['a reserved word', file(`'true': { use: acme.sample }`)],
    ['a name whose other spelling is taken', file('my-rows: { use: acme.sample }\nmyRows: { use: acme.sample }')],
  ])('%s has none', (_, text) => {
    const found = findings(text).filter(({ code }) => code === 'invalid-name');
    expect(found.length).toBeGreaterThan(0);
    for (const each of found) expect([each.remedy, each.corrected]).toEqual(['give it another name', undefined]);
  });

  test('in every file with a mistake', () => {
    for (const { text } of badFiles)
      for (const { corrected: by, line } of findings(text)) expect(by, text).not.toBe(text.split('\n')[line - 1]);
  });

  test('whatever is put in the place of a value or name', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string(), { maxLength: 3 }));
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), value, fc.constantFrom(undefined, 2), (name, of, indent) => {
        const text = JSON.stringify({ one: { [name]: of } }, null, indent);
        const { locate } = parse(text);
        const lines = text.split('\n');
        for (const by of [{ value: of as Json }, { key: name }]) {
          const made = locate.rewritten(['one', name], by);
          expect(lines).not.toContain(made);
        }
      }),
    );
  });
});
