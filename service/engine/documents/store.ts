import { mkdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ParseOptions, ParseRequest } from '../../../child/documents.ts';
import type { DocumentBlock, ParsedDocument } from '../../../contracts/parsed-document.ts';
import { createDocuments } from '../../../child/host/create-documents.ts';
import { documentLimits } from '../../../child/document-limits.ts';
import { BadInput, NotFetched } from '../../../errors/classes.ts';
import { writeWhole } from '../../../files/whole-file.ts';
import type { Clock } from '../../core/clock.ts';
import type { Faults } from '../../core/faults.ts';
import type { Records } from '../../core/records/database.ts';
import type { Files as OwnedFiles } from '../files/files.ts';
import type { Owner } from '../files/folders.ts';
import type { Outside } from '../outside.ts';
import type { Meter } from '../meter.ts';
import { embedChunks } from './embed-chunks.ts';
import { createFiles, type Files } from './files.ts';
import type { DocumentSettings } from './settings.ts';
import { fillSchema, saidIn, type ExtractionSchema } from './fill-schema.ts';
import { createTasks, type TaskRow, type Tasks } from './tasks.ts';

/** A version of a file of the instance API, as its owner may read it. */
type VersionOf = { versionId: string; owner: Owner };

/** What a task of parsing is told: an uploaded file by its id, a public URL or a version of a file, and how it is read. */
export type ParseInput = { file: string | { url: string } | VersionOf; options: ParseOptions; embed: boolean };

/** What a task of extraction is told: files, and the schema that is filled from them. */
export type ExtractInput = { files: ParseInput['file'][]; schema: ExtractionSchema };

/** The files that a task reads. */
export const filesOfTask = ({ kind, input }: Pick<TaskRow, 'kind' | 'input'>): ParseInput['file'][] =>
  kind === 'parse' ? [(JSON.parse(input) as ParseInput).file] : (JSON.parse(input) as ExtractInput).files;

/** Documents of both APIs: files that were sent, tasks that read them, and results. */
export type DocumentStore = {
  settings: DocumentSettings;
  files: Files;
  tasks: Tasks;
  resultPath: (taskId: string) => string;
  /** Begins a task: of the user alone, where one is named, and else of the organization. */
  parse(of: { organizationId: string; userId?: string | null }, input: ParseInput): string;
  /** Begins a task that fills a schema. */
  extract(of: { organizationId: string }, input: ExtractInput): string;
  /** Reads a document at once, in the room that tasks have; `place`: a file for the result, which is gone again afterwards. */
  read(source: Pick<ParseRequest, 'file' | 'name' | 'contentType'>, place: string, signal: AbortSignal): Promise<ParsedDocument>;
  /** Drops files and tasks that are older than the settings allow. */
  sweep(): Promise<void>;
  close(): Promise<void>;
};

type Parts = {
  dataDir: string;
  records: Records;
  clock: Clock;
  meter: Meter;
  outside: Outside;
  reach: Faults['reach'];
  settings: DocumentSettings;
  versions: Pick<OwnedFiles, 'version'>;
};

/** How a document is read of which only the text is wanted. */
const asRead: ParseOptions = { mode: 'hybrid', language: 'en', tableSummary: false, figureSummary: false, summaryWords: 0 };

const SWEEP_MS = 60_000;

export const createDocumentStore = ({ dataDir, records, clock, meter, outside, reach, settings, versions }: Parts): DocumentStore => {
  const results = join(dataDir, 'documents', 'results');
  mkdirSync(results, { recursive: true, mode: 0o700 });
  const files = createFiles(join(dataDir, 'documents', 'files'), records);
  const documents = createDocuments();
  const resultPath = (taskId: string): string => join(results, `${taskId}.json`);

  /** Hands over a file that is here, or what a URL gives, which is gone again afterwards. */
  const opened = async <T>(
    file: ParseInput['file'],
    place: string,
    work: (source: Pick<ParseRequest, 'file' | 'name' | 'contentType'>) => Promise<T>,
  ): Promise<T> => {
    if (typeof file === 'string') {
      const row = files.get(file);
      if (!row?.filled_at)
        throw new BadInput('bad_input', 'the file was never sent: its bytes go by PUT to the upload_url before it is parsed');
      return work({ file: files.pathOf(file), name: row.name, contentType: row.content_type });
    }
    if ('versionId' in file) {
      const version = versions.version(file.owner, file.versionId);
      if (!version)
        throw new BadInput('bad_input', 'the file was discarded before it was read: upload it once more, outside the temporary folder');
      return work({ file: version.path, name: version.name, contentType: version.mimeType });
    }
    try {
      const bytes = await outside.fetch(file.url, documentLimits.fileMiB * 1024 * 1024).catch((error: unknown) => {
        throw error instanceof NotFetched ? new BadInput('bad_input', `${error.message}; ${error.remedy}`) : error;
      });
      await writeFile(place, bytes, { mode: 0o600 });
      return await work({ file: place, name: new URL(file.url).pathname });
    } finally {
      await rm(place, { force: true });
    }
  };

  const read: DocumentStore['read'] = async (source, place, signal) => {
    try {
      await documents.parse({ ...source, options: asRead, into: place }, { signal });
      return JSON.parse(await readFile(place, 'utf8')) as ParsedDocument;
    } finally {
      await rm(place, { force: true });
    }
  };

  const tasks = createTasks({
    records,
    clock,
    atOnce: documentLimits.children,
    async work(task, signal) {
      await reach('task.begun');
      const into = resultPath(task.task_id);
      const place = `${into}.source`;
      if (task.kind === 'parse') {
        const { file, options, embed } = JSON.parse(task.input) as ParseInput;
        await opened(file, place, (source) => documents.parse({ ...source, options, into }, { signal }));
        if (embed) await embedChunks(into, meter.embedder(task.organization_id), signal);
        return;
      }
      const { files: named, schema } = JSON.parse(task.input) as ExtractInput;
      const blocks: DocumentBlock[] = [];
      for (const file of named) {
        const { chunks } = await opened(file, place, (source) => read(source, `${into}.read`, signal));
        blocks.push(...chunks.flatMap((chunk) => chunk.blocks));
      }
      await writeWhole(into, JSON.stringify(fillSchema(schema, saidIn(blocks)) ?? null), { mode: 0o600 });
    },
  });

  const sweep = async (): Promise<void> => {
    for (const taskId of tasks.forget(clock.now() - settings.taskSeconds * 1_000)) await rm(resultPath(taskId), { force: true });
    const needed = new Set(tasks.unfinished().flatMap((task) => filesOfTask(task).filter((file) => typeof file === 'string')));
    await files.sweep(clock.now() - settings.fileSeconds * 1_000, needed);
  };
  const timer = setInterval(() => void sweep().catch(() => undefined), SWEEP_MS);
  timer.unref();

  return {
    settings,
    files,
    tasks,
    resultPath,
    parse: ({ organizationId, userId = null }, input) =>
      tasks.add({ kind: 'parse', organization_id: organizationId, user_id: userId, input }).task_id,
    extract: ({ organizationId }, input) => tasks.add({ kind: 'extract', organization_id: organizationId, user_id: null, input }).task_id,
    read,
    sweep,
    async close() {
      clearInterval(timer);
      await tasks.close();
      await documents.close();
    },
  };
};
