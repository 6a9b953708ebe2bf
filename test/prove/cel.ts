import { isDeepStrictEqual } from 'node:util';
import { createWorld, type World } from '../support/world.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';

/** `value`: the expression's value; `fails`: type of the run's error; `refused`: it does not get as far as a run. */
type Case = { code: string } & ({ value: unknown } | { fails: RegExp } | { refused: RegExp });

const cases: Case[] = [
  { code: 'size(steps.made.value.list)', value: 3 },
  { code: 'steps.made.value.text.size()', value: 5 },
  { code: 'size(steps.made.value.nothing)', fails: /^expression/ },
  { code: 'steps.made.value.list.map(x, x * 2)', value: [2, 4, 6] },
  {
    code: 'steps.made.value.list.map(x, {"n": x, "half": double(x) / 2.0})',
    value: [
      { n: 1, half: 0.5 },
      { n: 2, half: 1 },
      { n: 3, half: 1.5 },
    ],
  },
  { code: 'steps.made.value.list.filter(x, x > 1).map(x, x + 1)', value: [3, 4] },
  { code: 'steps.made.value.text.map(x, x)', fails: /^expression/ },
  { code: 'int("12") + 1', value: 13 },
  { code: 'int(steps.made.value.text)', fails: /^expression/ },
  { code: 'int(steps.made.value.half)', value: 0 },
  { code: 'int("99999999999999999999")', refused: /cannot convert to int/ },
  { code: 'steps.made.value.missing', fails: /^expression/ },
  { code: 'steps.made.value.deep.er.still', fails: /^expression/ },
  { code: 'steps.made.value.?missing.orValue("none")', value: 'none' },
  { code: 'has(steps.made.value.missing)', value: false },
  { code: 'steps.made.value.?missing', refused: /may be nothing[^]*end it with \.orValue/ },
  { code: 'steps.made.value.list[7]', fails: /^expression/ },
  { code: 'steps.made.value.big', value: 9_007_199_254_740_991 },
  { code: 'steps.made.value.big + 1', fails: /^expression-result$/ },
  { code: 'steps.made.value.big * 4096 * 4096', fails: /^expression/ },
  { code: 'string(steps.made.value.big + 1)', value: '9007199254740992' },
  { code: '9007199254740993', refused: /beyond ±2\^53/ },
  { code: '-9223372036854775808', refused: /beyond ±2\^53/ },
  { code: '1 / (size(steps.made.value.list) - 3)', fails: /^expression/ },
  { code: '1.0 / (steps.made.value.half - 0.5)', fails: /^expression/ },
  { code: 'steps.made.value', value: { list: [1, 2, 3], text: 'hello', half: 0.5, big: 9_007_199_254_740_991, deep: {}, nothing: null } },
  { code: 'type(steps.made.value.list)', fails: /^expression/ },
  { code: 'steps.made.value.text.matches("(a+)+$")', refused: /matches\(\) is left out[^]*use contains, startsWith or endsWith/ },
];

const echo = (api: string): string => `import { defineStep, z } from ${JSON.stringify(api)};
export default defineStep({
  name: 'prove.echo',
  input: z.strictObject({ value: z.unknown() }),
  output: z.object({ value: z.unknown() }),
  effect: 'safe',
  run: async ({ value }: { value?: unknown }) => ({ value: value ?? null }),
});
`;

const made = `
  made:
    use: prove.echo
    with: { value: { list: [1, 2, 3], text: hello, half: 0.5, big: 9007199254740991, deep: {}, nothing: null } }`;
const whole = (code: string): string => JSON.stringify(`\${{ ${code} }}`);
const forms: Record<string, (code: string) => string> = {
  output: (code) => `name: cel\nsteps:${made}\noutputs:\n  it: ${whole(code)}\n`,
  'activity input': (code) =>
    `name: cel\nsteps:${made}\n  sent:\n    use: prove.echo\n    with: { value: ${whole(code)} }\noutputs:\n  it: "\${{ steps.sent.value }}"\n`,
};

