import { stringify } from 'yaml';
import type { FileSpec } from '../../pipelines/source-spec.ts';
import { slugPattern } from '../../text/slug.ts';
import { schemaLine } from '../project/templates.ts';
import { yamlName, yamlSql } from '../render/column-choice.ts';
import type { Guess } from './guess.ts';

export type Written = {
  /** Name of pipeline and dataset. */
  name: string;
  /** The table, as it is named in the project. */
  shown: string;
  /** The same with a path that the pipeline's folder knows. */
  source: FileSpec;
  rows: number;
  guess: Guess;
};

/** From so many rows on the size decides how they are sent. */
const manyRows = 200_000;

const longestSlug = 40;

/** A slug of a file's name: without folder, endings and what stands for other characters. */
export function slugOf(path: string): string {
  const base = path.split('/').at(-1)!;
  const made = base
    .replace(/(\.(csv|tsv|tab|txt|json|jsonl|ndjson|geojson|parquet|arrow|arrows|feather|ipc|stream|xlsx|xlsm|gz|zst)[*?]?)+$/i, '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longestSlug)
    .replace(/^-+|-+$/g, '');
  return slugPattern.test(made) ? made : 'table';
}

/** `${{` in a value stands for itself. */
const safe = (text: string): string => text.replaceAll('${{', () => '$${{');

/** A value on one line of YAML. */
const inline = (value: unknown): string => safe(stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim());

const comment = (text: string): string => `   # ${text.replace(/\s+/g, ' ')}`;

/** The text of a first pipeline; what is guessed says so in it. */
export function firstPipeline({ name, shown, source, rows, guess }: Written): string {
  const { id, embed, columns, rejected } = guess;
  const isPlain = typeof source === 'string';
  const lines = [
    schemaLine,
    `# A first pipeline for ${shown.replace(/\s+/g, ' ')}, made by portolan init --from. Lines with "guessed" are guesses: change what you know better.`,
    `name: ${inline(name)}`,
    `description: ${inline(embed.column === undefined ? `The rows of ${shown} as a dataset.` : `A map of ${shown}.`)}`,
    '',
    'params:',
    ...(isPlain ? [`  source: { type: path, default: ${inline(source)} }`] : []),
    `  dataset: { type: slug, default: ${inline(name)} }`,
    '',
    'steps:',
    '  dataset:',
    '    use: dataset.ensure',
    '    with:',
    '      slug: ${{ params.dataset }}',
    '',
    '  rows:',
    `    use: ${rows > manyRows ? 'dataset.load' : 'dataset.append'}`,
    '    with:',
    '      dataset: ${{ steps.dataset.id }}',
    `      source: ${isPlain ? '${{ params.source }}' : inline(source)}`,
    `      id: ${inline(id.column === undefined ? { row: true } : { column: id.column })}${comment(`guessed: ${id.because}`)}`,
    '      columns:',
    ...columns.map(
      ({ name: to, from, isSql, because }) =>
        `        ${yamlName(to)}: ${safe(isSql ? yamlSql(from) : yamlName(from))}${because === undefined ? '' : comment(`guessed: ${because}`)}`,
    ),
    ...(rejected > 0 ? [`    tolerate: { rejected: ${rejected}% }${comment('rows with a value that no dataset takes')}`] : []),
    '',
    ...(embed.column === undefined
      ? []
      : [
          '  map:',
          '    use: index.build',
          '    with:',
          '      dataset: ${{ steps.rows.dataset }}',
          `      embed: ${safe(yamlName(embed.column))}${comment(`guessed: ${embed.because}`)}`,
          '',
        ]),
    'outputs:',
    '  rows: ${{ steps.rows.rows }}',
    ...(embed.column === undefined ? ['  dataset: ${{ steps.rows.dataset }}'] : ['  map: ${{ steps.map.url }}']),
  ];
  return `${lines.join('\n')}\n`;
}
