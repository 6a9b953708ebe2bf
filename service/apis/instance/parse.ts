import type { z } from 'zod';
import type { instance } from '../../../contracts/instance/index.ts';
import type { ParseOptions } from '../../../child/documents.ts';
import { notFound, notHere } from '../../core/errors.ts';
import { languageOf } from '../../engine/documents/languages.ts';
import { signedResult } from '../../engine/documents/routes.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { InstanceState } from './state.ts';

type Options = NonNullable<z.output<typeof instance.parse.submit.input>['options']>;

/** Public docs, where the text names no values. */
const usual = { words: 100, by: 'page', around: 'latest_chunks', batch: 20, context: 10 } as const;

/** What is read as this service reads it, whatever was asked for: the result says so. */
const otherwise = ({ layoutModel, usePaddlePostprocessing }: NonNullable<Options['experimentalOptions']>): string[] => [
  ...(layoutModel === undefined ? [] : [`layoutModel ${layoutModel}: pages were read by the one layout that this service knows`]),
  ...(usePaddlePostprocessing ? ['usePaddlePostprocessing: nothing of that kind was done'] : []),
];

const readAs = (
  { figureSummary, tableSummary, summaryWordLimit, summaryChunks, experimentalOptions }: Options,
  language: ParseOptions['language'],
): ParseOptions => ({
  mode: 'hybrid',
  language,
  tableSummary: tableSummary?.enabled ?? false,
  figureSummary: figureSummary?.enabled ?? false,
  summaryWords: summaryWordLimit ?? usual.words,
  ...(summaryChunks?.enabled
    ? {
        chunkSummaries: {
          by: summaryChunks.summaryBy ?? usual.by,
          around: summaryChunks.summaryMode ?? usual.around,
          batch: summaryChunks.batchSize ?? usual.batch,
          context: summaryChunks.contextSize ?? usual.context,
        },
      }
    : {}),
  notes: otherwise(experimentalOptions ?? {}),
});

export const createParseOperations = ({ files, documents, signer, clock }: InstanceState): Handlers<typeof instance>['parse'] => ({
  submit({ fileVersionId, options = {} }, { userId, organizationId }) {
    const language = languageOf(options.ocrLanguage ?? 'en', (why) => notHere(`options.ocrLanguage ${why}`));
    const owner = { userId, organizationId };
    if (!files.version(owner, fileVersionId)) throw notFound('file version', fileVersionId);
    const input = { file: { versionId: fileVersionId, owner }, options: readAs(options, language), embed: options.embedChunks ?? false };
    return { taskId: documents.parse(owner, input) };
  },
  get({ taskId }, { userId, organizationId, origin }) {
    const task = documents.tasks.get(taskId);
    if (task?.organization_id !== organizationId || task.user_id !== userId) throw notFound('task', taskId);
    if (task.state === 'FAILED') return { status: 'failed', error: task.error ?? 'failed' };
    if (task.state !== 'COMPLETED') return { status: 'pending' };
    const signed = signedResult(task);
    const query = signer.sign(signed, clock.now(), documents.settings.urlSeconds);
    return { status: 'completed', resultUrl: `${origin}${signed.path}?${query}` };
  },
});
