import { z } from 'zod';
import { define } from '../../step.ts';
import { long } from '../timeouts.ts';
import { agentTableColumns } from './columns.ts';
import { agentForecast } from './forecast.ts';
import { agentInput } from './input.ts';

/** Items of a chunk: one activity observes so many agents. */
export const agentsInChunk = 100;

/** How the items of the step end, beside `done`: the words of the ledger that `tolerate` takes. */
export const agentEnds = ['failed', 'stopped', 'stalled', 'capped', 'unknown'] as const;

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
  summary:
    'Launch an agent for each row of a table, or each file, at most once; observe all, follow up, and keep what they say, make and cost.',
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
    'instance.workflows.get',
  ],
  timeouts: long,
  window: 100,
  paths: ['items', 'documents'],
  lists: ['documents'],
  goesOn: true,
  tolerates: agentEnds,
  input: agentInput,
  output: z.object({
    items: z.int(),
    done: z.int().describe('Agents that have finished.'),
    statuses: z.record(z.string(), z.int()).describe('Items by each status of the ledger.'),
    costUsd: z.number().describe('What all of them have cost, in US dollars.'),
    results: z.string().describe('A row for each item, as Parquet files: a source for other steps.'),
  }),
  names: agentTableColumns,
  forecast: agentForecast,
  example: {
    items: 'data/notes.csv',
    key: 'id',
    prompt: 'Extract the dates and amounts of this note, as a table: {{text}}',
    followUps: [{ when: { says: 'No dates found' }, prompt: 'Summarise the note in 1 sentence.' }],
    cap: { item: 0.5, total: 20 },
  },
});
