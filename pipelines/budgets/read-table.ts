import { z } from 'zod';
import { settings } from '../../contracts/instance/budgets.ts';
import { csvRecords, type CsvCell } from '../../text/csv-records.ts';
import type { Json } from '../../text/json.ts';
import { suggestion } from '../../text/nearest.ts';
import { formatPath, type Finding, type Path } from '../file/findings.ts';
import { limits, tooLong } from '../file/yaml/yaml-limits.ts';

/** A table of budgets as a file of them is read, its places by their paths, and what is wrong with the table itself. */
export type BudgetTable = {
  value: { organization?: { [field: string]: Json }; budgets: { [field: string]: Json }[] };
  problems: string[];
  /** The place of a path, with what is wrong there. */
  readonly say: (path: string, finding?: Pick<Finding, 'code' | 'message' | 'remedy'>) => string;
};

type Place = { column: string; line: number; at: number };

const inner = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? inner(schema.unwrap() as z.ZodType) : schema;

/** Columns are fields of the API; a field of an object by `object.field`, the object itself where it is to be null. */
const fields: readonly string[] = Object.entries(settings).flatMap(([name, schema]) => {
  const of = inner(schema);
  if (!(of instanceof z.ZodObject)) return [name];
  return [...(schema.safeParse(null).success ? [name] : []), ...Object.keys(of.shape).map((field) => `${name}.${field}`)];
});
const texts: readonly string[] = ['project', 'member'];
export const tableColumns: readonly string[] = ['project', 'amountCents', ...fields, 'member', 'limitCents'];

const scalar = /^(?:true|false|null|-?\d+(?:\.\d+)?)$/;

const valueOf = (column: string, text: string): Json => (!texts.includes(column) && scalar.test(text) ? (JSON.parse(text) as Json) : text);

