import { expect, test } from 'vitest';
import { compile } from '../../pipelines/compile/compile.ts';
import { parse } from '../../pipelines/file/parse.ts';
import { steps } from '../../pipelines/steps/table.ts';

const text = (schedule: string, value = 'plain'): string => `name: daily
connection: local
${schedule}
steps:
  list: { use: api.call, with: { operation: maps.projects.list, input: {} } }
outputs: { value: "${value}" }
`;

const compiled = (schedule: string, value?: string, timed = true) =>
  compile(parse(text(schedule, value)), { steps, baseDir: '/project', timed });

const findings = (
  ...of: Parameters<typeof compiled>
): { code: string; message: string; remedy?: string; corrected?: string; line: number }[] => {
  const result = compiled(...of);
  return 'findings' in result ? result.findings : [];
};

test('a schedule is what the file says with its defaults, and the plan holds its window', () => {
  expect(compiled('schedule: { cron: "15 6 * * 1-5", timezone: Europe/Madrid, window: day }')).toMatchObject({
    schedule: { cron: '15 6 * * 1-5', timezone: 'Europe/Madrid', overlap: 'skip', catchUp: '1h', pauseOnFailure: false, window: 'day' },
    plan: { window: { of: 'day', timezone: 'Europe/Madrid' } },
  });
  const every = compiled('schedule: { every: 1h, offset: 5m, overlap: bufferOne, catchUp: 10s, jitter: 30s }');
  expect(every).toMatchObject({
    schedule: { every: '1h', offset: '5m', timezone: 'UTC', overlap: 'bufferOne', catchUp: '10s', jitter: '30s' },
  });
  expect('plan' in every && every.plan.window).toBeUndefined();
  expect(compiled('description: none')).not.toHaveProperty('schedule');
});

test.each([
  ['schedule: { cron: "61 * * * *" }', "'schedule.cron': the minute 61 is not there: it is from 0 to 59"],
  ['schedule: { cron: "0 6 * * *", every: 1h }', 'give one of cron, every'],
  ['schedule: { timezone: UTC }', 'give one of cron, every'],
  ['schedule: { cron: "0 6 * * *", timezone: Europe/Madird }', "there is no time zone 'Europe/Madird'"],
  ['schedule: { every: 1h, catchUp: 9s }', 'less than 10s cannot be kept to'],
  ['schedule: { every: 1h, offset: 1h }', 'offset goes with every, and is shorter'],
  ['schedule: { cron: "0 6 * * *", offset: 5m }', 'offset goes with every, and is shorter'],
  ['schedule: { every: 1h, jitter: 1h }', 'jitter is shorter than every'],
  ['schedule: { every: 1h, overlap: allowAll, pauseOnFailure: true }', 'with overlap: allowAll no failure pauses the schedule'],
  ['schedule: { every: 1 hour }', 'a duration such as 90s'],
  ['schedule: { every: 1h, overlap: buffer }', "'schedule.overlap'"],
  ['schedule: { every: 1h, window: fortnight }', "'schedule.window'"],
])('%s is a finding in its line', (schedule, why) => {
  expect(findings(schedule)).toEqual([expect.objectContaining({ message: expect.stringContaining(why), line: 3 })]);
});

test('a number without a unit is given none: of hours and seconds nobody knows which were meant', () => {
  for (const line of ['schedule: { every: 26 }', "schedule: { every: '26' }", 'notify: { late: 26, to: [ops] }']) {
    const [finding, ...more] = findings(line);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ remedy: expect.stringContaining('26h for hours'), line: 3 });
    expect(finding).not.toHaveProperty('corrected');
  }
  expect(findings('notify: { late: 26 hours, to: [ops] }')).toMatchObject([{ corrected: 'notify: { late: 26h, to: [ops] }' }]);
});

