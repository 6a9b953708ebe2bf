import { turnsOf } from '../../store/loop-steps.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import type { Plan } from '../../pipelines/plan.ts';
import { findRunOrNewest } from '../../runs/newest.ts';
import { planFile } from '../../store/run-record.ts';
import { fates, type RunStore } from '../../store/run-store.ts';
import { didYouMean, suggestion } from '../../text/nearest.ts';
import { UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { withStoredRuns } from '../project/project.ts';
import { writeResultRows } from '../project/results.ts';
import { renderItemCounts, renderItems } from '../render/items.ts';
import { defineVerb } from '../frame/verb.ts';
import { argument } from '../../text/shell.ts';

export const items = defineVerb({
  name: 'items',
  summary: 'The fate of each item of a run, or what the items of a sweep gave.',
  usage: '[RUN]',
  details:
    'Without --status and --step it counts the fates; with one of them it lists the items. --results shows the rows that the items of an own sweep gave.',
  options: {
    status: { type: 'string', value: 'FATE', description: 'Only this fate: failed, rejected, missing, changed, added, present, tagged …' },
    step: { type: 'string', value: 'STEP', description: 'Only items of this step.' },
    results: { type: 'boolean', description: 'The rows that the items gave, instead of their fates.' },
    csv: { type: 'boolean', description: 'With --results: as CSV.' },
    limit: { type: 'string', value: 'N', description: 'At most so many (default 100; with --json and --csv: all).' },
    json: { type: 'boolean', description: 'One JSON object a line.' },
  },
  examples: [
    'portolan items ingest-2026-11-21-a7f3c09b --status rejected',
    'portolan items ingest-2026-11-21-a7f3c09b --step rows --json > rows.jsonl',
  ],
  run(context) {
    const { options, terminal } = context;
    if (options.results && options.status !== undefined)
      throw new UsageError('--status is for the fates of items, and --results shows what they gave', 'leave one of the two out');
    return withStoredRuns(context, async ({ place }) => {
      const limit = options.limit === undefined ? (options.json || options.csv ? undefined : 100) : Number(options.limit);
      if (limit !== undefined && (!Number.isInteger(limit) || limit < 1))
        throw new UsageError(`--limit is a whole number from 1, got '${options.limit}'`);
      const found = await findRunOrNewest(place, context.args[0]);
      const store = createRunStore(found.store);
      if (options.csv && !options.results) throw new UsageError('--csv is for the rows that items gave', 'add --results, or take --json');
      if (options.results) {
        const format = options.csv ? 'csv' : options.json ? 'json' : 'table';
        await writeResultRows(store, { run: found.run, step: options.step, format, limit }, terminal);
        return exit.done;
      }
      const loop = await loopOf(store, options.step);
      const isMeant = (step: string): boolean =>
        options.step === undefined || step === options.step || (loop !== undefined && step.startsWith(turnsOf(loop)));
      const ended = (await store.countItems()).filter(({ step }) => isMeant(step));
      if (options.status !== undefined)
        checkStatus(
          options.status,
          ended.map(({ status }) => status),
        );
      const counts = ended.filter(({ status }) => options.status === undefined || status === options.status);
      if (!options.json && options.status === undefined && options.step === undefined) {
        terminal.out(counts.length === 0 ? `run ${found.run} has no items\n` : renderItemCounts(counts, found.run));
        return exit.done;
      }
      const records = await store.readItems({
        ...(loop !== undefined ? { loop } : options.step && { step: options.step }),
        ...(options.status !== undefined && { status: options.status }),
        ...(limit !== undefined && { limit }),
      });
      if (options.json) for (const record of records) terminal.document('item', record);
      else {
        const total = counts.reduce((sum, { count }) => sum + count, 0);
        terminal.out(records.length === 0 ? none(found.run, loop) : renderItems(records, total));
      }
      return exit.done;
    });
  },
});

const none = (run: string, loop: string | undefined): string =>
  loop === undefined
    ? 'no such items\n'
    : `no such items: ${loop} goes over a list, and has those of the steps in it\nits turns: portolan status ${run}; what they gave, where it names outputs: portolan items ${run} --step ${argument(loop)} --results\n`;

/** Refuses a fate that is neither one of the items in question nor one that items of built-in steps have. */
function checkStatus(status: string, there: readonly string[]): void {
  const own = [...new Set(there)];
  if ([...own, ...fates].includes(status)) return;
  throw new UsageError(
    `no item here is '${status}'${didYouMean(status, [...own, ...fates])}`,
    `the items here are ${own.length > 0 ? own.join(', ') : 'none'}; others may be ${fates.filter((fate) => !own.includes(fate)).join(', ')}`,
  );
}

/**
 * The loop over a list that a step is: its items are those of its turns. Refuses a step that the run does not have; one of a turn is named
 * by its loop too, `review[17].ask`, and is not in the plan.
 */
async function loopOf(store: RunStore, step: string | undefined): Promise<string | undefined> {
  if (step === undefined || step.includes('[')) return undefined;
  const plan = await store.readJson<Plan>(planFile);
  const ids = (plan?.steps ?? []).map(({ id }) => id);
  if (plan && !ids.includes(step)) throw new UsageError(`the run has no step '${step}'${suggestion(step, ids)}`);
  return plan?.steps.some(({ id, kind }) => id === step && kind === 'loop') ? step : undefined;
}