/** Reads a table whose rows are a budget each, or with a `member` the own limit of one; without a `project` that of the organization. */
export function readTable(text: string): BudgetTable {
  const value: BudgetTable['value'] = { budgets: [] };
  const problems: string[] = [];
  const cells = new Map<string, Place>();
  const table: BudgetTable = { value, problems, say: (path, finding) => sayCell(cells, path, finding) };
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.bytes) {
    problems.push(`1:1: ${tooLong(bytes).message}; write several tables, and name them by a glob`);
    return table;
  }
  const records = csvRecords(text);
  if (!Array.isArray(records)) {
    problems.push(
      `${records.unended.line}:${records.unended.column}: a quote begins here that nothing ends; write "" for a quote in a text`,
    );
    return table;
  }
  const [header = [], ...rows] = records;
  const names = header.map((cell) => cell.text.trim());
  for (const [index, { line, column, text: name }] of header.entries()) {
    if (!tableColumns.includes(names[index]!))
      problems.push(
        `${line}:${column}: there is no column '${name}'${suggestion(name, tableColumns)}; the columns are ${tableColumns.join(', ')}`,
      );
    else if (names.indexOf(names[index]!) < index)
      problems.push(`${line}:${column}: the column '${name}' stands twice; keep one of the two`);
  }
  if (header.length === 0) problems.push(`1:1: the table is empty; begin with a line of columns: ${tableColumns.join(',')}`);
  if (problems.length > 0) return table;

  /** Puts a cell where its path leads. */
  const put = (into: { [field: string]: Json }, base: Path, { line, column, text: given }: CsvCell, name: string): void => {
    const [field = '', under] = name.split('.');
    cells.set(formatPath([...base, ...name.split('.')]), { column: name, line, at: column });
    const before = into[field];
    if (before === undefined) into[field] = under === undefined ? valueOf(name, given) : { [under]: valueOf(name, given) };
    else if (under !== undefined && typeof before === 'object' && before !== null && !Array.isArray(before))
      before[under] = valueOf(name, given);
    else problems.push(`${line}:${column}: column ${name}: ${field} is said in this row already; leave one of the cells empty`);
  };

  const budgetOf = new Map<string, { into: { [field: string]: Json }; base: Path }>();
  const own: { project: string; row: Map<string, CsvCell>; first: CsvCell }[] = [];
  for (const record of rows) {
    const [first] = record as [CsvCell, ...CsvCell[]];
    if (record.length > names.length) {
      problems.push(
        `${first.line}:${record[names.length]!.column}: this row has ${record.length} cells and the table ${names.length} columns; put a text with a comma into quotes`,
      );
      continue;
    }
    const row = new Map(
      record.flatMap((cell, index): [string, CsvCell][] =>
        cell.text.trim() === '' ? [] : [[names[index]!, { ...cell, text: cell.text.trim() }]],
      ),
    );
    const project = row.get('project')?.text ?? '';
    if (row.has('member')) {
      own.push({ project, row, first });
      continue;
    }
    const limit = row.get('limitCents');
    if (limit)
      problems.push(
        `${limit.line}:${limit.column}: column limitCents: it is the own limit of a member; name the member, or use memberLimits.defaultCents`,
      );
    row.delete('limitCents');
    const base: Path = project === '' ? ['organization'] : ['budgets', value.budgets.length];
    if (project === '' && value.organization) {
      problems.push(
        `${first.line}:${first.column}: a row without a project is the organization's, and there is one already; name the project, or keep one of the two`,
      );
      continue;
    }
    const into: { [field: string]: Json } = {};
    if (project === '') value.organization = into;
    else value.budgets.push(into);
    cells.set(formatPath(base), { column: 'project', line: first.line, at: first.column });
    for (const [name, cell] of row) put(into, base, cell, name);
    if (!budgetOf.has(project)) budgetOf.set(project, { into, base });
  }
  for (const { project, row, first } of own) {
    const of = budgetOf.get(project) ?? (project === '' ? { into: (value.organization ??= {}), base: ['organization'] } : undefined);
    const member = row.get('member')!;
    if (!of) {
      problems.push(`${first.line}:${first.column}: column member: project ${project} has no row of its own; add one with its amountCents`);
      continue;
    }
    budgetOf.set(project, of);
    for (const [name, cell] of row)
      if (!['project', 'member', 'limitCents'].includes(name))
        problems.push(
          `${cell.line}:${cell.column}: column ${name}: a row with a member holds limitCents alone; put it into the row of the budget`,
        );
    const members = (of.into['members'] ??= {}) as { [member: string]: Json };
    if (member.text in members)
      problems.push(`${member.line}:${member.column}: column member: ${member.text} has a limit already; name the member once`);
    const limit = row.get('limitCents');
    members[member.text] = limit ? valueOf('limitCents', limit.text) : null;
    const { line, column } = limit ?? member;
    cells.set(formatPath([...of.base, 'members', member.text]), { column: 'limitCents', line, at: column });
  }
  return table;
}

/** The cell of a path, or the row that it is in; what is wrong there by its column. */
function sayCell(cells: ReadonlyMap<string, Place>, path: string, finding?: Pick<Finding, 'code' | 'message' | 'remedy'>): string {
  let of = path;
  while (of !== '' && !cells.has(of)) of = of.replace(/(?:\.?[^.[\]]+|\[\d+\])$/, '');
  const { line, at, column } = cells.get(of) ?? { line: 1, at: 1, column: '' };
  if (!finding) return `${line}:${at}: ${column}`;
  const field = path.replace(/^(?:organization|budgets\[\d+\])\.?/, '');
  const isMissing = finding.code === 'missing-field';
  const message = isMissing ? `this row needs ${field}` : finding.message.replaceAll(path, field);
  const remedy = isMissing ? 'fill the cell of this column' : finding.remedy;
  return `${line}:${at}: ${column === '' || isMissing ? '' : `column ${column}: `}${message}${remedy === undefined ? '' : `; ${remedy}`}`;
}
