import { BadInput, NotFetched } from '../../errors/classes.ts';
import type { CheckedColumns, NamedMark } from '../../child/tables.ts';
import { locateWritten } from '../../pipelines/compile/where-written.ts';
import { checkColumnNames, type NamedStep } from '../../pipelines/compile/check-column-names.ts';
import { mustBeDone } from '../../pipelines/ends.ts';
import { hasExpression } from '../../pipelines/expressions/scan.ts';
import type { FindingCode } from '../../pipelines/file/finding-codes.ts';
import { byPosition, formatPath, help, type Finding, type Path } from '../../pipelines/file/findings.ts';
import { together } from '../../pipelines/file/together.ts';
import { inputInFile, placeInFile, type Plan, type PlanSource } from '../../pipelines/plan.ts';
import { isQuery, sourceOf } from '../../pipelines/source-name.ts';
import { reach } from '../../pipelines/file/reach.ts';
import { nearest } from '../../text/nearest.ts';
import type { Json } from '../../text/json.ts';
import { timedSources } from './timed-sources.ts';
import { checkFiles } from './check-files.ts';
import { checkFilesOf } from './check-naming-tables.ts';
import { checkItemFields, checkRowFields } from './check-row-fields.ts';
import { columnsIn, mayBeEmpty } from './columns-in.ts';
import { unnamedIds } from './check-unnamed-ids.ts';
import { definitionIn, namesOf, placed, wrongNames, type CheckColumns } from './check-table-columns.ts';

const written = (columns: Json | undefined): Record<string, string> | undefined =>
  typeof columns === 'object' && columns !== null && !Array.isArray(columns)
    ? Object.fromEntries(
        Object.entries(columns).filter((entry): entry is [string, string] => typeof entry[1] === 'string' && !hasExpression(entry[1])),
      )
    : undefined;

/** The character at which so many bytes of a text end. */
const characterAt = (text: string, bytes: number): number => Buffer.from(text).subarray(0, bytes).toString().length;

/** The text of a query as it stands in the file; undefined where it is no text of the file. */
const textIn = (value: Json | undefined, at: Path, field: string): unknown => reach(value, [...at, field, 'sql']);

/** Where a query has the name that a message about it quotes last. */
function namedLast(message: string, sql: string): number | undefined {
  const name = [...message.matchAll(/"(\w+)"/g)].at(-1)?.[1];
  const at = name === undefined ? -1 : sql.search(new RegExp(`\\b${name}\\b`));
  return at < 0 ? undefined : at;
}

/** The option of a source that a message about its file is about. */
function optionOf(message: string): string[] {
  if (message.includes("has no sheet '")) return ['excel', 'sheet'];
  const [, kind, option] = /(?:: |; take )(csv|excel)(?:\.(\w+))?: /.exec(message) ?? [];
  return [kind, option].filter((each) => each !== undefined);
}

/** The column that a field of a step names, where it is known before the run. */
function columnIn(field: Json | undefined): string | undefined {
  const { column } = (field ?? {}) as { column?: unknown };
  return typeof column === 'string' && !hasExpression(column) ? column : undefined;
}

/** The column of marks that a step names, with the kind of its overlap, where they are known before the run. */
function markIn(field: Json | undefined): NamedMark | undefined {
  const column = columnIn(field);
  const { overlap } = (field ?? {}) as { overlap?: unknown };
  if (column === undefined) return undefined;
  if (typeof overlap === 'number') return { column, overlap: 'number' };
  return typeof overlap === 'string' && !hasExpression(overlap) ? { column, overlap: 'time' } : { column };
}

type Looked = { findings: Finding[]; columns?: CheckedColumns };

const markRemedies = {
  column: 'take a column that grows with each change: a time, a date or a whole number',
  overlap: 'say the overlap as its column counts, or leave it out',
} as const satisfies Record<keyof NamedMark, string>;

const expressionRemedy = 'a source column by its name, or a scalar SQL expression over the columns; portolan preview FILE shows them';

