import { z } from 'zod';
import { counted } from '../../../text/units.ts';
import { define, type PlannedCalls } from '../../step.ts';
import { source } from '../source.ts';
import { long } from '../timeouts.ts';
import { followUp } from './follow-ups.ts';

/** Items of a chunk: one activity observes so many agents. */
export const agentsInChunk = 100;

/** How the items of the step end, beside `done`: the words of the ledger that `tolerate` takes. */
export const agentEnds = ['failed', 'stopped', 'stalled', 'capped', 'unknown'] as const;

const column = z.string().min(1);

const usd = z.number().min(0).max(1_000_000);

/** What a result table has of each item, as DuckDB types. */
export const agentColumns = {
  item: 'VARCHAR',
  agent: 'VARCHAR',
  status: 'VARCHAR',
  turns: 'BIGINT',
  text: 'VARCHAR',
  cost_usd: 'DOUBLE',
  input_tokens: 'BIGINT',
  output_tokens: 'BIGINT',
  artifacts: 'BIGINT',
  folder: 'VARCHAR',
} as const;

export const definition = define({
  name: 'agent.run',
  summary: 'Launch an agent for each row of a table, at most once; observe all, follow up, and keep what they say, make and cost.',
  kind: 'sweep',
  effect: 'reconcile',
  operations: [
    'instance.agents.launch',
    'instance.agents.followup',
    'instance.agents.list',
    'instance.agents.get',
    'instance.agents.stop',
    'instance.agents.conversation',
    'instance.agents.usage',
    'instance.agents.artifact',
    'instance.agents.export',
    'instance.files.tempFolder',
    'instance.files.upload',
    'instance.files.status',
  ],
  timeouts: long,
  window: 100,
  paths: ['items'],
  tolerates: agentEnds,
  input: z
    .strictObject({
      items: source.describe('A table: an agent for each of its rows.'),
      key: column.optional().describe('Column that names each row, by values that differ. @default its place, from 0'),
      prompt: z.string().min(1).max(100_000).optional().describe('What the agent is to do; `{{COLUMN}}` stands for the value of the row.'),
      files: z.array(column).max(20).default([]).describe('Columns that hold the path of a file which the agent may read.'),
      workflow: z.guid().optional().describe('A workflow, by its id, in place of a prompt alone.'),
      version: z.guid().optional().describe('Version of the workflow. @default the released one'),
      inputs: z
        .record(z.string().min(1), column)
        .default({})
        .describe('Slots of the workflow, and for each the column that holds the path of its file.'),
      project: z.guid().optional(),
      model: z.string().min(1).optional(),
      mode: z.string().min(1).optional(),
      codeSearch: z.boolean().default(false),
      followUps: z.array(followUp).max(20).default([]).describe('Further prompts, by how a turn has ended and what its last word says.'),
      turns: z.int().min(1).max(50).default(3).describe('Most prompts of an agent, the first one among them.'),
      stallSeconds: z
        .int()
        .min(1)
        .max(7 * 86_400)
        .default(3_600)
        .describe('An agent that shows no change for so long is stopped: `stalled`.'),
      everySeconds: z.number().min(0.25).max(3_600).default(15).describe('Longest time between two looks at the agents.'),
      cap: z
        .strictObject({
          item: usd.describe('Most that an agent may cost, in US dollars: it is stopped where its usage comes to it.'),
          total: usd.optional().describe('Most that all may cost: no agent is launched that could go beyond it.'),
        })
        .optional(),
      exports: z
        .array(z.enum(['csv', 'xlsx']))
        .default(['csv'])
        .describe('As what tables are kept, beside their content.'),
    })
    .refine(({ prompt, workflow }) => prompt !== undefined || workflow !== undefined, {
      message: 'says neither prompt nor workflow',
      params: { about: 'fields', remedy: 'add prompt: "…"' },
      path: ['prompt'],
    })
    .refine(({ workflow, files }) => workflow === undefined || files.length === 0, {
      message: 'a workflow takes its files by its slots',
      params: { about: 'fields', remedy: 'write inputs: { SLOT: COLUMN }' },
      path: ['files'],
    }),
  output: z.object({
    items: z.int(),
    done: z.int().describe('Agents that have finished.'),
    statuses: z.record(z.string(), z.int()).describe('Items by each status of the ledger.'),
    costUsd: z.number().describe('What all of them have cost, in US dollars.'),
    results: z.string().describe('A row for each item, as Parquet files: a source for other steps.'),
  }),
  forecast: (input, { table }) => {
    const items = table?.rows;
    const most = input?.cap?.total ?? (items === undefined || input?.cap?.item === undefined ? undefined : items * input.cap.item);
    const cost = most === undefined ? 'with no cap on what they cost' : `for 0 to ${most.toFixed(2)} US dollars`;
    const each = (operation: PlannedCalls['operation'], times = 1): PlannedCalls =>
      items === undefined
        ? { operation, min: 0, max: null, because: 'nobody has counted the rows' }
        : { operation, min: 0, max: items * times };
    const unknown = (operation: PlannedCalls['operation']): PlannedCalls => ({
      operation,
      min: 0,
      max: null,
      because: 'how long agents take, and what they make, is known in the run alone',
    });
    return {
      does: `launch ${items === undefined ? 'an agent for each row' : counted(items, 'agent')}, each at most once, ${cost}`,
      calls: [
        each('instance.agents.launch'),
        each('instance.agents.followup', Math.max(0, ((input?.followUps?.length ?? 0) > 0 ? (input?.turns ?? 3) : 1) - 1)),
        each('instance.agents.artifact', 50),
        unknown('instance.agents.list'),
        unknown('instance.agents.get'),
        unknown('instance.agents.stop'),
        unknown('instance.agents.conversation'),
        unknown('instance.agents.usage'),
        unknown('instance.agents.export'),
        unknown('instance.files.tempFolder'),
        unknown('instance.files.upload'),
        unknown('instance.files.status'),
      ],
      seconds: 5,
      items: items ?? null,
    };
  },
  example: {
    items: 'data/notes.csv',
    key: 'id',
    prompt: 'Extract the dates and amounts of this note, as a table: {{text}}',
    followUps: [{ when: { says: 'No dates found' }, prompt: 'Summarise the note in 1 sentence.' }],
    cap: { item: 0.5, total: 20 },
  },
});

export type AgentInput = z.output<typeof definition.input>;
