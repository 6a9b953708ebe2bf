import { z } from 'zod';
import { difference } from '../../pipelines/budgets/difference.ts';
import { runLine, undoneStep } from './run.ts';

const because = z.string().optional().describe('Why nobody knows more, or what could make it more.');
const interval = z.tuple([z.int(), z.int().nullable()]).describe('At least and at most; null: nothing bounds it before the run.');
const calls = { operation: z.string(), min: z.int(), max: z.int().nullable(), because };
const act = {
  step: z.string(),
  kind: z.string().describe('What is done, in a word or two.'),
  most: z.int().nullable().describe('How often at most; null: nobody knows before the run.'),
  because,
  says: z.string(),
  perhaps: z.literal(true).optional().describe('The data decides whether it happens.'),
  gate: z.string().optional().describe('Step in which a person approves it.'),
  unapproved: z.literal(true).optional().describe('The step fails before it does it, unless the run is started with `--accept STEP`.'),
};

/** `portolan plan`. */
export const forecast = z.strictObject({
  pipeline: z.string(),
  hash: z.string().describe('Of the plan.'),
  steps: z.array(
    z.strictObject({
      id: z.string(),
      use: z.string(),
      does: z.string(),
      calls: z.array(z.strictObject(calls)),
      writing: interval,
      reads: interval,
      limits: z
        .array(z.strictObject({ limit: z.string(), calls: interval, floorSeconds: z.number() }))
        .describe('Limits that the calls count against; `floorSeconds`: 0 where none is published.'),
      seconds: z.number().optional().describe('Of the work itself, estimated: of all that may have to be done. No bound.'),
      cost: z
        .strictObject({ min: z.number(), max: z.number().nullable(), because: z.string() })
        .optional()
        .describe('What the service charges, in US dollars; `max` null: nothing bounds it.'),
      charged: z.array(z.string()).optional().describe('What the service charges by.'),
      differences: z.array(difference).optional().describe('What differs, of a step that compares: each is one call.'),
      problems: z
        .array(z.string())
        .optional()
        .describe(
          'Why the step will fail, a line each: `plan` ends with 2 and a run is refused. Of the pipeline that it runs each begins with its step.',
        ),
      doubts: z
        .array(z.string())
        .optional()
        .describe('Why it would fail as things are now, where steps before it, or a person, may change that before its turn.'),
      absent: z
        .array(
          z.strictObject({
            step: z.string().describe('This one, or `STEP.ID` of the pipeline that it runs.'),
            files: z.int().describe('Files that the rows of its table name.'),
            missing: z.int(),
            first: z.array(z.strictObject({ row: z.int().describe('From 1.'), file: z.string(), because: z.string() })),
          }),
        )
        .optional()
        .describe('Files that a table names and that are not there: each fails its item.'),
    }),
  ),
  totals: z.strictObject({
    writing: z.union([z.int(), interval]).describe('Calls that change something; one number where it is exact.'),
    reads: interval,
    floorSeconds: z.number().describe('Shortest time that the published limits allow, by the fewest calls: a bound.'),
    estimateSeconds: z.number().describe('Longest chain of steps by their estimates: no bound.'),
  }),
  irreversible: z.array(z.strictObject(act)).describe('What cannot be taken back.'),
  notHeld: z
    .array(z.string())
    .optional()
    .describe('Datasets, each with its connection, that the run makes or writes and does not hold: `concurrency` holds another one.'),
  own: z.array(z.string()).describe('Own steps that do not say what they do outside of the APIs.'),
  undo: z
    .strictObject({
      steps: z.array(undoneStep),
      none: z.array(z.string()).describe('Steps of which the file says that there is no way back.'),
      stays: z
        .array(z.strictObject({ step: z.string(), why: z.string() }))
        .describe('Other steps that it leaves as they are: of their undo the file says nothing.'),
      onFailure: z.literal(true).optional().describe('By itself where the run fails.'),
    })
    .optional()
    .describe('How its steps are taken back.'),
  missing: z
    .array(z.strictObject({ step: z.string(), says: z.string(), remedy: z.string() }))
    .describe('What steps need and this host lacks: packages, secrets. `plan` ends with 2 and a run is refused.'),
  notAsked: z
    .array(z.strictObject({ service: z.string(), connection: z.string(), says: z.string(), remedy: z.string() }))
    .describe(
      'Services that were to be asked and refused, or could not be reached: what only they know is unknown. None with `--offline`.',
    ),
  connections: z.record(z.string(), z.string()).describe('Connection by service.'),
  plan: z.looseObject({ pipeline: z.string() }).describe('The compiled plan, as `plan.json` of the run store holds it.'),
});

const held = z.enum(['within', 'more', 'fewer']).describe('Against the plan; `fewer` only of a step that is done.');

/** `portolan plan --compare RUN`. */
export const comparison = z.strictObject({
  run: z.string(),
  state: runLine.shape.state.exclude(['forgotten']),
  steps: z.array(
    z.strictObject({
      id: z.string(),
      use: z.string(),
      status: z.string(),
      reusedFrom: z.string().optional(),
      runs: z.literal(true).optional().describe('It is a run of its own, or each of its turns is: nothing of it is compared here.'),
      turns: z
        .strictObject({ of: z.string(), done: z.int(), failed: z.int(), items: z.int().optional() })
        .optional()
        .describe('Of the loop around it, whose `status` it has; `calls` are those of all its turns.'),
      calls: z.array(z.strictObject({ ...calls, sent: z.int(), is: held })),
    }),
  ),
  acts: z.array(z.strictObject({ ...act, done: z.int(), is: held })).describe('What cannot be taken back.'),
  outside: z.int().describe('Operations and acts of which there was another number than the plan allows.'),
});