/** Starts a workflow of a type that no worker has: does its failed task show in the history? */
async function stuckRun({ client, taskQueue }: World): Promise<boolean> {
  const handle = await client.workflow.start('noSuchWorkflow', { workflowId: 'stuck', taskQueue });
  try {
    let nextPageToken: Uint8Array | undefined;
    for (let at = 0; at < 10; at++) {
      const page = await client.withDeadline(Date.now() + 10_000, () =>
        client.workflowService.getWorkflowExecutionHistory({
          namespace: 'default',
          execution: { workflowId: 'stuck' },
          waitNewEvent: true,
          ...(nextPageToken ? { nextPageToken } : {}),
        }),
      );
      if (page.history?.events?.some((event) => event.workflowTaskFailedEventAttributes)) return true;
      nextPageToken = page.nextPageToken ?? undefined;
    }
    return false;
  } finally {
    await handle.terminate();
  }
}

export const proof: Proof = {
  name: 'cel',
  sets: ['short', 'shape'],
  what: 'expressions as outputs and as activity inputs on a real worker: a value or a failed run, never a stuck one',
  async run({ note }) {
    await using bundle = await createBundle();
    await using world = await createWorld({ bundle: bundle.path });
    await world.write('steps/echo.mts', echo(new URL('../../index.ts', import.meta.url).href));
    await world.worker.stop();
    await world.worker.start(0);
    const lines: Line[] = [];
    let failedTasks = 0;
    for (const [form, text] of Object.entries(forms)) {
      const counts = { value: 0, failed: 0, refused: 0 };
      const wrong: string[] = [];
      for (const each of cases) {
        const file = await world.pipeline(text(each.code));
        if ('refused' in each) {
          const { code, err } = await world.portolan(['run', file, '-c', 'local']);
          if (code === 2 && each.refused.test(err)) counts.refused++;
          else wrong.push(`${each.code}: exit ${code} ${err.slice(0, 200)}`);
          continue;
        }
        const run = await world.startFile(file).catch((error: unknown) => String(error));
        if (run.startsWith('Error')) {
          wrong.push(`${each.code}: ${run}`);
          continue;
        }
        // Fails where a stuck workflow task keeps the run from ending.
        const ended = await world.client.withDeadline(Date.now() + 30_000, () => world.ended(run)).catch((error: unknown) => String(error));
        const events = await world.events(run);
        failedTasks += events.filter((event) => event.workflowTaskFailedEventAttributes).length;
        if (typeof ended === 'string') {
          wrong.push(`${each.code}: has not ended (${ended})`);
          await world.portolan(['cancel', run]);
          continue;
        }
        const { state, outputs, error } = ended.view;
        if ('value' in each && state === 'done' && isDeepStrictEqual(outputs?.['it'], each.value)) counts.value++;
        else if ('fails' in each && state === 'failed' && each.fails.test(error?.type ?? '')) counts.failed++;
        else wrong.push(`${each.code}: ${state} ${JSON.stringify(outputs?.['it'])} ${error?.type ?? ''} ${error?.message ?? ''}`);
      }
      note(`${form}: ${JSON.stringify(counts)}`);
      lines.push(
        line(
          `${cases.length} expressions as ${form}`,
          `${counts.value} values, ${counts.failed} failed runs, ${counts.refused} refused before the run${wrong.length > 0 ? `; not as expected: ${wrong.join(' | ')}` : ''}`,
          'all as expected',
          wrong.length === 0,
        ),
      );
    }
    lines.push(line('workflow tasks that failed', failedTasks, '0', failedTasks === 0));
    const stuck = await stuckRun(world);
    lines.push(
      line('control: a run that no worker can go on with', stuck ? 'its failed workflow task is seen' : 'nothing seen', 'seen', stuck),
    );
    return lines;
  },
};
