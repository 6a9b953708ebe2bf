import { z } from 'zod';
import { remedyFor } from '../errors/remedies.ts';
import { happenings } from '../pipelines/notify-rule.ts';
import type { DeliverInput, Within } from '../pipelines/notify.ts';
import { pairs } from '../text/pairs.ts';
import { argument } from '../text/shell.ts';

/** What an alert says: the body of a webhook, the input of a command, the attachment of a mail. No data of the run but its own error. */
export const alertDocument = z.strictObject({
  id: z.string().describe('The same for every attempt to send this alert, and of no other: a receiver that has seen it leaves it out.'),
  on: z.enum([...happenings, 'late', 'test']),
  at: z.iso.datetime().describe('When it happened.'),
  text: z.string().describe('The alert in one line.'),
  pipeline: z.string(),
  run: z.string().optional().describe('The run; of `late` the last one that was done, and none where `schedule` is.'),
  schedule: z.string().optional().describe('Of `late`, the schedule of which no run has been done since it was applied or resumed.'),
  environment: z
    .string()
    .optional()
    .describe('Of `recovered` and `late`, the environment of the runs that are meant, where they have one.'),
  connections: z.record(z.string(), z.string()).optional().describe('Of `recovered` and `late`, their connections, by service.'),
  state: z.enum(['failed', 'approval', 'done', 'late', 'test']),
  step: z.string().optional().describe('The step that failed, or the gate that waits.'),
  error: z.strictObject({ type: z.string(), message: z.string(), remedy: z.string() }).optional(),
  gate: z
    .strictObject({
      who: z.string().optional().describe('Who is meant to decide.'),
      approves: z.array(z.string()).describe('Steps that an approval lets run.'),
      expiresAt: z.iso.datetime().optional(),
    })
    .optional(),
  commands: z
    .record(z.string(), z.string())
    .describe('What to type next, by what it does: `why`, `rerun`, `undo`, `approve`, `reject`, `status`, `runs`, `schedule`.'),
  links: z.record(z.string(), z.string()).describe('`temporal`: the page of the run in the Web UI, where one is known.'),
});

export type AlertDocument = z.output<typeof alertDocument>;

const states = { failed: 'failed', approval: 'approval', recovered: 'done', late: 'late' } as const;

/** The document of an occasion, the same at every attempt. `page`: of its workflow in the Web UI. */
export function documentOf({ run, occasion }: Pick<DeliverInput, 'run' | 'occasion'>, page: string | undefined): AlertDocument {
  const { id, on, at, step, error, gate, schedule, within } = occasion;
  return {
    id,
    on,
    at,
    text: textOf(run, occasion),
    pipeline: run.pipeline,
    ...(schedule ? { schedule: schedule.name } : { run: run.id }),
    ...within,
    state: states[on],
    ...(step === undefined ? {} : { step }),
    ...(error ? { error: { type: error.type, message: error.message, remedy: remedyFor(error) } } : {}),
    ...(gate
      ? {
          gate: {
            ...(gate.who === undefined ? {} : { who: gate.who }),
            approves: gate.approves.map(({ step: approved }) => approved),
            ...(gate.expiresAt === undefined ? {} : { expiresAt: gate.expiresAt }),
          },
        }
      : {}),
    commands: commandsOf(run.id, occasion),
    links: page === undefined ? {} : { temporal: page },
  };
}

function textOf(
  { id, pipeline }: DeliverInput['run'],
  { on, step, error, gate, undoes, schedule, within }: DeliverInput['occasion'],
): string {
  const at = step === undefined ? '' : ` in ${step}`;
  if (on === 'failed')
    return `${undoes === undefined ? '' : 'the undo of '}${pipeline} failed${at}: ${error?.message ?? 'no reason is known'} (${id})`;
  if (on === 'approval') return `${pipeline} waits${gate?.who === undefined ? '' : ` for ${gate.who}`} at ${step} (${id})`;
  if (on === 'recovered') return `${pipeline} is done again${whichOf(within)} (${id})`;
  if (schedule) return `${pipeline} is late${whichOf(within)}: no run of schedule ${schedule.name} has been done since ${schedule.since}`;
  return `${pipeline} is late${whichOf(within)}: no run has been done since ${id}`;
}

/** Of the runs of a pipeline those in one environment and by the same connections. */
function whichOf(within: Within | undefined): string {
  const by = pairs(within?.connections ?? {});
  return `${within?.environment === undefined ? '' : ` in ${within.environment}`}${by.length === 0 ? '' : ` by ${by.join(', ')}`}`;
}

function commandsOf(run: string, { on, step, undoes, schedule }: DeliverInput['occasion']): AlertDocument['commands'] {
  if (schedule) return { schedule: `portolan schedule show ${argument(schedule.name)}` };
  const at = step === undefined ? '' : ` ${argument(step)}`;
  if (on === 'failed')
    return {
      why: `portolan why ${run}${at}`,
      ...(undoes === undefined ? { rerun: `portolan rerun ${run}` } : { undo: `portolan undo ${undoes}` }),
    };
  if (on === 'approval')
    return { status: `portolan status ${run}`, approve: `portolan approve ${run}${at}`, reject: `portolan reject ${run}${at}` };
  return on === 'late' ? { runs: 'portolan runs' } : { status: `portolan status ${run}` };
}

/** What `portolan notify test` sends. `id` differs each time. */
export const testDocument = (id: string, at: string): AlertDocument => ({
  id,
  on: 'test',
  at,
  text: 'portolan: a test of this channel, nothing has happened',
  pipeline: 'test',
  run: id,
  state: 'test',
  commands: {},
  links: {},
});
