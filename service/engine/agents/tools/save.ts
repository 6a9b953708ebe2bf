import { z } from 'zod';
import { keepArtifact } from '../artifacts.ts';
import { fileArg, textArg, texts, ToolRefused, type Tool } from './tool.ts';

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

const review = z.object({
  name: z.string().min(1),
  files: z
    .array(z.object({ file: z.string().min(1), remarks: z.array(z.object({ page: z.int().min(1), text: z.string().min(1) })) }))
    .min(1),
});

export const save_review: Tool = {
  does: 'Keep a review of drawings as an artifact: for each file its remarks, with the page, from 1, that each is about.',
  parameters: z.toJSONSchema(review) as Tool['parameters'],
  run(args, context) {
    const { data, error } = review.safeParse(args);
    if (!data) throw new ToolRefused(z.prettifyError(error));
    const files = data.files.map(({ file: named, remarks }) => {
      const { id: fileId, name } = fileArg({ file: named }, context);
      return { fileId, name, remarks };
    });
    const { records, agent, messageId } = context;
    return records.transaction(() =>
      keepArtifact(records, agent, { type: 'DRAWING_REVIEW', name: data.name, content: { files }, madeBy: messageId }),
    );
  },
};
