import { automaticIdField } from '../../contracts/maps/unique-id.ts';
import { ApiError } from '../../client/errors.ts';
import { writeWhole } from '../../files/whole-file.ts';
import { firstTexts, readIds } from '../../child/ids-files.ts';
import { Inconclusive, NotOffered, ReadingUnknown } from '../../errors/classes.ts';
import { planParts } from '../../pipelines/steps/dataset/part-plan.ts';
import { batches } from '../../contracts/maps/batches.ts';
import type { definition } from '../../pipelines/steps/dataset/upload.ts';
import type { ItemRecord } from '../../store/run-store.ts';
import type { ActivityOf } from '../frame/activity.ts';
import { deletionsOf } from '../index/deletions.ts';
import { refuseChanged } from '../sources/check-unchanged.ts';
import type { StepContext } from '../frame/context.ts';
import { knowsSome } from './add-missing.ts';
import { awaitDataset, expectRows, isNew, settledDataset } from './expected-rows.ts';
import { schemaColumns } from '../../child/schema-columns.ts';
import { sendOnce, wasBegun, type OnceCall } from '../effects/send-once.ts';
import { awaitKnownRows } from './await-known-rows.ts';
import { readKnownRows } from './known-rows.ts';
import { refuseOtherRows } from './refuse-other-rows.ts';
import { keepRejected } from './rejected-rows.ts';
import { noteDrift } from './note-drift.ts';
import { begin, uploadFileType, sendParts, type Sending } from './send-parts.ts';
import { uploadFiles, type UploadPlan } from './upload-files.ts';
import { sourceName } from '../../pipelines/source-name.ts';

type State = {
  /** Rows that the dataset held before: by their number a completion whose answer was lost is looked up. */
  before: number;
  rows: number;
  /** Rows of the Arrow file. */
  sent: number;
  rejected: number;
  columns: string[];
  sending: Sending;
  partsPerChunk: number;
  idField: string;
  idsFiles: string[];
};

/** Most rows of a record batch; its bytes are bounded as those of a shard. */
const batchRows = 65_536;

/** The service answers when it has read the whole file. */
const completeMs = 30 * 60_000;