test.each([
  ['schedule: { every: 60 }', 'write a number with its unit: 60s for seconds, 60m for minutes, 60h for hours, 60d for days'],
  ['schedule: { every: 0s }', 'write 1s or more: 0 is no duration'],
  ['schedule: { every: 0 }', 'write 1s or more: 0 is no duration'],
  ['defaults: { timeout: 0m }', 'write 1s or more: 0 is no duration'],
  ['schedule: { every: text }', 'write for example every: 90s'],
  ['schedule: { every: 1h, window: 1h }', 'write window: hour, day, week or month'],
  ['schedule: { every: 1h, overlap: queue }', 'write overlap: bufferAll, where each run that is due waits; or bufferOne,'],
  ['schedule: { every: 1h, overlap: parallel }', 'write overlap: skip, bufferOne, bufferAll, cancelOther or allowAll'],
])('what %s meant nobody knows: the remedy holds what there is', (line, remedy) => {
  const [finding, ...more] = findings(line);
  expect(more).toEqual([]);
  expect(finding).toMatchObject({ remedy: expect.stringContaining(remedy) });
  expect(finding).not.toHaveProperty('corrected');
});

test('a condition is none of another output: the value is to be compared', () => {
  const ofStep = `name: when
connection: local
steps:
  films: { use: dataset.ensure, with: { slug: films } }
  more: { use: dataset.ensure, when: "\${{ steps.films.rows }}", with: { slug: more } }
`;
  const result = compile(parse(ofStep), { steps, baseDir: '/project', timed: true });
  const [finding] = 'findings' in result ? result.findings : [];
  expect(finding).toMatchObject({
    message: 'steps.films.rows is a number, expected true or false',
    remedy: 'write a condition, such as ${{ steps.films.rows > 0 }}; true or false is steps.films.created',
  });
  expect(finding).not.toHaveProperty('corrected');
});

const daily = 'schedule: { cron: "0 6 * * *", window: day }';
const timeless = 'schedule: { cron: "0 6 * * *" }';

test('what a run says of its time needs a schedule, and a time or a default', () => {
  const from = '${{ run.window.from }}';
  expect(findings(daily, from)).toEqual([]);
  expect(findings(daily, from, false)).toEqual([expect.objectContaining({ code: 'missing-time', line: 3 })]);
  expect(findings(daily, "${{ run.?window.from.orValue('all') }}", false)).toEqual([]);
  expect(findings(timeless, '${{ run.scheduledAt }}')).toEqual([]);
  expect(findings(timeless, from)).toEqual([
    expect.objectContaining({ code: 'no-such-field', remedy: expect.stringContaining('window: day') }),
  ]);
  expect(findings('description: none', '${{ run.scheduledAt }}')).toEqual([expect.objectContaining({ code: 'no-such-field' })]);
  // What is wrong with the schedule is one finding, and not one of what reads it.
  expect(findings('schedule: { cron: "61 * * * *", window: day }', from)).toHaveLength(1);
});

test('a wrong field below run is a finding that names the fields there are, and what was most likely meant', () => {
  const lacks = (name: string): string => `run.window has no field '${name}'; it has from, to`;
  const line = (value: string): string => `outputs: { value: "\${{ ${value} }}" }`;
  for (const [value, message, corrected] of [
    ['run.window.start', lacks('start'), 'run.window.from'],
    ['run.window.until', lacks('until'), 'run.window.to'],
    ['run.window.frm', lacks('frm'), 'run.window.from'],
    ['run.window.day', lacks('day'), undefined],
    ["run.?window.start.orValue('all')", lacks('start'), "run.?window.from.orValue('all')"],
    ['run.windows.from', "run has no field 'windows'; it has id, pipeline, scheduledAt, window", 'run.window.from'],
    ['run.scheduledAt.day', "run.scheduledAt is a text: it has no field 'day'", undefined],
    ['run.window.from.day', "run.window.from is a text: it has no field 'day'", undefined],
  ] as const)
    expect(findings(daily, `\${{ ${value} }}`).map(({ code, message, corrected }) => [code, message, corrected])).toEqual([
      ['no-such-field', message, corrected && line(corrected)],
    ]);
  expect(findings(daily, "${{ run.window['start'] }}")).toEqual([
    expect.objectContaining({ message: lacks('start'), corrected: expect.stringContaining("run.window['from']") }),
  ]);
});
