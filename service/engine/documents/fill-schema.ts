import { z } from 'zod';
import type { DocumentBlock } from '../../../contracts/parsed-document.ts';
import type { Json } from '../../../text/json.ts';

/** What is read of a JSON Schema (draft 7): the shape of what is looked for. Fields of it that say more are left to whoever reads the result. */
export type ExtractionSchema = {
  type?: string | string[] | undefined;
  title?: string | undefined;
  properties?: { [name: string]: ExtractionSchema } | undefined;
  items?: ExtractionSchema | undefined;
  enum?: Json[] | undefined;
};

const inner: z.ZodType<ExtractionSchema> = z.lazy(() =>
  z.object({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    title: z.string().optional(),
    properties: z.record(z.string(), inner).optional(),
    items: inner.optional(),
    enum: z.array(z.json()).optional(),
  }),
);

export const extractionSchema = inner.refine(
  ({ type, properties, items }) => properties !== undefined || items !== undefined || type === 'object' || type === 'array',
  { error: 'must describe an object (properties) or a list (items)' },
);

/** Texts that stand under a label: `Permit number: 17`, or two cells of a row. */
type Labelled = { label: string[]; value: string };

/** What a document says, as far as its layout says what is what. */
type Said = { labelled: Labelled[]; tables: string[][][] };

/** `permitNumber`, `permit_number` and `Permit Number` are the same words. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const label = /^\s*([\p{L}\p{N}][^:\n]{0,60}?)\s*:\s+(\S.*)$/u;

export function saidIn(blocks: readonly DocumentBlock[]): Said {
  const said: Said = { labelled: [], tables: [] };
  for (const { content, cells } of blocks) {
    if (cells) {
      said.tables.push(cells);
      for (const [first = '', second = '', ...rest] of cells)
        if (rest.every((cell) => cell === '') && second !== '') said.labelled.push({ label: wordsOf(first), value: second });
    }
    for (const line of content.split('\n')) {
      const [, name, value] = label.exec(line) ?? [];
      if (name !== undefined && value !== undefined) said.labelled.push({ label: wordsOf(name), value: value.trim() });
    }
  }
  return said;
}

/** Is this the label of a field? All words of the one stand in the other. */
const names = (found: readonly string[], wanted: readonly string[]): boolean =>
  found.length > 0 && (wanted.every((word) => found.includes(word)) || found.every((word) => wanted.includes(word)));

const typesOf = ({ type }: ExtractionSchema): readonly string[] => (type === undefined ? [] : typeof type === 'string' ? [type] : type);

/** A number as it is written on a page: with a currency or a unit beside it, and thousands set apart. */
function numberIn(text: string): number | undefined {
  const [found] = /-?\d[\d ,.']*/.exec(text) ?? [];
  if (found === undefined) return undefined;
  const bare = found.replaceAll(/[ ']/g, '').replace(/[.,]$/, '');
  const decimal = /[.,](\d{1,2})$/.exec(bare)?.[1];
  const whole = (decimal === undefined ? bare : bare.slice(0, -decimal.length - 1)).replaceAll(/[.,]/g, '');
  const value = Number(decimal === undefined ? whole : `${whole}.${decimal}`);
  return Number.isFinite(value) ? value : undefined;
}

const truths = new Map([
  ...['yes', 'true', 'x', '\u2611', 'on'].map((word) => [word, true] as const),
  ...['no', 'false', '\u2610', 'off', 'none'].map((word) => [word, false] as const),
]);

/** A text as a value of its type; undefined where it is none: nothing is made up. */
function valueOf(text: string, schema: ExtractionSchema): Json | undefined {
  if (schema.enum) {
    const within = (words: readonly string[]): string => ` ${words.join(' ')} `;
    return schema.enum.find((option) => {
      const words = wordsOf(typeof option === 'string' ? option : JSON.stringify(option));
      return words.length > 0 && within(wordsOf(text)).includes(within(words));
    });
  }
  const types = typesOf(schema);
  if (types.includes('number') || types.includes('integer')) {
    const value = numberIn(text);
    return types.includes('integer') && value !== undefined && !types.includes('number') && !Number.isInteger(value) ? undefined : value;
  }
  if (types.includes('boolean')) return truths.get(text.trim().toLowerCase());
  return text;
}

/** Rows of the tables whose columns have the names of the fields, at least half of them. */
function rowsOf({ properties = {} }: ExtractionSchema, { tables }: Said): Json[] {
  const fields = Object.entries(properties);
  return tables.flatMap(([head = [], ...body]) => {
    const columns = fields.map(([name, { title }]) => head.findIndex((cell) => names(wordsOf(cell), wordsOf(title ?? name))));
    if (columns.filter((at) => at >= 0).length * 2 < fields.length) return [];
    return body.map((row) =>
      Object.fromEntries(
        fields.flatMap(([name, schema], at) => {
          const cell = columns[at]! < 0 ? '' : (row[columns[at]!] ?? '');
          const value = cell === '' ? undefined : valueOf(cell, schema);
          return value === undefined ? [] : [[name, value] as const];
        }),
      ),
    );
  });
}

/** Values of one field in all places where its name stands as a label or above a column. */
function listOf(name: string, items: ExtractionSchema, { labelled, tables }: Said): Json[] {
  const wanted = wordsOf(name);
  const cells = tables.flatMap(([head = [], ...body]) => {
    const at = head.findIndex((cell) => names(wordsOf(cell), wanted));
    return at < 0 ? [] : body.map((row) => row[at] ?? '');
  });
  const texts = [...labelled.filter(({ label: found }) => names(found, wanted)).flatMap(({ value }) => value.split(/[;,]\s+/)), ...cells];
  return texts.flatMap((text) => (text === '' ? [] : (valueOf(text, items) ?? [])));
}

/** Fills a schema from what a document says: by labels, by columns of tables. What it does not say is left out. */
export function fillSchema(schema: ExtractionSchema, said: Said, name = ''): Json | undefined {
  const types = typesOf(schema);
  if (schema.properties || types.includes('object')) {
    const found = Object.entries(schema.properties ?? {}).flatMap(([field, inner]) => {
      const value = fillSchema(inner, said, inner.title ?? field);
      return value === undefined ? [] : [[field, value] as const];
    });
    return name !== '' && found.length === 0 ? undefined : Object.fromEntries(found);
  }
  if (schema.items || types.includes('array')) {
    const { items = {} } = schema;
    return items.properties ? rowsOf(items, said) : listOf(name, items, said);
  }
  const wanted = wordsOf(name);
  for (const { label: found, value } of said.labelled) {
    const read = names(found, wanted) ? valueOf(value, schema) : undefined;
    if (read !== undefined) return read;
  }
  return undefined;
}