const activity: ActivityOf<typeof definition> = {
  async prepare(input, context) {
    const { signal } = context;
    const project = await settledDataset(context, input.dataset);
    const idField = project.unique_id_field ?? automaticIdField;
    const before = project.total_datums_in_project;
    const schema = project.schema ? schemaColumns(project.schema, idField) : undefined;
    const files = uploadFiles(context);
    const made = await context.tables.arrowFile(
      {
        source: input.source,
        id: input.id,
        ...(input.columns ? { columns: input.columns } : {}),
        into: files.source(context.attemptId),
        projectId: project.id,
        idField,
        ...(schema ? { schema } : {}),
        ...(input.drift ? { drift: input.drift } : {}),
        maxRows: batchRows,
        maxBytes: batches.bytes.most,
        empty: isNew(project),
      },
      { signal, progress: (rows) => context.progress({ done: rows, unit: 'rows', note: 'reading' }) },
    );
    const { rows, sent, rejected, columns, print, idsFiles } = made;
    const { partSize, parts, partsPerChunk, chunks } = planParts(print.bytes);
    const digests = await context.tables.digestParts(print, partSize, { signal });
    // A file that is sent as it stands has the digest of what is sent.
    const read = made.converted?.source ?? { sha256: digests.sha256, bytes: print.bytes };
    refuseChanged(context, sourceName(input.source), { ...read, rows });
    await noteDrift(context, made);
    await keepRejected(context, input.source, made);
    await refuseOverDeletion(context, input.dataset, idField, idsFiles);
    if (!isNew(project) && sent > 0)
      await refuseOtherRows(context, { dataset: input.dataset, idField, file: print.file, into: files.compared(context.attemptId) });
    await writeWhole(files.digests(context.attemptId), JSON.stringify(digests.parts));
    const sending: Sending = { ...print, attempt: context.attemptId, dataset: input.dataset, sha256: digests.sha256, partSize, parts };
    if (parts > 0) await planned(context, sending, made.converted?.because);
    const state: State = { before, rows, sent, rejected, columns, sending, partsPerChunk, idField, idsFiles };
    return { chunks, items: parts, unit: 'parts', state, counts: { rejected } };
  },

  async chunk(_, { sending, partsPerChunk }: State, index, context) {
    const first = index * partsPerChunk + 1;
    const last = Math.min(sending.parts, first + partsPerChunk - 1);
    await sendParts(context, sending, numbers(first, last));
    return { done: last - first + 1, bytes: Math.min(sending.bytes, last * sending.partSize) - (first - 1) * sending.partSize };
  },

  async finish(input, state: State, _, context) {
    const { before, rows, sent, rejected, columns, sending, idField, idsFiles } = state;
    const files = uploadFiles(context);
    let request_id: string | undefined;
    if (sending.parts > 0 && !(await files.isDone())) {
      // Chunks that were acknowledged before the URLs expired are no parts of the newest upload.
      const plan = await sendParts(context, sending, numbers(1, sending.parts));
      const completed = await complete(context, state, plan).catch(whyNotTaken(context, state));
      request_id = completed.request_id;
      // Nobody has said that it was completed: its rows must.
      if (completed.gone) await checkPresent(context, input.dataset, idField, idsFiles);
      await files.setDone(plan);
    }
    const fits = (total: number): boolean => total >= before && total <= before + sent && (before > 0 || total === sent);
    // Only the full count is sure at once: a lesser one may be of rows that were there, and may be late.
    const { total_datums_in_project: total } = await awaitDataset(
      context,
      input.dataset,
      (now) => now.total_datums_in_project === before + sent,
    );
    const added = total - before;
    if (!fits(total)) {
      throw new Inconclusive(
        `the service counts ${total} rows; ${before} before and ${sent} sent make ${before === 0 ? sent : `${before} to ${before + sent}`}. Something else wrote to the dataset, or rows were lost`,
      );
    }
    if (added === 0 && sent > 0) await checkPresent(context, input.dataset, idField, idsFiles.slice(0, 1), 1);
    await expectRows(context, input.dataset, total);
    await keepFates(context, idsFiles, added === sent ? 'added' : added === 0 ? 'present' : 'uploaded', request_id);
    const { bytes, parts, sha256 } = sending;
    return { dataset: input.dataset, rows, added, present: sent - added, rejected, bytes, parts, sha256, columns };
  },
};
export default activity;

/**
 * While a deletion is not committed the dataset shows its ids still, and they cannot be distinguished from those that stay. Whether a
 * row that is added under such an id stays is not said, and shows only when the deletion is committed.
 */
async function refuseOverDeletion(context: StepContext, dataset: string, idField: string, idsFiles: readonly string[]): Promise<void> {
  const { readings } = context.connection('maps');
  if (readings['readded-id'] === 'replaces' || !(await deletionsOf(context, dataset)).open) return;
  const shown = await firstKnown(context, dataset, idField, idsFiles);
  if (shown !== undefined)
    throw new ReadingUnknown(
      `the dataset shows id ${JSON.stringify(shown)} of the file, and a deletion of rows of it is not committed: a new row of a deleted id may be skipped, or go with the old one. Commit the deletion by index.update between data.delete and dataset.upload; or name 'readded-id': 'replaces' in the readings of the connection, if the service is known to keep such rows`,
    );
}

/** The first id of these lists that the dataset shows. */
async function firstKnown(
  context: StepContext,
  dataset: string,
  idField: string,
  idsFiles: readonly string[],
): Promise<string | undefined> {
  const size = context.connection('maps').batch.ids;
  for (const file of idsFiles) {
    const all = firstTexts(await readIds(file), Infinity);
    for (let at = 0; at < all.length; at += size) {
      const [shown] = (await readKnownRows(context, dataset, idField, all.slice(at, at + size))).keys();
      if (shown !== undefined) return shown;
    }
  }
  return undefined;
}

/** A service may refuse a file because it knows an id of it: nothing of it was added. */
const whyNotTaken =
  (context: StepContext, { sending, idField, idsFiles }: State) =>
  async (error: unknown): Promise<never> => {
    if (!knowsSome(error)) throw error;
    const shown = await firstKnown(context, sending.dataset, idField, idsFiles);
    if (shown === undefined) throw error;
    throw new NotOffered(
      `the service takes no file with an id that the dataset has, and it has ${JSON.stringify(shown)} (${(error as Error).message}). Nothing was added: send the rows by dataset.append, which leaves out what is there`,
    );
  };

