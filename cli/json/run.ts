import { z } from 'zod';
import { endStatuses } from '../../pipelines/plan.ts';

/** Words that every document about a run has in common. */
const at = z.string().describe('ISO 8601.');
const runId = z.string().describe('Id of the run.');
const state = z
  .enum(['running', 'queued', 'paused', 'approval', 'done', 'failed', 'cancelled', 'refused'])
  .describe('State of a run; `refused`: another run held its key, and nothing of it was done.');
const connections = z.record(z.string(), z.string()).describe('Connection by service.');
const origin = z
  .union([
    z.strictObject({ command: z.string(), undoes: runId.optional(), ofSchedule: z.string().optional() }),
    z.strictObject({ schedule: z.string(), at }),
    z.strictObject({ run: runId, step: z.string() }),
    z.strictObject({ undoes: runId }),
  ])
  .describe(
    'What started it: a command, a schedule at a time of its plan, a step of another run, or the failure of one; `undoes`: the run that it takes back; `ofSchedule`: the schedule whose run it continues.',
  );
const undone = z
  .strictObject({ run: runId, state })
  .optional()
  .describe('The last run that takes this one back, and how far it is: `portolan undo`.');
/** When a run is due, and what it is for. */
export const runTime = z.strictObject({
  scheduledAt: at,
  window: z.strictObject({ from: at, to: at }).optional().describe('The time that the run is for: from `from`, and before `to`.'),
});
const counts = z.record(z.string(), z.int()).describe('Items of this run by fate; `done` in all, `bytes` sent.');
const endStatus = z.enum(endStatuses);
const status = z.enum(['waiting', 'running', 'approval', ...endStatuses]).describe('Status of a step.');
const links = z
  .strictObject({ temporal: z.string().optional(), report: z.string().optional() })
  .describe('Page of the Web UI, or how to find it; path of the report.');
const runError = z
  .strictObject({ step: z.string().optional(), type: z.string(), message: z.string(), details: z.looseObject({}).optional() })
  .describe('Why it failed: step, class, message, and what else is known.');
const progress = z.strictObject({
  done: z.number(),
  total: z.number().optional(),
  unit: z.string(),
  note: z.string().optional(),
  bytes: z.number().optional(),
});
const who = { who: z.string(), note: z.string().optional() };
const pausedWith = runId.optional().describe('The run above that was paused, and the run of its step with it.');

const approves = z.array(z.strictObject({ step: z.string(), use: z.string(), acts: z.array(z.string()) }));

const step = z.strictObject({
  id: z.string().describe('Of a step in a loop its path, such as `review[17].ask`; it is there while its turn is under way.'),
  turn: z.strictObject({ of: z.string(), index: z.int() }).optional(),
  reactsTo: z.string().optional().describe('The step about whose failure it is done.'),
  use: z.string(),
  kind: z.string(),
  status,
  needs: z.array(z.string()),
  startedAt: at.optional(),
  endedAt: at.optional(),
  progress: progress.optional(),
  chunks: z.strictObject({ total: z.int(), acknowledged: z.int(), open: z.array(z.int()) }).optional(),
  loop: z
    .strictObject({
      items: z.int().optional(),
      done: z.int(),
      failed: z.int(),
      failures: z.array(z.strictObject({ index: z.int(), error: runError })),
    })
    .optional()
    .describe('Of a loop: its turns, and why the first that failed did.'),
  counts: counts.optional(),
  costUsd: z.number().optional().describe('What its items have cost so far, in dollars.'),
  output: z.json().optional(),
  asks: z
    .strictObject({
      who: z.string().optional(),
      show: z.json().optional(),
      approves,
      expiresAt: at.optional(),
    })
    .optional()
    .describe('Of a gate: who decides, what is shown, and what an approval lets happen.'),
  decision: z.strictObject({ step: z.string(), approve: z.boolean(), who: z.string(), note: z.string(), at }).optional(),
  child: z
    .strictObject({ run: runId, state, asks: z.array(z.string()) })
    .optional()
    .describe('Of a pipeline: its run, how that stands, and its steps that wait for a person.'),
  skipped: z
    .discriminatedUnion('because', [
      z.strictObject({ because: z.literal('when') }),
      z.strictObject({ because: z.literal('needs'), step: z.string(), status: endStatus }),
      z.strictObject({ because: z.literal('failure') }),
    ])
    .optional()
    .describe('Of a skipped step: its `when` gave false, a need ended otherwise than it accepts, or another step had failed.'),
  error: runError.optional(),
  retries: z
    .strictObject({ now: z.int(), of: z.int(), at: at.optional(), error: runError })
    .optional()
    .describe('Of a step that its file lets try again: the try under way, or waited for until `at`, and why the last one failed.'),
  inputHash: z.string().optional(),
  reusedFrom: z.string().optional().describe('Run that did the work: this one counts nothing of it.'),
});

/** A line of `portolan runs`. */
export const runLine = z.strictObject({
  run: runId,
  pipeline: z.string(),
  state: z.enum([...state.options, 'forgotten']).describe('State of a run; `forgotten`: only its folder is left.'),
  asks: z
    .array(z.strictObject({ step: z.string(), approves }))
    .optional()
    .describe('Steps that wait for a person, and what an approval lets happen.'),
  startedAt: at,
  endedAt: at.optional(),
  startedBy: z.string(),
  origin: origin.optional(),
  time: runTime.optional(),
  connections,
  damaged: z.string().optional().describe('Of a forgotten run: which file keeps it from saying how it ended, and why.'),
  undone,
});

