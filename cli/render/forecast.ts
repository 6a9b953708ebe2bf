import { limits, type Limit } from '../../contracts/limits.ts';
import type { Forecast, ForecastStep, Interval } from '../../pipelines/forecast/forecast.ts';
import { limitClassOf } from '../../pipelines/forecast/planned.ts';
import { sayDifferences } from '../../pipelines/budgets/say.ts';
import { cells } from '../../text/cells.ts';
import { counted, number } from '../../text/units.ts';
import type { Look } from './look.ts';
import { actLines } from './acts.ts';
import { renderPlannedUndo } from './undo.ts';
import { padEnd, padStart } from './paint.ts';
import { wrap } from '../frame/wrap.ts';

export type ForecastTexts = Look & {
  /** Which connection is used, e.g. `maps: local (http://127.0.0.1:7411)`. */
  connections: string;
  /** True where a connection is hosted: what it charges is between the user and the service. */
  hosted: boolean;
  /** A line per operation below each step. */
  operations?: boolean;
};

/** At least and at most: `2`, `2–28`, `≥ 2` where nobody knows more. */
export const interval = ([min, max]: Interval): string =>
  max === null ? `≥ ${number(min)}` : min === max ? number(min) : `${number(min)}–${number(max)}`;

const calls = (many: Interval, word: string): string => `${interval(many)} ${word}${many[1] === 1 ? '' : 's'}`;

/** Seconds as people say them: rounded up, or down where they are a bound from below. */
export function duration(seconds: number, round: (value: number) => number = Math.ceil): string {
  if (seconds < 1) return '1 s';
  if (seconds < 120) return `${round(seconds)} s`;
  if (seconds < 7_200) return `${round(seconds / 60)} min`;
  return `${(round(seconds / 360) / 10).toFixed(1)} h`;
}

/**
 * Under published limits a time is a bound, by the fewest calls. Any other is an estimate and is said to be one; `most`: of all that may
 * be done, of which a run in which nothing is new does nothing.
 */
const time = (floor: number, estimate: number, most: boolean): string => {
  if (floor >= estimate && floor > 0) return `≥ ${duration(floor, Math.floor)}`;
  return estimate > 0 ? `${most ? '≤ ' : ''}about ${duration(estimate)} (estimate)` : '-';
};

/** The estimate of a step is that of its most writes, which may be more than it has to do. */
const mayDoLess = ({ writing: [min, max] }: ForecastStep): boolean => max !== null && min < max;

/** The published limit of each class that a step counts against, or `-`. */
const limitText = ({ limits: used }: ForecastStep): string => {
  const published = used.flatMap(({ limit }) => {
    const { count: most, seconds }: Limit = limits[limit];
    return most === null ? [] : [`${limit} ${number(most)} in ${seconds} s`];
  });
  return published.length === 0 ? '-' : published.join(', ');
};

const callText = ({ writing, reads }: ForecastStep): string =>
  [writing[1] === 0 ? '' : calls(writing, 'write'), reads[1] === 0 ? '' : calls(reads, 'read')].filter(Boolean).join(' + ') || '-';

type Row = { step: string; does: string; calls: string; limit: string; time: string };

const head: Row = { step: 'step', does: 'does', calls: 'calls', limit: 'limit', time: 'time' };

const rowOf = (step: ForecastStep): Row => ({
  step: step.id,
  does: step.does,
  calls: callText(step),
  limit: limitText(step),
  time: time(Math.max(0, ...step.limits.map(({ floorSeconds }) => floorSeconds)), step.seconds ?? 0, mayDoLess(step)),
});

const operationRows = ({ calls: planned }: ForecastStep): Row[] =>
  planned.flatMap(({ operation, min, max, because }) =>
    max === 0
      ? []
      : [
          {
            step: '',
            does: `  ${operation}${because ? `: ${because}` : ''}`,
            calls: interval([min, max]),
            limit: limitClassOf(operation),
            time: '',
          },
        ],
  );

/** What `plan` prints: what each step does, its calls, the limits and the time, and below it what cannot be taken back. */
export function formatForecast(forecast: Forecast, texts: ForecastTexts): string {
  const { totals, steps } = forecast;
  const { paint, columns: width } = texts;
  const writing: Interval = typeof totals.writing === 'number' ? [totals.writing, totals.writing] : totals.writing;
  const total: Row = {
    step: 'total',
    does: '',
    calls: `${calls(writing, 'writing call')}, ${calls(totals.reads, 'read')}`,
    limit: '',
    time: time(
      totals.floorSeconds,
      totals.estimateSeconds,
      steps.some((step) => step.seconds !== undefined && mayDoLess(step)),
    ),
  };
  const rows = steps.flatMap((step) => [rowOf(step), ...(texts.operations ? operationRows(step) : [])]);
  const beside = inColumns(rows, total);
  const lines = beside.every((line) => cells(line) <= width) ? beside : below(rows, total, texts);
  const title = `${forecast.pipeline}  →  ${texts.connections}`;
  const hash = `plan ${forecast.hash.slice(0, 4)}…${forecast.hash.slice(-2)}`;
  const whole = Math.min(width, Math.max(...lines.map(cells), cells(title) + hash.length + 2));
  const fits = cells(title) + hash.length + 2 <= whole;
  return [
    fits ? paint.bold(title) + hash.padStart(whole - cells(title)) : [...wrap(title, width), hash].join('\n'),
    ...lines,
    ...differenceLines(steps, texts),
    ...absentLines(steps, texts),
    ...unknownLines(steps, texts),
    ...heldLines(forecast, texts),
    ...actLines(forecast, texts),
    ...(forecast.undo ? renderPlannedUndo(forecast.undo, paint).flatMap((line) => wrap(line, width)) : []),
  ].join('\n');
}

