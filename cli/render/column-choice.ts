import type { ColumnFacts } from '../../child/preview.ts';
import { forbiddenNames } from '../../pipelines/file/yaml/values.ts';

/** A column of a dataset as a pipeline's `columns:` has it: its name, and a source column or an expression. */
export type ColumnChoice = { name: string; from: string; column: ColumnFacts };

/** Every column that a dataset can take, with the expressions that make it so. */
export function columnChoices(columns: readonly ColumnFacts[]): ColumnChoice[] {
  const taken = new Set(columns.flatMap(({ name, as }) => (as === null ? [] : [name.toLowerCase()])));
  const nameFor = (name: string): string => {
    const bare = name.replace(/^_+/, '') || 'column';
    let made = bare;
    for (let at = 2; taken.has(made.toLowerCase()); at += 1) made = `${bare}_${at}`;
    taken.add(made.toLowerCase());
    return made;
  };
  return columns.map((column) => {
    const { name, as, remedy } = column;
    return { name: as === null || forbiddenNames.has(name) ? nameFor(name) : name, from: as === null ? (remedy ?? name) : name, column };
  });
}

/** A name as a key or a value of YAML. */
export const yamlName = (name: string): string =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(name) ? name : JSON.stringify(name);

/** An expression as a value of YAML: single quotes, because SQL has double quotes of its own. */
export const yamlSql = (sql: string): string => (/^\w[\w ]*$/.test(sql) ? yamlName(sql) : `'${sql.replaceAll("'", "''")}'`);
