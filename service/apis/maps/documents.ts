import { documentLimits } from '../../../child/document-limits.ts';
import type { maps } from '../../../contracts/maps/index.ts';
import { invalid, notAuthorized, notFound } from '../../core/errors.ts';
import { languageOf } from '../../engine/documents/languages.ts';
import { signedFile, signedResult } from '../../engine/documents/routes.ts';
import { extractionSchema } from '../../engine/documents/fill-schema.ts';
import { filesOfTask, type ParseInput } from '../../engine/documents/store.ts';
import type { TaskRow } from '../../engine/documents/tasks.ts';
import type { Handlers } from '../../http/handlers.ts';
import { fileIdOf, fileUrls } from './file-urls.ts';
import type { MapsState } from './state.ts';

/** Words of a summary, where the text says nothing (public docs of the instance API). */
const summaryWords = 100;

/** Tasks that are listed. */
const mostEvents = 1_000;

const largest = documentLimits.fileMiB * 1024 * 1024;

export const createDocumentHandlers = ({
  documents,
  signer,
  clock,
}: Pick<MapsState, 'documents' | 'signer' | 'clock'>): Handlers<typeof maps>['documents'] => {
  const { files, tasks, settings } = documents;

  /** A file that was uploaded for this organization; an unknown one is refused as one of others is, which says nothing of it. */
  const sourceOf = (url: string, organizationId: string, field = 'file_url'): ParseInput['file'] => {
    const fileId = fileIdOf(url);
    if (fileId === undefined && /^https?:/i.test(url) && URL.canParse(url)) return { url };
    if (fileId === undefined)
      throw invalid(field, 'is neither a public URL of http or https nor the svc_url of a file that was sent by POST /v1/upload');
    if (files.get(fileId)?.organization_id !== organizationId) throw notAuthorized();
    return fileId;
  };

  const taskOf = (taskId: string, organizationId: string): TaskRow => {
    const task = tasks.get(taskId);
    if (task?.organization_id !== organizationId || task.user_id !== null) throw notFound('task', taskId);
    return task;
  };

  return {
    async upload({ files: asked }, { organizationId, origin }) {
      for (const [at, { size }] of asked.entries())
        if (size > largest) throw invalid(`files.${at}.size`, `at most ${largest} bytes (${documentLimits.fileMiB} MiB)`);
      await documents.sweep();
      const at = clock.now();
      const added = files.add(
        asked.map(({ id: name, size, content_type }) => ({ organization_id: organizationId, name, size, content_type, created_at: at })),
      );
      return {
        files: added.map(({ file_id, name }) => {
          const signed = signedFile(file_id);
          return {
            request_id: name,
            upload_url: `${origin}${signed.path}?${signer.sign(signed, at, settings.urlSeconds)}`,
            ...fileUrls(file_id),
          };
        }),
      };
    },
    parse({ file_url, options }, { organizationId }) {
      const mode = options?.content_extraction_mode ?? 'hybrid';
      const language = languageOf(mode === 'metadata' ? 'en' : (options?.ocr_language ?? 'en'), (why) =>
        invalid('options.ocr_language', `${why}; or ask for content_extraction_mode metadata`),
      );
      const file = sourceOf(file_url, organizationId);
      const task = documents.parse(
        { organizationId },
        {
          file,
          options: {
            mode,
            language,
            tableSummary: options?.table_summary.enabled ?? false,
            figureSummary: options?.figure_summary.enabled ?? true,
            summaryWords,
          },
          embed: options?.embed_chunks ?? false,
        },
      );
      return { task_id: task, job_id: task };
    },
    extract({ file_urls, extraction_schema, system_prompt }, { organizationId }) {
      if (system_prompt)
        throw invalid('system_prompt', 'the local service has no model that follows it, and extracts by labels and tables: leave it out');
      const { data: schema, error } = extractionSchema.safeParse(extraction_schema);
      if (error) throw invalid('extraction_schema', `${error.issues[0]!.path.join('.')}: ${error.issues[0]!.message}`);
      const files = file_urls.map((url, at) => sourceOf(url, organizationId, `file_urls.${at}`));
      const task = documents.extract({ organizationId }, { files, schema });
      return { task_id: task, job_id: task };
    },
    status({ task_id }, { organizationId, origin }) {
      const task = taskOf(task_id, organizationId);
      const { state, error, verdict } = task;
      const signed = signedResult(task);
      return {
        task_id,
        status: state,
        ...(state === 'COMPLETED'
          ? { result_url: `${origin}${signed.path}?${signer.sign(signed, clock.now(), settings.urlSeconds)}` }
          : {}),
        ...(state === 'FAILED' ? { error: error ?? 'failed', ...(verdict ? { verdict } : {}) } : {}),
      };
    },
    events(_, { organizationId }) {
      return {
        events: tasks.latest(organizationId, mostEvents).map((task) => {
          const [file_url = null] = filesOfTask(task).map((file) =>
            typeof file === 'string' ? fileUrls(file).svc_url : 'url' in file ? file.url : null,
          );
          return { task_id: task.task_id, task_type: task.kind, metadata: { file_url, status: task.state } };
        }),
      };
    },
    cancel({ task_id }, { organizationId, requestId }) {
      taskOf(task_id, organizationId);
      tasks.cancel(task_id, requestId);
      return null;
    },
  };
};
