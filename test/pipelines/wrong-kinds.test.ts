import { describe, expect, test } from 'vitest';
import { compile } from '../../pipelines/compile/compile.ts';
import { parse } from '../../pipelines/file/parse.ts';
import { formatPath, type Finding } from '../../pipelines/file/findings.ts';
import { remedied } from '../../pipelines/file/finding-codes.ts';
import { steps } from '../../pipelines/steps/table.ts';
import type { Json } from '../../text/json.ts';

type Doc = { [field: string]: Json };

const list = { use: 'api.call', with: { operation: 'maps.projects.list', input: {} } };
const append = { use: 'dataset.append', with: { dataset: '${{ steps.set.id }}', source: 'a.csv', id: { column: 'id' } } };
const base: Doc = {
  name: 'kinds',
  connection: 'local',
  steps: { list, set: { use: 'dataset.ensure', with: { slug: 'kinds' } }, rows: append },
};

type Path = (string | number)[];

/** The document with a value at a place. */
const withAt = (doc: Json, [field, ...rest]: Path, value: Json): Json =>
  field === undefined ? value : { ...(doc as Doc), [field]: withAt((doc as Doc)[String(field)] ?? {}, rest, value) };

const findingsOf = (doc: Json): Finding[] => {
  const result = compile(parse(JSON.stringify(doc, undefined, 1), 'json'), { steps, baseDir: '/project', timed: true });
  return 'findings' in result ? result.findings.map(remedied) : [];
};

/** A value of each kind that JSON has; a list and fields also with something in them. */
const kinds = {
  text: '\u0000?',
  number: 7.5,
  'a negative number': -1,
  true: true,
  nothing: null,
  'an empty list': [],
  'a list': ['1h'],
  'no fields': {},
  fields: { a: 1 },
} as const satisfies Record<string, Json>;
type Kind = keyof typeof kinds;

/** A field, what is right there, and the kinds that are right there too. `beside`: what else the field needs around it. */
type Row = { at: string; right: Json; also?: Kind[]; beside?: [string, Json][] };

const scheduled: [string, Json][] = [['schedule', { every: '1h' }]];
const failing = 'steps.list.onError';
const reading = 'steps.rows.with.since';
const rows: Row[] = [
  { at: 'schedule', right: { every: '1h' } },
  { at: 'schedule.cron', right: '0 6 * * *' },
  { at: 'schedule.every', right: '2h' },
  { at: 'schedule.offset', right: '5m', beside: scheduled },
  { at: 'schedule.timezone', right: 'Europe/Madrid', beside: scheduled },
  { at: 'schedule.jitter', right: '30s', beside: scheduled },
  { at: 'schedule.overlap', right: 'bufferOne', beside: scheduled },
  { at: 'schedule.catchUp', right: '1d', beside: scheduled },
  { at: 'schedule.pauseOnFailure', right: false, also: ['true'], beside: scheduled },
  { at: 'schedule.window', right: 'day', beside: scheduled },
  { at: 'notify', right: { on: ['failed'], to: ['team'] } },
  { at: 'notify.on', right: ['failed'], beside: [['notify', { to: ['team'], late: '1d' }]], also: ['an empty list'] },
  { at: 'notify.late', right: '26h', beside: [['notify', { to: ['team'] }]] },
  { at: 'notify.to', right: ['team'], beside: [['notify', { on: ['failed'] }]] },
  { at: 'concurrency', right: { key: 'one' }, also: ['text', 'nothing', 'no fields'] },
  { at: 'concurrency.key', right: 'one', also: ['text'] },
  { at: 'concurrency.when', right: 'queue' },
  { at: failing, right: 'tolerate', also: ['no fields'] },
  { at: `${failing}.transient`, right: { retry: 2, every: '1m' } },
  { at: `${failing}.else`, right: 'fail' },
  { at: `${failing}.transient.retry`, right: 3, beside: [[`${failing}.transient.every`, '1m']] },
  { at: `${failing}.transient.every`, right: '1m', beside: [[`${failing}.transient.retry`, 3]] },
  { at: `${failing}.transient.then`, right: 'tolerate', beside: [[`${failing}.transient`, { retry: 3, every: '1m' }]] },
  { at: `${failing}.transient.steps`, right: { mend: list } },
  { at: reading, right: { column: 'at' } },
  { at: `${reading}.column`, right: 'at', also: ['text'] },
  { at: `${reading}.overlap`, right: '1h', beside: [[`${reading}.column`, 'at']] },
  { at: `${reading}.files`, right: 'new', beside: [['steps.rows.with.source', 'in/*.csv']] },
];

describe.each(rows)('$at', ({ at, right, also = [], beside = [] }) => {
  const place = at.split('.');
  const doc = beside.reduce((all, [path, value]) => withAt(all, path.split('.'), value), base as Json);

  test('what is right is taken', () => {
    expect(findingsOf(withAt(doc, place, right))).toEqual([]);
  });

  const wrong: [string, Json][] = (Object.keys(kinds) as Kind[]).filter((kind) => !also.includes(kind)).map((kind) => [kind, kinds[kind]]);
  if (typeof right === 'string' || typeof right === 'boolean' || typeof right === 'number')
    wrong.push(['what is right, in a list', [right]]);
  test.each(wrong)('%s is a finding that names the field, the rule and a remedy', (_, value) => {
    const findings = findingsOf(withAt(doc, place, value));
    expect(findings).not.toEqual([]);
    const [first] = findings;
    expect(first!.path.startsWith(formatPath(place)) || formatPath(place).startsWith(first!.path)).toBe(true);
    expect(first!.message).toContain(String(place.at(-1)));
    expect(first!.remedy ?? first!.corrected).toBeTruthy();
  });
});