/** `portolan status`. */
export const runStatus = z.strictObject({
  run: runId,
  pipeline: z.string(),
  state,
  startedAt: at,
  endedAt: at.optional(),
  startedBy: z.string(),
  connections,
  steps: z.array(step).describe('Empty where no worker answers.'),
  outputs: z.record(z.string(), z.json()).optional(),
  error: runError.optional(),
  displaced: z
    .strictObject({ key: z.string(), run: runId, who: z.string() })
    .optional()
    .describe('Of a cancelled run: the newer run of its key that it was cancelled for.'),
  undoes: runId.optional().describe('The run that this one takes back.'),
  undo: z
    .strictObject({ run: runId, state, asks: z.array(z.string()), error: runError.optional() })
    .optional()
    .describe('Of a failed run whose file says `onFailure: undo`: the run that takes it back, and how that stands.'),
  undone,
  queued: z
    .strictObject({
      key: z.string(),
      since: at,
      holder: z.strictObject({ run: runId, workflowId: z.string(), firstRunId: z.string(), who: z.string(), since: at }).optional(),
    })
    .optional()
    .describe('The key that the run waits for, or waited for when it ended, and the run that holds it.'),
  paused: z.strictObject({ ...who, with: pausedWith, at }).optional(),
  pauses: z.array(z.strictObject({ ...who, with: pausedWith, from: at, to: at.optional() })).optional(),
  progress: z
    .record(z.string(), z.looseObject({ done: z.number(), unit: z.string() }))
    .describe('Rate and time left of the steps under way.'),
  limiting: z.array(z.string()).describe('What limits the run now, most important first.'),
  waits: z.array(z.strictObject({ cause: z.string(), calls: z.int(), ms: z.number(), wallMs: z.number() })),
  alerts: z
    .array(
      z.strictObject({
        on: z.string().describe('What it is about: `failed`, `approval`, `recovered`, `late`.'),
        step: z.string().optional(),
        channel: z.string(),
        is: z.enum(['sent', 'failed', 'unknown', 'trying']),
        note: z.string().optional().describe('What the channel said.'),
        at: at.optional(),
      }),
    )
    .describe('What became of the alerts of the run, for each channel.'),
  pending: z.array(z.looseObject({ id: z.string(), step: z.string(), attempt: z.int(), waiting: z.boolean() })),
  source: z.enum(['worker', 'result', 'server', 'unreachable', 'store']).describe('Where it comes from.'),
  workflowId: z.string(),
  runId: z.string().describe('Execution of the workflow.'),
  store: z.string().describe('Folder of the run, as a file: URI.'),
  historyEvents: z.int(),
  links,
});

/** The last line of `run`, `rerun` and `watch`, and the line of `wait`. */
export const runResult = z.strictObject({
  type: z.literal('result'),
  run: runId,
  state,
  outputs: z.record(z.string(), z.json()).optional(),
  error: runError.optional(),
  undone,
  workflowId: z.string(),
  links,
  journal: z.looseObject({}).optional().describe('What the local service itself recorded, with its control plane on.'),
});

/** A step that is taken back. */
export const undoneStep = z.strictObject({
  step: z.string(),
  by: z.string().describe('The step that takes it back.'),
  use: z.string(),
  does: z.string(),
  acts: z.array(z.string()).describe('What of that cannot be taken back in turn.'),
  unapproved: z.array(z.string()).describe('Steps of it that need `--accept` for that.'),
});

/** The lines before it. */
export const runEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('started'), at, run: runId, pipeline: z.string(), workflowId: z.string(), connections }),
  z.strictObject({
    type: z.literal('step'),
    at,
    step: z.string(),
    use: z.string(),
    status,
    detail: z.string(),
    ms: z.number().optional(),
    counts: counts.optional(),
  }),
  z.strictObject({
    type: z.literal('progress'),
    at,
    step: z.string(),
    done: z.number(),
    total: z.number().optional(),
    unit: z.string(),
    perSecond: z.number().optional(),
    detail: z.string(),
  }),
  z.strictObject({ type: z.literal('now'), at, limiting: z.array(z.string()) }),
  z.strictObject({ type: z.literal('state'), at, state }),
  z.strictObject({
    type: z.literal('reuse'),
    of: runId,
    continuedBy: z.array(runId).optional().describe('Runs that went on from that one before, newest first: what they did counts too.'),
    steps: z.array(z.strictObject({ step: z.string(), reused: z.boolean(), why: z.string(), unless: z.array(z.string()).optional() })),
  }),
  z.strictObject({
    type: z.literal('undo'),
    of: runId,
    steps: z.array(undoneStep),
    stays: z.array(z.strictObject({ step: z.string(), why: z.string() })).describe('What the run has done and is not taken back.'),
    stands: z
      .array(z.strictObject({ run: runId, state, steps: z.array(z.string()) }))
      .describe('Later runs that took over results of these steps and stand on them: each is taken back first, or accepted.'),
  }),
  z.strictObject({
    type: z.literal('run'),
    line: z.int(),
    run: runId.optional(),
    state,
    reason: z.string().optional(),
    error: runError.optional(),
  }),
]);

/** `portolan why`. */
export const runWhy = z.strictObject({
  run: runId,
  state,
  headline: z.string(),
  step: z.string().optional(),
  type: z.string().optional().describe('Class of the failure.'),
  lines: z.array(z.strictObject({ label: z.enum(['because', 'at', 'tries', 'first', 'request', 'remedy', 'now']), text: z.string() })),
});

/** A line of `portolan items`. */
export const itemLine = z.strictObject({
  step: z.string(),
  item: z.string(),
  status: z.string().describe('Its fate: docs/run-store.md.'),
  reason: z.string().nullable(),
  attempts: z.int(),
  request_id: z.string().nullable(),
});

/** `portolan approve` and `reject`. */
export const decisionLine = z.strictObject({ run: runId, step: z.string(), approve: z.boolean(), who: z.string(), note: z.string() });