/** What is wrong with one source that is on this host, with the columns made of it and with the id. */
async function lookAt(planned: PlanSource, plan: Plan, parsed: CheckColumns): Promise<Looked> {
  const { locate: places, value, given: fromOutside, tables: lent, steps } = parsed;
  const tables = await lent.get();
  const locate = locateWritten(places, { value, given: fromOutside });
  const { step, field, sql } = planned;
  const source = sourceOf(planned);
  const at = inputInFile(plan, step);
  const finding = (
    code: FindingCode,
    message: string,
    place: Path,
    more: { offset?: number | undefined; remedy?: string; by?: string | undefined } = {},
  ): Finding => ({
    code,
    message,
    path: formatPath(place),
    ...locate.value(place, more.offset),
    ...help(locate, place, { value: more.by }, more.remedy),
  });
  if (isQuery(source)) {
    const [refusal] = await tables.checkSql(source);
    const inFile = textIn(value, at, field) === sql;
    const offset = inFile && refusal?.at !== undefined ? characterAt(source.sql, refusal.at) : undefined;
    if (refusal)
      return {
        findings: [
          finding('bad-sql', refusal.message, [...at, field, 'sql'], {
            offset,
            remedy: 'one SELECT over the tables that are named below it',
          }),
        ],
      };
  }
  if (!(await lent.reaches(source))) return { findings: [] };
  const {
    columns: given,
    id,
    since,
  } = (plan.steps.find((each) => each.id === step)?.with ?? {}) as { [of in 'columns' | 'id' | 'since']?: Json };
  // What makes no rows of a dataset takes columns of every type, under any name.
  const makesRows = definitionIn(plan, step, steps)?.brings !== undefined;
  const columns = makesRows ? written(given) : {};
  const names = namesOf(plan, step, steps);
  const key = names.find(({ as }) => as !== undefined)?.column;
  try {
    const literal = makesRows ? columnIn(id) : undefined;
    const mark = makesRows ? markIn(since) : undefined;
    const looked = await columnsIn(tables, source, columns, literal ?? key, mark);
    const findings = looked.findings.map(({ column, message, instead, named }) => {
      const text = columns?.[column] ?? '';
      // What is there is wrong otherwise than by its name.
      const by = /^\w+$/.test(text) && !looked.source.includes(text) ? nearest(text, looked.source) : undefined;
      const meant = by ?? named;
      const said = `${column}: ${message}${meant === undefined ? '' : `; did you mean '${meant}'?`}`;
      if (columns === undefined) return finding('bad-column', said, [...at, field], { remedy: expressionRemedy });
      const place = [...at, 'columns', column];
      return {
        ...finding('bad-column', said, place, { by: by ?? instead, remedy: expressionRemedy }),
        ...(named === undefined ? {} : help(locate, place, { key: named })),
      };
    });
    const lacking = (column: string, of: 'id' | 'since', there: readonly string[]): Finding =>
      finding('no-such-column', `the source has no column '${column}'; it has ${there.slice(0, 20).join(', ')}`, [...at, of, 'column'], {
        by: nearest(column, there),
        remedy: 'take one of these',
      });
    if (literal !== undefined && !looked.source.includes(literal)) findings.push(lacking(literal, 'id', looked.source));
    // A mark may go by a column that is made under `columns`.
    if (mark && !looked.source.includes(mark.column) && columns?.[mark.column] === undefined)
      findings.push(lacking(mark.column, 'since', looked.source));
    if (looked.wrongMark && mustBeDone(step, plan.steps)) {
      const { field: wrong, message } = looked.wrongMark;
      findings.push(finding('wrong-column', message, [...at, 'since', wrong], { remedy: markRemedies[wrong] }));
    }
    const ofRows = (rows: CheckedColumns): Finding[] => [
      ...[...wrongNames(names, rows), ...unnamedIds(step, plan, rows.source)].map((each) => placed(step, plan, parsed, each)),
      ...(rows.empty ? [] : checkRowFields(step, plan, rows.source, parsed)),
    ];
    const wrong = ofRows(looked);
    const isAsked = wrong.length > 0 && isQuery(source);
    findings.push(...(isAsked && (await mayBeEmpty(tables, source)) ? ofRows({ ...looked, empty: true }) : wrong));
    const { repeated } = looked;
    if (repeated && literal !== undefined)
      findings.push(
        finding(
          'repeated-id',
          `the ids of '${literal}' repeat: "${repeated.id}" stands in ${repeated.rows} rows`,
          [...at, 'id', 'column'],
          {
            remedy: 'take a column whose values differ, or id: { row: true }',
          },
        ),
      );
    return { findings, columns: looked };
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    const offset = isQuery(source) && textIn(value, at, field) === sql ? namedLast(error.message, source.sql) : undefined;
    return {
      findings: [
        finding('bad-source', error.message, [...at, field, ...(isQuery(source) ? ['sql'] : optionOf(error.message))], {
          offset,
          by: /has no sheet '.*'; did you mean '(.+)'\?$/.exec(error.message)?.[1],
          remedy: error instanceof NotFetched ? error.remedy : 'portolan preview FILE shows what can be read of it',
        }),
      ],
    };
  }
}

/**
 * Findings about sources that are on this host: files that are not there, queries, column expressions, the id, and columns that other steps
 * name. A source that is elsewhere is the worker's to inspect, which says so with both host names.
 */
export const checkColumns = async (plan: Plan, parsed: CheckColumns): Promise<Finding[]> => {
  const all = [...plan.sources, ...timedSources(plan, parsed.steps, Date.now())];
  const missing: Finding[] = [];
  /** Steps whose files are not there. */
  const without = new Set<string>();
  if (!parsed.filesElsewhere)
    for (const planned of all) {
      const found = await checkFiles(planned, plan, parsed, parsed.projectDir);
      if (found.length > 0) without.add(planned.step);
      missing.push(...found);
    }
  const sources: PlanSource[] = [];
  for (const planned of all.filter(({ raw, step }) => !raw && !without.has(step)))
    if (planned.sql !== undefined || (await parsed.tables.reaches(sourceOf(planned)))) sources.push(planned);
  /** What is known without opening a table. */
  const unopened: Finding[] = [...missing, ...checkItemFields(plan, parsed)];
  for (const planned of plan.sources.filter(({ list, step }) => list && !without.has(step)))
    unopened.push(...(await checkFilesOf(planned, plan, parsed)));
  if (sources.length === 0) return unopened.sort(byPosition);
  const looked = new Map<string, Looked>();
  for (const planned of sources) looked.set(planned.step, await lookAt(planned, plan, parsed));
  const findings = [...unopened, ...[...looked.values()].flatMap((each) => each.findings)];
  return together((findings.length > 0 ? findings : columnsOfSteps(plan, parsed, looked)).sort(byPosition), parsed.locate);
};

/** Columns that steps name, now that those of the sources are known. */
function columnsOfSteps(plan: Plan, { steps, locate }: CheckColumns, looked: ReadonlyMap<string, Looked>): Finding[] {
  const named = plan.steps.flatMap(({ id, use, with: input }): NamedStep[] =>
    steps[use] ? [{ id, definition: steps[use], with: input, path: placeInFile(plan, id) }] : [],
  );
  const columns = new Map([...looked].flatMap(([id, each]) => (each.columns ? [[id, each.columns.columns] as const] : [])));
  return checkColumnNames(named, locate, { sources: columns });
}
