import type { StepTest } from '../project/test-step.ts';
import { renderItems } from './items.ts';
import type { Paint } from './paint.ts';
import { plain } from '../../text/controls.ts';
import { table } from './table.ts';

/** What `step test` shows: input, what was sent, what was waited for, the fate, and the remedy. */
export function renderStepTest(test: StepTest, paint: Paint): string {
  const { step, with: by, input, sent, again, items, listed, results, output, error, missing, fate } = test;
  const mark = { done: paint.green('✓'), failed: paint.red('✗'), unknown: paint.yellow('?') }[fate];
  const requests = sent.map(({ request, status, ms }) => ['  sent', request, status === null ? 'no answer' : String(status), `${ms} ms`]);
  const lines = [
    `${paint.bold(step)}  with ${by}  ${plain(JSON.stringify(input))}\n`,
    ...(requests.length === 0 ? [] : [table(requests)]),
    ...repeated(again).map(({ why, seconds, times }) => `  again in ${seconds} s: ${plain(why)}${times > 1 ? `, ${times} times` : ''}\n`),
    ...(items === undefined
      ? []
      : [
          renderItems(
            items.map((item) => ({ step: item.item === '' ? '' : ' ', ...item })),
            listed ?? items.length,
          ),
        ]),
    ...(results ?? []).map((row) => `  result ${plain(JSON.stringify(row))}\n`),
    ...missing.map((name) => `  ${paint.yellow('no answer')}  fake: { '${plain(name)}': { body: … } } is missing in the step\n`),
    `${mark} ${fate}${output === undefined ? '' : `  ${plain(JSON.stringify(output))}`}\n`,
    ...(error === undefined ? [] : [`  because  ${plain(error.message)} (${error.type})\n`]),
    ...(error?.at?.length ? [`  at       ${error.at.join(', from ')}\n`] : []),
    ...(error?.remedy === undefined ? [] : [`  remedy   ${error.remedy}\n`]),
  ];
  return lines.join('');
}

type Again = StepTest['again'][number];

/** What came several times in a row, once. */
function repeated(again: readonly Again[]): (Again & { times: number })[] {
  const runs: (Again & { times: number })[] = [];
  for (const each of again) {
    const last = runs.at(-1);
    if (last?.why === each.why) last.times++;
    else runs.push({ ...each, times: 1 });
  }
  return runs;
}
