import pLimit from 'p-limit';
import { fileFacts } from '../../files/file-facts.ts';
import type { Counts } from '../../pipelines/phases.ts';
import type { definition } from '../../pipelines/steps/documents/parse.ts';
import { resultsOf, writeResults } from '../../store/results.ts';
import { notYet } from '../frame/failure.ts';
import { checkAllDone } from '../items/all-done.ts';
import { checkTolerance } from '../items/tolerance.ts';
import type { ActivityOf } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';
import { ownerOfNoSource } from '../frame/owner-of-no-source.ts';
import { columnsWith, rowsOf } from './chunk-rows.ts';
import { documentMemory, type DocumentMemory, type Held, type Known } from './known.ts';
import { filesOf } from './named-files.ts';
import { readDocument, stillReading, type Document } from './read-document.ts';

/** `list`: where the documents of each chunk are, in the run store. */
type State = { list: string; files: number };

/** Documents of a chunk, and those of them that are sent at a time. */
const perChunk = 20;
const atOnce = 4;

const documentColumns = {
  item: 'VARCHAR',
  status: 'VARCHAR',
  chunks: 'INTEGER',
  pages: 'INTEGER',
  bytes: 'BIGINT',
  sha256: 'VARCHAR',
  reason: 'VARCHAR',
} as const;

/** The table of chunks stands beside that of the documents. */
const chunkTable = (step: string): string => `${step}-chunks`;

/** What makes fewer files end so. */
const remedies: Readonly<Record<string, string>> = { unknown: 'See whether they are paid for, and run with again: true' };

const activity: ActivityOf<typeof definition> = {
  async prepare(input, context) {
    const files = await filesOf(input, context);
    const documents = new Map<string, Document>();
    for (const [at, { bytes: size, unreadable, ...file }] of files.entries()) {
      if (unreadable !== undefined) documents.set(`not read: ${file.name}`, { sha256: '', bytes: 0, files: [file], unreadable });
      else {
        const { sha256 } = await fileFacts(file.path, { signal: context.signal });
        const document = documents.get(sha256) ?? { sha256, bytes: size, files: [] };
        document.files.push(file);
        documents.set(sha256, document);
      }
      context.progress({ done: at + 1, total: files.length, unit: 'documents', note: 'reading files' });
    }
    const list = `documents/${context.step}/${context.attemptId}`;
    const all = [...documents.values()];
    const chunks = Math.ceil(all.length / perChunk);
    for (let chunk = 0; chunk < chunks; chunk++)
      await context.store.writeJson(`${list}-${chunk}.json`, all.slice(chunk * perChunk, (chunk + 1) * perChunk), { synced: false });
    return { chunks, items: files.length, unit: 'documents', state: { list, files: files.length } satisfies State };
  },

  async chunk({ files, options, again, carry }, { list }: State, index, context): Promise<Counts> {
    const documents = await documentsOf(context, list, index);
    const memory = documentMemory(context, options);
    const work = { context, memory, options, again };
    const limit = pLimit(atOnce);
    const ends = await Promise.allSettled(documents.map((document) => limit(() => readDocument(work, document))));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    const reading = ends.filter((end) => end.status === 'fulfilled' && end.value === stillReading).length;
    if (reading > 0) throw notYet(2_000, `${reading} documents are still being read`);
    const counts: Counts = { done: 0, parsed: 0, present: 0, failed: 0, unknown: 0, rows: 0 };
    const rows: ReturnType<typeof rowsOf> = [];
    const owner = ownerOfNoSource(context, files);
    const told: Record<string, unknown>[] = [];
    for (const [at, document] of documents.entries()) {
      const end = ends[at]!;
      if (end.status === 'rejected' || end.value === stillReading) continue;
      const fate = fateOf(end.value);
      for (const [copy, file] of document.files.entries()) {
        // What is sent is sent for the first of the files that hold it: for the others nothing is.
        const { status, reason } = copy > 0 && fate.status === 'parsed' ? { ...fate, status: 'present' } : fate;
        const { name } = file;
        const held = await chunksOfFile(memory, name, document.sha256, end.value.known);
        const own = held ? rowsOf(owner, file, held.sha256, held.known.chunks) : [];
        rows.push(...own);
        counts['done']! += 1;
        counts[status]! += 1;
        counts['rows']! += own.length;
        context.fates([{ items: [name], fate: { status, attempts: context.attempt, ...(reason === undefined ? {} : { reason }) } }]);
        told.push({
          item: name,
          status,
          chunks: own.length,
          pages: held?.known.pages ?? null,
          bytes: document.bytes,
          sha256: document.sha256 || null,
          reason: reason ?? null,
        });
      }
    }
    await writeResults(context.store, chunkTable(context.step), index, columnsWith(carry), rows);
    await writeResults(context.store, context.step, index, documentColumns, told);
    return counts;
  },

  async sent({ options }, { list }: State, index, context) {
    const memory = documentMemory(context, options);
    const documents = await documentsOf(context, list, index);
    const known = await Promise.all(documents.map(({ sha256 }) => memory.of(sha256)));
    return documents.flatMap(({ files }, at) => (known[at]!.is === 'begun' ? files.map(({ name }) => name) : []));
  },

  async finish(_, { files }: State, counts, context) {
    const { done = 0, parsed = 0, present = 0, failed = 0, unknown = 0, rows = 0 } = counts;
    checkAllDone(done, files);
    for (const [status, count] of Object.entries({ unknown, failed })) {
      const [first] = count > 0 ? await context.store.readItems({ step: context.step, status, limit: 1 }) : [];
      checkTolerance(context, status, count, files, first && `${first.item}: ${first.reason}`, remedies[status]);
    }
    return {
      chunks: resultsOf(context.store, chunkTable(context.step)),
      results: resultsOf(context.store, context.step),
      documents: files,
      parsed,
      present,
      failed,
      unknown,
      rows,
    };
  },
};
export default activity;

async function documentsOf(context: StepContext, list: string, index: number): Promise<Document[]> {
  const documents = await context.store.readJson<Document[]>(`${list}-${index}.json`);
  if (!documents) throw new Error(`the list of documents ${list}-${index}.json is gone from the run store`);
  return documents;
}

/** The fate of a document. */
function fateOf({ known, sent }: { known: Known; sent: boolean }): { status: string; reason?: string } {
  if (known.is === 'parsed') return { status: sent ? 'parsed' : 'present' };
  if (known.is === 'failed')
    return { status: 'failed', reason: sent ? known.reason : `${known.reason} (as before; again: true sends it once more)` };
  return {
    status: 'unknown',
    reason:
      'was sent, no answer was seen, and the service lists no task of it: parsing is paid for, so it is not sent again unless again: true says so',
  };
}

/** The chunks of a file: of its bytes, or of those that could be read last. */
async function chunksOfFile(memory: DocumentMemory, file: string, sha256: string, known: Known): Promise<Held | undefined> {
  if (known.is !== 'parsed') return memory.last(file);
  await memory.setLast(file, sha256);
  return { sha256, known };
}
