import { nearest } from '../../text/nearest.ts';
import type { Json } from '../../text/json.ts';
import { hasExpression } from '../expressions/scan.ts';
import { formatPath, help, type Finding, type Locate, type Path } from '../file/findings.ts';
import { itemColumn, resultColumns } from '../own/result-columns.ts';
import type { StepOrLoop } from '../step.ts';
import type { NamedStep } from './check-column-names.ts';

/** Columns of the rows that an own sweep gives; undefined where it gives none. */
const columnsOf = (definition: StepOrLoop | undefined): string[] | undefined => {
  const code = definition?.own?.code;
  return code && 'result' in code && code.result ? Object.keys(resultColumns(code.result)) : undefined;
};

/** Words that stand alone in SQL and name no column. */
const literals = ['true', 'false', 'null'];

/** Columns that a step takes of the rows of an own sweep in the same file, and that its results do not have. `broken`: its input is wrong otherwise. */
export function checkResultColumns(all: readonly NamedStep[], locate: Locate, broken: (id: string) => boolean): Finding[] {
  return all.flatMap((step) => {
    const { source, id, columns } = step.with as { source?: Json; id?: { column?: Json }; columns?: { [name: string]: Json } };
    const [, from] = (typeof source === 'string' && /^\s*\$\{\{\s*steps\.(\w+)\.results\s*\}\}\s*$/.exec(source)) || [];
    const sweep = all.find((each) => each.id === from);
    const known = step.definition.brings && sweep && columnsOf(sweep.definition);
    if (known === undefined || broken(step.id)) return [];
    const has = (name: string, names: readonly string[]): boolean => names.some((each) => each.toLowerCase() === name.toLowerCase());
    const missing = (name: string, path: Path, meant: string | undefined): Finding => ({
      code: 'no-such-column',
      message: `the results of steps.${sweep!.id} lack the column '${name}'; there are ${known.join(', ')}`,
      path: formatPath(path),
      ...locate.value(path),
      ...help(locate, path, { value: meant }, `take one of these, or add ${name} to the result of ${sweep!.definition.name}`),
    });
    const base = [...step.path, 'with'];
    const key = id?.column;
    const lacksKey = typeof key === 'string' && !hasExpression(key) && !has(key, [...known, ...Object.keys(columns ?? {})]);
    return [
      // The name of an item is what its row is known by.
      ...(lacksKey ? [missing(key, [...base, 'id', 'column'], nearest(key, known) ?? itemColumn)] : []),
      ...Object.entries(columns ?? {}).flatMap(([name, taken]) =>
        typeof taken === 'string' && /^[A-Za-z_]\w*$/.test(taken) && !has(taken, [...known, ...literals])
          ? [missing(taken, [...base, 'columns', name], nearest(taken, known))]
          : [],
      ),
    ];
  });
}