/** What differs, by the steps that compare, or why they will fail. */
const differenceLines = (steps: readonly ForecastStep[], { columns }: ForecastTexts): string[] =>
  steps.flatMap(({ id, differences = [], problems = [], doubts = [] }) => {
    const below = (title: string, lines: readonly string[]): string[] =>
      lines.length === 0 ? [] : [title, ...lines.flatMap((line) => wrap(line, columns - 2).map((part) => `  ${part}`))];
    return [
      ...below(`what differs (${id}):`, sayDifferences(differences)),
      ...below(`mistakes (${id}):`, problems),
      ...below(`fails as it is now (${id}), unless what comes before it changes that:`, doubts),
    ];
  });

/** Datasets that other runs may write at the same time. */
const heldLines = ({ notHeld = [] }: Forecast, { columns }: ForecastTexts): string[] =>
  notHeld.length === 0
    ? []
    : wrap(
        `not held: ${notHeld.join(', ')}; another run may write there at the same time, unless its file and this one name one key: concurrency: { key: … }`,
        columns,
      );

/** Files that tables of steps name and that are not there. */
const absentLines = (steps: readonly ForecastStep[], { columns }: ForecastTexts): string[] =>
  steps.flatMap(({ absent = [] }) =>
    absent.flatMap(({ step, files, missing, first }) => [
      ...wrap(`not there (${step}): ${number(missing)} of the ${counted(files, 'file')} that its table names:`, columns),
      ...[
        ...first.map(({ row, file, because }) => `row ${row}: ${file === '' ? '' : `${file}: `}${because}`),
        ...(missing > first.length ? [`and ${number(missing - first.length)} more`] : []),
        `each fails its item: put the files there, or take their rows out; tolerate: { failed: ${missing} } goes on without them`,
      ].flatMap((line) => wrap(line, columns - 2).map((part) => `  ${part}`)),
    ]),
  );

/** What nobody can know before the run, each operation with the reason. */
function unknownLines(steps: readonly ForecastStep[], { columns, operations }: ForecastTexts): string[] {
  const open = steps.flatMap(({ id, calls: planned }) =>
    [
      ...Map.groupBy(
        planned.filter(({ max }) => max === null),
        ({ because }) => because,
      ),
    ].map(([because, of]) => `${id}: how many ${of.map(({ operation }) => operation).join(', ')}, because ${because}`),
  );
  return open.length === 0 || operations
    ? []
    : ['not known before the run:', ...open.flatMap((line) => wrap(line, columns - 2).map((part) => `  ${part}`))];
}

/** Rows in columns; the calls of the total may reach over the column before theirs. */
function inColumns(rows: readonly Row[], total: Row): string[] {
  const all = [head, ...rows];
  const widest = (name: keyof Row): number => Math.max(...all.map((row) => cells(row[name])));
  const longest = Math.max(widest('time'), total.time.length);
  const first = Math.max(widest('step'), cells(total.step));
  const [does, many] = [widest('does'), widest('calls')];
  const lines = all.map((row) => [
    padEnd(row.step, first),
    padEnd(row.does, does),
    padStart(row.calls, many),
    padEnd(row.limit, widest('limit')),
    padStart(row.time, longest),
  ]);
  lines.push([
    padEnd(total.step, first),
    padStart(total.calls, does + 2 + many),
    ' '.repeat(widest('limit')),
    padStart(total.time, longest),
  ]);
  return lines.map((parts) => `  ${parts.join('  ')}`.trimEnd());
}

/** For a narrow terminal: what a step does, and its calls and time below. */
function below(rows: readonly Row[], total: Row, { columns, paint }: Look): string[] {
  const first = Math.max(...[...rows, total].map(({ step }) => cells(step)));
  const indent = ' '.repeat(first + 4);
  return [...rows, total].flatMap(({ step, does, calls: many, limit, time: takes }) => {
    const facts = [many, limit, takes].filter((fact) => fact !== '' && fact !== '-').join(' · ');
    const [begin = '', ...more] = [
      ...(does === '' ? [] : wrap(does.trim(), columns - indent.length)),
      ...(facts === '' ? [] : wrap(facts, columns - indent.length).map(does === '' ? (line) => line : paint.dim)),
    ];
    return [`  ${padEnd(step, first)}  ${begin}`.trimEnd(), ...more.map((line) => indent + line)];
  });
}
