import { nearest } from '../../text/nearest.ts';
import type { Json } from '../../text/json.ts';
import { known } from '../file/embedded-expressions.ts';
import { formatPath, help, type Finding, type Locate, type Path } from '../file/findings.ts';
import { bare, fields } from '../file/schema-fields.ts';
import { misuseOf, type ColumnUse } from '../steps/column-uses.ts';
import { ids } from '../steps/ids.ts';
import type { StepOrLoop } from '../step.ts';

/** A step of the file or of its plan, with what it is. */
export type NamedStep = { id: string; definition: StepOrLoop; with: Json; path: Path };

/** `type`: as the dataset has it, where somebody looked; `width`: numbers of a vector. */
type Column = { name: string; type?: string; width?: number };

export type ColumnFacts = {
  /** Columns that a step makes of its source, by its id; of one that nobody inspected only the names in its input are known. */
  sources?: ReadonlyMap<string, readonly Column[]>;
  /** True of a step whose input is wrong otherwise: what it names is not known. */
  broken?: (id: string) => boolean;
};

type Steps = ReadonlyMap<string, NamedStep>;

const inputOf = (step: NamedStep, field: string): Json | undefined => (step.with as { [name: string]: Json })[field];

/**
 * The step that a reference to an id comes from: `steps.rows.dataset` is the dataset that `rows` was given. Undefined where it is
 * no such reference.
 */
function originOf(value: Json | undefined, steps: Steps, seen: readonly string[] = []): NamedStep | undefined {
  const [, id = '', output = ''] = (typeof value === 'string' && /^\s*\$\{\{\s*steps\.(\w+)\.(\w+)\s*\}\}\s*$/.exec(value)) || [];
  const step = steps.get(id);
  // Steps in a circle come from nowhere.
  if (step === undefined || seen.includes(id)) return undefined;
  const given = fields(step.definition.input)?.[output];
  return given !== undefined && ids.has(bare(given)) ? originOf(inputOf(step, output), steps, [...seen, id]) : step;
}

/** The dataset whose columns a step names: its own, or that of its map. */
function datasetOf(step: NamedStep, steps: Steps): NamedStep | undefined {
  const own = inputOf(step, 'dataset');
  if (own !== undefined) return originOf(own, steps);
  const map = originOf(inputOf(step, 'map'), steps);
  return map && originOf(inputOf(map, 'dataset'), steps);
}

/** Columns that a dataset has after the steps of this file; undefined where some of them are not known. */
function columnsOf(dataset: NamedStep, steps: Steps, { sources, broken }: ColumnFacts): Column[] | undefined {
  const loads = [...steps.values()].filter((step) => step.definition.brings && originOf(inputOf(step, 'dataset'), steps) === dataset);
  const columns = loads.map((step): readonly Column[] | undefined => {
    if (broken?.(step.id)) return undefined;
    const looked = sources?.get(step.id);
    // What could not be looked at has its names all the same.
    return looked ?? step.definition.brings!(known(step.with))?.map((name) => ({ name }));
  });
  const idField = known(inputOf(dataset, 'idField') ?? null);
  if (loads.length === 0 || typeof idField !== 'string' || columns.includes(undefined)) return undefined;
  return [...columns.flatMap((each) => each!), { name: idField, type: 'string' }];
}

/** Columns that steps name and that their dataset does not have, as far as the file says what goes into it. */
export function checkColumnNames(all: readonly NamedStep[], locate: Locate, facts: ColumnFacts = {}): Finding[] {
  const steps: Steps = new Map(all.map((step) => [step.id, step]));
  return all.flatMap((step) => {
    const named = facts.broken?.(step.id) ? [] : (step.definition.columns?.(known(step.with)) ?? []);
    const bare = step.definition.vectors ? withoutVectors(step, steps, locate) : [];
    bare.push(...wrongLength(step, steps, locate, facts));
    const dataset = named.length === 0 ? undefined : datasetOf(step, steps);
    const columns = dataset && columnsOf(dataset, steps, facts);
    return columns === undefined ? bare : [...bare, ...named.flatMap((each) => checkColumn(each, step, columns, locate))];
  });
}

function checkColumn(use: ColumnUse, step: NamedStep, columns: readonly Column[], locate: Locate): Finding[] {
  const { column } = use;
  const at = (path: Path): Path => [...step.path, 'with', ...path];
  const placed = (path: Path): Pick<Finding, 'path' | 'line' | 'column'> => ({ path: formatPath(at(path)), ...locate.value(at(path)) });
  const there = columns.find(({ name }) => name === column);
  const misuse = misuseOf(use, there?.type);
  if (misuse)
    return [{ code: 'wrong-column', message: `the column '${column}' ${misuse.what}`, ...placed(misuse.path), remedy: misuse.remedy }];
  // Names with an underscore are the service's own.
  if (there || column.startsWith('_')) return [];
  const names = [...new Set(columns.map(({ name }) => name))];
  const near = nearest(column, names);
  return [
    {
      code: 'no-such-column',
      message: `the dataset has no column '${column}'; it has ${names.join(', ')}`,
      ...placed(use.path),
      ...help(locate, at(use.path), { value: near }, `take one of these, or add ${column} to the columns of the rows`),
    },
  ];
}

/** A map of this file that is built without vectors, where a step needs them. */
function withoutVectors(step: NamedStep, steps: Steps, locate: Locate): Finding[] {
  const map = originOf(inputOf(step, 'map'), steps);
  if (map?.definition.name !== 'index.build' || inputOf(map, 'embed') !== undefined) return [];
  const path = [...step.path, 'with', 'map'];
  return [
    {
      code: 'no-vectors',
      message: `${step.definition.name} needs a map with vectors, and steps.${map.id} builds one without`,
      path: formatPath(path),
      remedy: `name the column to embed there: embed: COLUMN`,
      ...locate.value(path),
    },
  ];
}

/** A vector of another length than those that the map of this file is built of. */
function wrongLength(step: NamedStep, steps: Steps, locate: Locate, facts: ColumnFacts): Finding[] {
  const field = step.definition.vector;
  const vector = field === undefined ? undefined : inputOf(step, field);
  const map = originOf(inputOf(step, 'map'), steps);
  const embedded = map?.definition.name === 'index.build' ? inputOf(map, 'embed') : undefined;
  const dataset = datasetOf(step, steps);
  if (field === undefined || !Array.isArray(vector) || typeof embedded !== 'string' || dataset === undefined) return [];
  const width = columnsOf(dataset, steps, facts)?.find(({ name }) => name === embedded)?.width;
  if (width === undefined || width === vector.length) return [];
  const path = [...step.path, 'with', field];
  return [
    {
      code: 'wrong-column',
      message: `'${field}' is a vector of ${vector.length} numbers; those in ${embedded} have ${width}`,
      path: formatPath(path),
      remedy: `write ${width} numbers`,
      ...locate.value(path),
    },
  ];
}
