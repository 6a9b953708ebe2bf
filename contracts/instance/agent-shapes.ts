import { z } from 'zod';

/** Agent status values (instance text, States and transitions). An answer may hold another one. */
export const statuses = ['waiting', 'running', 'awaiting_tool', 'finished', 'stopped', 'failed'] as const;
export type AgentStatus = (typeof statuses)[number];

/** Statuses that end by a follow-up alone. */
export const endStatuses = ['finished', 'stopped', 'failed'] as const;

export const hasEnded = ({ status }: { status: string }): boolean => endStatuses.some((end) => end === status);

/** What an artifact may be exported as, and of which type it is: `drawing_review_pdf` is an annotated Drawing Review PDF. */
export const exportedFrom = { csv: 'TABLE', xlsx: 'TABLE', drawing_review_pdf: 'DRAWING_REVIEW' } as const;
export type ExportFormat = keyof typeof exportedFrom;
export const exportFormats = Object.keys(exportedFrom) as ExportFormat[];

/** Images stand in the request itself. The text shows `image/jpeg`; the others are an assumption. */
const image = z.strictObject({ media_type: z.enum(['image/jpeg', 'image/png', 'image/webp', 'image/gif']), data: z.base64() });

export const filledPrompt = z.strictObject({
  text: z.string().refine((text) => text.trim() !== '', 'prompt.text is empty: say what the agent is to do'),
  images: z.array(image).optional(),
});

/** A provider's failure that is being tried again; null elsewhere (assumption). */
const retry = z.looseObject({
  kind: z.string().nullish(),
  category: z.string().nullish(),
  nextRetryAt: z.string().nullish(),
  attemptCount: z.int().nullish(),
  provider: z.string().nullish(),
  model: z.string().nullish(),
  reason: z.string().nullish(),
  /** Nobody tries again by itself. */
  operatorActionRequired: z.boolean().nullish(),
});

const artifactReference = z.looseObject({
  id: z.string(),
  type: z.string().nullish(),
  name: z.string().nullish(),
  createdAt: z.string().nullish(),
});

export const agentSummary = z.looseObject({
  id: z.string(),
  status: z.string(),
  title: z.string().nullish(),
  retry: retry.nullish(),
  workflowId: z.string().nullish(),
  workflowVersionId: z.string().nullish(),
  projectId: z.string().nullish(),
  workflowName: z.string().nullish(),
  projectName: z.string().nullish(),
  artifacts: z.array(artifactReference).nullish(),
  createdAt: z.string().nullish(),
  updatedAt: z.string().nullish(),
});

export const agentDetail = agentSummary.extend({
  activeFileIds: z.array(z.string()).nullish(),
  parentSessionId: z.string().nullish(),
  model: z.string().nullish(),
});

/** One message; which of the fields it has its `type` says. */
export const message = z.looseObject({
  id: z.string(),
  createdAt: z.string().nullish(),
  type: z.string(),
  text: z.string().nullish(),
  redacted: z.boolean().nullish(),
  toolName: z.string().nullish(),
  status: z.string().nullish(),
  subAgentIds: z.array(z.string()).nullish(),
});

/** What all models of an agent have cost together, in US dollars. */
export const costOf = ({ spend }: { spend: readonly { costUsd: number }[] }): number =>
  spend.reduce((sum, { costUsd }) => sum + costUsd, 0);

/** One entry per model, summed over the session and its sub-agents. */
export const usage = z.looseObject({
  id: z.string(),
  spend: z.array(
    z.looseObject({
      model: z.string(),
      costUsd: z.number(),
      inputTokens: z.int().nullish(),
      outputTokens: z.int().nullish(),
      cacheCreationTokens: z.int().nullish(),
      cacheReadTokens: z.int().nullish(),
    }),
  ),
});

/** `content`: a text of a MARKDOWN_DOCUMENT, `schema` and `elements` of a TABLE, of other types whatever they hold. */
export const artifact = artifactReference.extend({ version: z.int().nullish(), content: z.unknown() });

export const exported = z.looseObject({
  id: z.string(),
  name: z.string().nullish(),
  type: z.string().nullish(),
  version: z.int().nullish(),
  format: z.string(),
  mimeType: z.string().nullish(),
  filename: z.string().nullish(),
  /** Signed, without a key; ends at `expiresAt`, five minutes later. */
  url: z.string(),
  expiresAt: z.string().nullish(),
  fileVersionId: z.string().nullish(),
  annotationCount: z.int().nullish(),
});
