import { z } from 'zod';
import { settings } from '../../contracts/instance/budgets.ts';
import { csvRecords, delimiterOf, type CsvCell } from '../../text/csv-records.ts';
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

/** What stands between the cells, in words. */
const between = { ',': 'a comma', ';': 'a semicolon', '\t': 'a tab' } as const;

/** As JSON writes it: a number with leading zeros is a text, which no field of numbers takes. */
const scalar = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/;

const valueOf = (column: string, text: string): Json => (!texts.includes(column) && scalar.test(text) ? (JSON.parse(text) as Json) : text);

type Fields = { [field: string]: Json };

/** A row by its columns, without its empty cells. */
type Row = { first: CsvCell; cells: Map<string, CsvCell> };

/** Where a problem is, and what. */
type Report = (at: Pick<CsvCell, 'line' | 'column'>, what: string) => void;

/** A budget of the table, and its path. */
type Budget = { into: Fields; base: Path };

const start = { line: 1, column: 1 };

/** Reads a table whose rows are a budget each, or with a `member` the own limit of one; without a `project` that of the organization. */
export function readTable(text: string): BudgetTable {
  const value: BudgetTable['value'] = { budgets: [] };
  const problems: string[] = [];
  const places = new Map<string, Place>();
  const report: Report = ({ line, column }, what) => void problems.push(`${line}:${column}: ${what}`);
  const rows = rowsOf(text, report);
  const budgets = new Map<string, Budget>();
  for (const row of rows.filter(({ cells }) => !cells.has('member'))) addBudget(row, value, { budgets, places, report });
  for (const row of rows.filter(({ cells }) => cells.has('member'))) addMember(row, value, { budgets, places, report });
  return { value, problems, say: (path, finding) => sayCell(places, path, finding) };
}

/** The rows below the columns; none where the table is too long, its quotes do not end, or its columns are wrong. */
function rowsOf(text: string, report: Report): Row[] {
  const bytes = Buffer.byteLength(text);
  if (bytes > limits.bytes) {
    report(start, `${tooLong(bytes).message}; write several tables, and name them by a glob`);
    return [];
  }
  const delimiter = delimiterOf(text);
  const records = csvRecords(text, delimiter);
  if (!Array.isArray(records)) {
    report(records.unended, 'a quote begins here that nothing ends; write "" for a quote in a text');
    return [];
  }
  const [header = [], ...further] = records;
  const names = header.map((cell) => cell.text.trim());
  if (!areColumns(header, names, report)) return [];
  return further.flatMap((record): Row[] => {
    const [first] = record as [CsvCell, ...CsvCell[]];
    const beyond = record[names.length];
    if (beyond) {
      const what = `this row has ${record.length} cells and the table ${names.length} columns; put a text with ${between[delimiter]} into quotes`;
      report({ line: first.line, column: beyond.column }, what);
      return [];
    }
    const cells = record.flatMap((cell, index): [string, CsvCell][] =>
      cell.text.trim() === '' ? [] : [[names[index]!, { ...cell, text: cell.text.trim() }]],
    );
    return [{ first, cells: new Map(cells) }];
  });
}

/** Are these the columns of such a table, each once? */
function areColumns(header: readonly CsvCell[], names: readonly string[], report: Report): boolean {
  let right = header.length > 0;
  if (!right) report(start, `the table is empty; begin with a line of columns: ${tableColumns.join(',')}`);
  for (const [index, cell] of header.entries()) {
    const name = names[index]!;
    const isKnown = tableColumns.includes(name);
    if (isKnown && names.indexOf(name) === index) continue;
    right = false;
    if (isKnown) report(cell, `the column '${cell.text}' stands twice; keep one of the two`);
    else
      report(cell, `there is no column '${cell.text}'${suggestion(cell.text, tableColumns)}; the columns are ${tableColumns.join(', ')}`);
  }
  return right;
}

type Table = { budgets: Map<string, Budget>; places: Map<string, Place>; report: Report };

function addBudget({ first, cells }: Row, value: BudgetTable['value'], { budgets, places, report }: Table): void {
  const project = cells.get('project')?.text ?? '';
  const limit = cells.get('limitCents');
  if (limit) report(limit, 'column limitCents: it is the own limit of a member; name the member, or use memberLimits.defaultCents');
  if (project === '' && value.organization)
    return report(
      first,
      "a row without a project is the organization's, and there is one already; name the project, or keep one of the two",
    );
  const base: Path = project === '' ? ['organization'] : ['budgets', value.budgets.length];
  const into: Fields = {};
  if (project === '') value.organization = into;
  else value.budgets.push(into);
  places.set(formatPath(base), { column: 'project', line: first.line, at: first.column });
  for (const [name, cell] of cells) {
    if (name === 'limitCents') continue;
    places.set(formatPath([...base, ...name.split('.')]), { column: name, line: cell.line, at: cell.column });
    const field = put(into, name, valueOf(name, cell.text));
    if (field !== undefined) report(cell, `column ${name}: ${field} is said in this row already; leave one of the cells empty`);
  }
  if (!budgets.has(project)) budgets.set(project, { into, base });
}

/** Puts a value where its column leads; the field that has another value already, where one has. */
function put(into: Fields, name: string, value: Json): string | undefined {
  const [field = '', under] = name.split('.');
  const before = into[field];
  if (before === undefined) into[field] = under === undefined ? value : { [under]: value };
  else if (under !== undefined && typeof before === 'object' && before !== null && !Array.isArray(before)) before[under] = value;
  else return field;
  return undefined;
}

const ofMember = ['project', 'member', 'limitCents'];

function addMember({ first, cells }: Row, value: BudgetTable['value'], { budgets, places, report }: Table): void {
  const project = cells.get('project')?.text ?? '';
  const member = cells.get('member')!;
  const of = budgets.get(project) ?? (project === '' ? { into: (value.organization ??= {}), base: ['organization'] } : undefined);
  if (!of) return report(first, `column member: project ${project} has no row of its own; add one with its amountCents`);
  budgets.set(project, of);
  for (const [name, cell] of cells)
    if (!ofMember.includes(name))
      report(cell, `column ${name}: a row with a member holds limitCents alone; put it into the row of the budget`);
  const members = (of.into['members'] ??= {}) as Fields;
  if (member.text in members) report(member, `column member: ${member.text} has a limit already; name the member once`);
  const limit = cells.get('limitCents');
  members[member.text] = limit ? valueOf('limitCents', limit.text) : null;
  const { line, column } = limit ?? member;
  places.set(formatPath([...of.base, 'members', member.text]), { column: 'limitCents', line, at: column });
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
