import { z } from 'zod';
import { remedies } from '../../../contracts/remedies.ts';
import { exportFormats } from '../../../contracts/instance/agent-shapes.ts';
import { source } from '../source.ts';
import { followUp } from './follow-ups.ts';

const column = z.string().min(1);

const usd = z.number().min(0).max(1_000_000);
remedies.add(usd, { remedy: 'write an amount in US dollars, as 0.5', of: (value) => typeof value === 'number' });

const cap = z
  .strictObject({
    item: usd.describe('Most that an agent may cost, in US dollars: it is stopped where its usage comes to it.'),
    total: usd.optional().describe('Most that all may cost: no agent is launched that could go beyond it.'),
    run: usd.optional().describe('The same of all steps of the run that name it, turns of loops among them.'),
  })
  .superRefine(({ item, ...of }, context) => {
    for (const [name, most = item] of Object.entries(of))
      // A cap of 0 is a way to say that nothing is to be launched.
      if (most > 0 && most < item)
        context.addIssue({
          code: 'custom',
          path: [name],
          message: 'is less than cap.item: it leaves no room for one agent',
          params: { remedy: `raise ${name}, or lower item` },
        });
  });
remedies.add(cap, {
  remedy: 'write cap: { item: 0.5, total: 20 }: item is what one agent may cost, total what all of them may',
  of: (value) => typeof value !== 'object',
});

/** What `agent.run` is given. */
export const agentInput = z
  .strictObject({
    items: source.optional().describe('A table: an agent for each of its rows.'),
    documents: z
      .string()
      .min(1)
      .optional()
      .describe(
        'In place of a table, a path or glob such as `inbox/**/*.pdf`: an agent for each file, which it may read. The row has the columns name, path, bytes and modified.',
      ),
    key: column.optional().describe('Column that names each row, by values that differ. @default its place, from 0'),
    prompt: z.string().min(1).max(100_000).optional().describe('What the agent is to do; `{{COLUMN}}` stands for the value of the row.'),
    files: z
      .array(column)
      .max(20)
      .default([])
      .describe('Columns that hold the path of a file which the agent may read, from the folder of the pipeline’s file.'),
    workflow: z.guid().optional().describe('A workflow, by its id, in place of a prompt alone.'),
    version: z.guid().optional().describe('Version of the workflow. @default the one that is released when the step begins'),
    inputs: z
      .record(z.string().min(1), column)
      .default({})
      .describe('Slots of the workflow, and for each the column that holds the path of its file, from the folder of the pipeline’s file.'),
    project: z.guid().optional(),
    model: z.string().min(1).optional(),
    mode: z.string().min(1).optional(),
    codeSearch: z.boolean().default(false),
    // Without a default: what a step was given before this field came stays the same.
    webSearch: z
      .boolean()
      .optional()
      .describe('Agents may search the web, where their service reaches it; the local one says in their conversation where it does not.'),
    followUps: z.array(followUp).max(20).default([]).describe('Further prompts, by how a turn has ended and what its last word says.'),
    turns: z.int().min(1).max(50).default(3).describe('Most prompts of an agent, the first one among them.'),
    stallSeconds: z
      .int()
      .min(1)
      .max(7 * 86_400)
      .default(3_600)
      .describe(
        'An agent that shows no change for so long is stopped: `stalled`. An item whose file the service has not taken in for so long has failed.',
      ),
    everySeconds: z.number().min(0.25).max(3_600).default(15).describe('Longest time between two looks at the agents.'),
    cap: cap.optional(),
    exports: z
      .array(z.enum(exportFormats))
      .default(['csv'])
      .describe('As what tables (csv, xlsx) and reviews of drawings (drawing_review_pdf) are kept, beside their content.'),
  })
  .refine(({ prompt, workflow }) => prompt !== undefined || workflow !== undefined, {
    message: 'says neither prompt nor workflow',
    params: { about: 'fields', remedy: 'add prompt: "…"' },
    path: ['prompt'],
  })
  .refine(({ items, documents }) => (items === undefined) !== (documents === undefined), {
    message: 'takes either items or documents',
    params: { about: 'fields', remedy: 'write items: TABLE for a row each, or documents: GLOB for a file each' },
    path: ['items'],
  })
  .refine(({ documents, key }) => documents === undefined || key === undefined, {
    message: 'is for a table: documents are named by their files',
    params: { about: 'fields', remedy: 'leave key out' },
    path: ['key'],
  })
  .refine(({ workflow, files }) => workflow === undefined || files.length === 0, {
    message: 'a workflow takes its files by its slots',
    params: { about: 'fields', remedy: 'write inputs: { SLOT: COLUMN }' },
    path: ['files'],
  });

export type AgentInput = z.output<typeof agentInput>;
