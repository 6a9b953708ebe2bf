import { z } from 'zod';
import { keepArtifact } from '../artifacts.ts';
import { textArg, texts, ToolRefused, type Tool } from './tool.ts';

const cell = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const table = z.object({
  name: z.string().min(1),
  schema: z.array(z.object({ name: z.string().min(1), type: z.enum(['string', 'number', 'boolean']) })).min(1),
  elements: z.array(z.record(z.string(), cell)),
});

export const save_document: Tool = {
  does: 'Keep a document in Markdown as an artifact; one of the same name gets a further version.',
  parameters: texts('name', 'text'),
  run: (args, { records, agent, messageId }) =>
    records.transaction(() =>
      keepArtifact(records, agent, {
        type: 'MARKDOWN_DOCUMENT',
        name: textArg(args, 'name'),
        content: textArg(args, 'text'),
        madeBy: messageId,
      }),
    ),
};

export const save_table: Tool = {
  does: 'Keep a table as an artifact: `schema` names its columns and their types, `elements` are its rows.',
  parameters: z.toJSONSchema(table) as Tool['parameters'],
  run(args, { records, agent, messageId }) {
    const { data, error } = table.safeParse(args);
    if (!data) throw new ToolRefused(z.prettifyError(error));
    const { name, ...content } = data;
    return records.transaction(() => keepArtifact(records, agent, { type: 'TABLE', name, content, madeBy: messageId }));
  },
};
