import { z } from 'zod';
import { alertDocument } from '../../alerts/document.ts';
import { findingCodes } from '../../pipelines/file/finding-codes.ts';
import { chaosResult } from './chaos.ts';
import { devReady, devReset, devStopped, readingLine, serviceKey, serviceReady } from './here.ts';
import { comparison, forecast } from './plan.ts';
import { appliedSchedule, scheduleLine, steeredSchedule } from './schedule.ts';
import { previewed } from './preview.ts';
import { decisionLine, itemLine, runEvent, runLine, runResult, runStatus, runWhy } from './run.ts';

const finding = {
  code: z.enum(Object.keys(findingCodes) as [keyof typeof findingCodes, ...(keyof typeof findingCodes)[]]),
  message: z.string(),
  path: z.string().describe('Place in the document: `steps.rows.with.dataset`.'),
  line: z.int(),
  column: z.int(),
  remedy: z.string().optional(),
  corrected: z.string().optional().describe('The whole line as it was most likely meant.'),
};

/** A line of `portolan validate`. */
const findingLine = z.strictObject({ file: z.string(), ...finding });

/** The last line of any command that fails. */
const errorLine = z.strictObject({
  type: z.literal('error'),
  message: z.string(),
  remedy: z.string().optional(),
  exit: z.int().describe('Exit code.'),
  file: z.string().optional().describe('A pipeline file that cannot run.'),
  findings: z.array(z.strictObject(finding)).optional().describe('What is wrong with it.'),
});

const checkLine = z.strictObject({ check: z.string(), ok: z.boolean(), detail: z.string(), remedy: z.string().optional() });

const stepLine = z.strictObject({
  name: z.string(),
  kind: z.string(),
  summary: z.string(),
  effect: z.string(),
  irreversible: z.boolean(),
  operations: z.array(z.string()),
});

/** `portolan step test`. */
const stepTest = z.strictObject({
  step: z.string(),
  with: z.string().describe('Whose answers: `fake answers`, or the name of the connection.'),
  input: z.json(),
  fate: z.enum(['done', 'failed', 'unknown']),
  output: z.json().optional(),
  error: z
    .strictObject({ type: z.string(), message: z.string(), at: z.array(z.string()).optional(), remedy: z.string().optional() })
    .optional(),
  again: z.array(z.strictObject({ why: z.string(), seconds: z.number() })).describe('Waits, looks and attempts that failed in passing.'),
  listed: z.int().optional().describe('Items that a sweep lists.'),
  items: z
    .array(z.looseObject({ item: z.string(), status: z.string() }))
    .optional()
    .describe('Those that were tried.'),
  results: z.array(z.record(z.string(), z.unknown())).optional(),
  sent: z.array(z.strictObject({ request: z.string(), status: z.int().nullable(), ms: z.int() })),
  missing: z.array(z.string()).describe('Requests that the `fake` of the step has no answer to.'),
});

/** `portolan notify test`. */
const notifiedLine = z.strictObject({
  channel: z.string(),
  kind: z.enum(['webhook', 'command', 'mail']),
  id: z.string().describe('Of the document that was sent.'),
  sent: z.boolean(),
  note: z.string().describe('What the channel answered.'),
});

const garbageLine = z.strictObject({
  run: z.string(),
  path: z.string(),
  bytes: z.int(),
  why: z.string(),
  removed: z.boolean(),
});

const mark = z
  .strictObject({ kind: z.enum(['time', 'number', 'files', 'rows']), value: z.string() })
  .nullable()
  .describe(
    'A time in ISO 8601 with microseconds, a whole number, how many files were seen, or how many rows a mirror has put there; null: everything is read.',
  );

const markLine = z.strictObject({
  pipeline: z.string(),
  step: z.string(),
  connection: z.string(),
  dataset: z.string(),
  source: z.string().describe('Path below the project, address or query; empty for the list of a mirror.'),
  version: z.int().describe('Counts from 1, by one with each setting.'),
  from: mark,
  to: mark,
  at: z.string().describe('ISO 8601.'),
  run: z.string().optional().describe('The run that has read so far, and whose rows are acknowledged.'),
  by: z.string().optional().describe('The person who set it.'),
  rows: z.int().optional().describe('Rows that the run took.'),
  again: z.array(z.string()).optional().describe('Runs that had been taken back, and whose rows the run has read again.'),
  seen: z.string().optional().describe('File beside the mark, of what the next reading leaves out.'),
  readsAgain: z
    .strictObject({ from: mark, undone: z.array(z.string()) })
    .optional()
    .describe('Of the newest setting: the next run reads from before it, for these runs were taken back.'),
});

/** What commands write with `--json`, by the name of its schema in docs/json/. `by`: whose output it is. */
export const documents = {
  run: { by: ['runs'], schema: runLine },
  status: { by: ['status'], schema: runStatus },
  event: { by: ['run', 'rerun', 'watch', 'undo'], schema: runEvent },
  result: { by: ['run', 'rerun', 'watch', 'wait', 'undo'], schema: runResult },
  why: { by: ['why'], schema: runWhy },
  mark: { by: ['watermark'], schema: markLine },
  item: { by: ['items'], schema: itemLine },
  decision: { by: ['approve', 'reject'], schema: decisionLine },
  finding: { by: ['validate'], schema: findingLine },
  check: { by: ['doctor'], schema: checkLine },
  step: { by: ['steps'], schema: stepLine },
  tried: { by: ['step'], schema: stepTest },
  notified: { by: ['notify'], schema: notifiedLine },
  alert: { by: ['notify'], schema: alertDocument },
  garbage: { by: ['gc'], schema: garbageLine },
  report: { by: ['report'], schema: z.strictObject({ run: z.string(), path: z.string() }) },
  page: { by: ['docs'], schema: z.strictObject({ page: z.string() }) },
  plan: { by: ['plan'], schema: forecast },
  comparison: { by: ['plan'], schema: comparison },
  preview: { by: ['preview'], schema: previewed },
  reading: { by: ['doctor'], schema: readingLine },
  dev: { by: ['dev'], schema: devReady },
  stopped: { by: ['dev'], schema: devStopped },
  reset: { by: ['dev'], schema: devReset },
  service: { by: ['service'], schema: serviceReady },
  key: { by: ['service'], schema: serviceKey },
  schedule: { by: ['schedule'], schema: scheduleLine },
  applied: { by: ['schedule'], schema: appliedSchedule },
  steered: { by: ['schedule'], schema: steeredSchedule },
  schedules: { by: ['schedule'], schema: z.strictObject({ path: z.string() }) },
  chaos: { by: ['demo'], schema: chaosResult },
  error: { by: ['every command'], schema: errorLine },
} as const satisfies { readonly [name: string]: { by: readonly string[]; schema: z.ZodType } };

export type DocumentName = keyof typeof documents;

/** A document as the code that writes it has it. */
export type Document<N extends DocumentName> = z.input<(typeof documents)[N]['schema']>;
