import { limits, type Limit } from '../../contracts/limits.ts';
import { limitClassOf, type Forecast, type ForecastStep, type Interval } from './forecast.ts';

export type ForecastTexts = {
  /** Which connection is used, e.g. `maps: local (http://127.0.0.1:7411)`. */
  connections: string;
  /** True where a connection is hosted: what it charges is between the user and the service. */
  hosted: boolean;
  /** A line per operation below each step. */
  operations?: boolean;
};

const count = (value: number): string => value.toLocaleString('en-US');
const interval = ([min, max]: Interval): string =>
  max === null ? `≥ ${count(min)}` : min === max ? count(min) : `${count(min)}–${count(max)}`;
const calls = (many: Interval, word: string): string => `${interval(many)} ${word}${many[1] === 1 ? '' : 's'}`;

/** Seconds as people say them. */
export function duration(seconds: number): string {
  if (seconds < 1) return '1 s';
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  if (seconds < 7_200) return `${Math.ceil(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}

/** An estimate is said to be one; a floor under published limits is not an estimate. */
const time = (floor: number, estimate: number): string =>
  floor >= estimate && floor > 0 ? duration(floor) : estimate > 0 ? `about ${duration(estimate)} (estimate)` : '-';

/** The published limit of each class that a step counts against, or `-`. */
const limitText = ({ limits: used }: ForecastStep): string => {
  const published = used.flatMap(({ limit }) => {
    const { count: most, seconds }: Limit = limits[limit];
    return most === null ? [] : [`${limit} ${count(most)} in ${seconds} s`];
  });
  return published.length === 0 ? '-' : published.join(', ');
};

const callText = ({ writing, reads }: ForecastStep): string =>
  [writing[1] === 0 ? '' : calls(writing, 'write'), reads[1] === 0 ? '' : calls(reads, 'read')].filter(Boolean).join(' + ') || '-';

/** The table of `plan`: what each step does, its calls, the limits and the shortest time. */
export function formatForecast(forecast: Forecast, texts: ForecastTexts): string {
  const { steps, totals, irreversible, own } = forecast;
  const totalCalls = `${calls(typeof totals.writing === 'number' ? [totals.writing, totals.writing] : totals.writing, 'writing call')}, ${calls(totals.reads, 'read')}`;
  const rows = [
    ['step', 'does', 'calls', 'limit', 'at least'],
    ...steps.flatMap((step) => [
      [
        step.id,
        step.does,
        callText(step),
        limitText(step),
        time(Math.max(0, ...step.limits.map(({ floorSeconds }) => floorSeconds)), step.seconds ?? 0),
      ],
      ...(texts.operations
        ? step.calls.flatMap(({ operation, min, max, because }) =>
            max === 0 ? [] : [['', `  ${operation}${because ? `: ${because}` : ''}`, interval([min, max]), limitClassOf(operation), '']],
          )
        : []),
    ]),
  ];
  const hash = `plan ${forecast.hash.slice(0, 4)}…${forecast.hash.slice(-2)}`;
  const lines = columns(rows, ['total', totalCalls, time(totals.floorSeconds, totals.estimateSeconds)]);
  const title = `${forecast.pipeline}  →  ${texts.connections}`;
  const width = Math.max(...lines.map((line) => line.length), title.length + hash.length + 2);
  const acts =
    irreversible.length === 0 && own.length === 0
      ? 'nothing irreversible'
      : [
          ...(irreversible.length > 0 ? ['cannot be taken back:'] : []),
          ...irreversible.map(
            ({ step, act, unapproved }) =>
              `  ${step}: ${act}${unapproved ? ` (not approved: by a gate, or portolan run --accept ${step})` : ''}`,
          ),
          ...(own.length > 0
            ? [`not in this plan: what ${own.join(', ')} (own) ${own.length > 1 ? 'do' : 'does'} outside of the API`]
            : []),
        ].join('\n');
  return [
    title + hash.padStart(width - title.length),
    ...lines,
    texts.hosted || own.length > 0 ? acts : `${acts}${irreversible.length === 0 ? ' · ' : '\n'}nothing is charged`,
  ].join('\n');
}

/** Rows in columns; the calls of the total may reach over the column before theirs. */
function columns(rows: readonly (readonly string[])[], [label, calls, shortest]: readonly [string, string, string]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const [step, does, call, limit, least] = widths as [number, number, number, number, number];
  const last = Math.max(least, shortest.length);
  const first = Math.max(step, label.length);
  const lines = rows.map((row) => [
    row[0]!.padEnd(first),
    row[1]!.padEnd(does),
    row[2]!.padStart(call),
    row[3]!.padEnd(limit),
    row[4]!.padStart(last),
  ]);
  lines.push([label.padEnd(first), calls.padStart(does + 2 + call), ' '.repeat(limit), shortest.padStart(last)]);
  return lines.map((cells) => `  ${cells.join('  ')}`.trimEnd());
}