const numbers = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, at) => first + at);

/** Asks for the URLs before the first chunk; those of an earlier attempt hold while the file is the same. */
async function planned(context: StepContext, sending: Sending, converted: string | undefined): Promise<void> {
  const files = uploadFiles(context);
  const kept = await files.plan();
  if (kept && kept.sha256 !== sending.sha256) {
    await context.fence();
    await files.forget();
  }
  if (kept?.sha256 === sending.sha256) return;
  await context.store.event({
    step: context.step,
    kind: 'note',
    cause: converted === undefined ? `${sending.file} is sent as it is` : `the source is converted to one Arrow file: ${converted}`,
  });
  await begin(context, sending, 1);
}

/**
 * Ends the upload, once. `request_id`: of the request that did, undefined where it was found done. `gone`: the upload is not there
 * any more, as after a completion whose answer was lost.
 */
async function complete(
  context: StepContext,
  { before, sent, sending }: State,
  plan: UploadPlan,
): Promise<{ request_id?: string; gone: boolean }> {
  const { dataset } = sending;
  const etags = await uploadFiles(context).sent(plan.generation);
  let request_id: string | undefined;
  let gone = false;
  const { upload_id, object_id, urls } = plan;
  const call: OnceCall<null> = {
    operation: 'maps.uploads.complete',
    input: { dataset, upload_id, object_id },
    lookup: {
      async find() {
        const { total_datums_in_project: total } = await context.maps.projects.get({ project_id: dataset }, { signal: context.signal });
        // Where some rows were there before, the count proves nothing. Ending a finished upload again adds nothing: known ids are
        // skipped, or the upload is not there any more.
        return total === before + sent ? { answer: null } : 'absent';
      },
    },
    async send() {
      const part_etags = urls.map((url, at) => ({ part_number: at + 1, etag: etags.get(at + 1)!.etag, url }));
      const repeated = attempted || begun;
      attempted = true;
      try {
        await context.maps.uploads.complete(
          { dataset_id: dataset, upload_id, object_id, part_etags, file_type: uploadFileType },
          { signal: context.signal, timeoutMs: completeMs, onAnswer: ({ requestId }) => (request_id = requestId) },
        );
      } catch (error) {
        if (!(repeated && error instanceof ApiError && error.status === 404)) throw error;
        gone = true;
      }
      return null;
    },
  };
  const begun = wasBegun(context, call);
  let attempted = false;
  await sendOnce(context, call);
  return { ...(request_id === undefined || gone ? {} : { request_id }), gone };
}

/**
 * The rows of these lists must be there, `batches` of them where not all: a service that reads the file after its answer reports to
 * nobody that it could not. The file is one act, so that where it added nothing the ids of its beginning speak for all.
 */
async function checkPresent(
  context: StepContext,
  dataset: string,
  idField: string,
  idsFiles: readonly string[],
  batches = Infinity,
): Promise<void> {
  const { ids: size } = context.connection('maps').batch;
  for (const file of idsFiles) {
    const all = firstTexts(await readIds(file), batches * size);
    for (let at = 0; at < all.length; at += size) {
      const ids = all.slice(at, at + size);
      const known = await awaitKnownRows(context, { dataset, idField }, ids, (seen) => seen.size === ids.length);
      const missing = ids.find((id) => !known.has(id));
      if (missing !== undefined)
        throw new Inconclusive(
          `the service took the file, but has none of id ${JSON.stringify(missing)}: it could not read it, or has not yet. Run again, or send the rows by dataset.append, which names what is refused`,
        );
    }
  }
}

/** The ledger, one file for each list of ids. The count alone does not say which of the rows were known. */
async function keepFates(
  context: StepContext,
  idsFiles: string[],
  status: ItemRecord['status'],
  request_id: string | undefined,
): Promise<void> {
  const fate = { status, attempts: 1, ...(request_id === undefined ? {} : { request_id }) };
  for (const [at, file] of idsFiles.entries()) {
    await context.store.fates(context.step, at, [{ items: await readIds(file), fate }]);
  }
}
