import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CancelledFailure } from '@temporalio/common';
import pLimit from 'p-limit';
import { BadInput, ServiceFailed } from '../../errors/classes.ts';
import type { FileDigests, FilePrint } from '../../child/tables.ts';
import { UrlsExpired } from '../../client/errors.ts';
import { partsInFlight } from '../../pipelines/steps/dataset/part-plan.ts';
import type { StepContext } from '../frame/context.ts';
import { openParts } from './part-reader.ts';
import { mostGenerations, uploadFiles, type SentPart, type UploadPlan } from './upload-files.ts';
import { jsonIn } from '../../store/json-file.ts';

/** What is sent, and where to. */
export type Sending = FilePrint & {
  /** Attempt that made the file and its digests. */
  attempt: string;
  dataset: string;
  sha256: string;
  partSize: number;
  parts: number;
};

export const uploadFileType = 'feather';

// Of this process, not of a chunk: chunks share it, so that no more leaves whatever their number is.
const inFlight = pLimit(partsInFlight);

/**
 * Sends those of the parts that the newest upload of the step does not hold yet, and returns that upload's plan.
 *
 * There is one operation that gives URLs, and it begins a new upload, to which the parts of the old one count nothing.
 * So after a crash the plan is asked for in the run store, where it stands since before the first part, together with the
 * parts that were acknowledged. Only where its URLs have expired a new upload is begun, and then every part is sent again:
 * twice at most, after which the step says why it cannot end.
 */
export async function sendParts(context: StepContext, sending: Sending, parts: readonly number[]): Promise<UploadPlan> {
  const files = uploadFiles(context);
  for (;;) {
    const plan = (await files.plan()) ?? (await begin(context, sending, 1));
    try {
      await sendMissing(context, sending, plan, parts);
      return plan;
    } catch (error) {
      if (!(error instanceof UrlsExpired)) throw await leftBehind(context, sending, plan, error);
      if (plan.generation === mostGenerations) throw await leftBehind(context, sending, plan, tooSlow(sending, error));
      await begin(context, sending, plan.generation + 1);
    }
  }
}

const begun = new Map<string, Promise<UploadPlan>>();

/** The plan of a generation: the one that is kept, else a new upload. Chunks of one process that need it ask once. */
export function begin(context: StepContext, sending: Sending, generation: number): Promise<UploadPlan> {
  const key = `${context.store.path()} ${context.step} ${generation}`;
  const starting = begun.get(key) ?? start(context, sending, generation).finally(() => begun.delete(key));
  begun.set(key, starting);
  return starting;
}

async function start(context: StepContext, { dataset, bytes, partSize, parts, sha256 }: Sending, generation: number): Promise<UploadPlan> {
  const files = uploadFiles(context);
  const kept = await files.plan();
  if (kept && kept.generation >= generation) return kept;
  // Of effect class `safe`, because what nobody fills holds no rows: but who is given away leaves none behind.
  await context.fence();
  const answer = await context.maps.uploads.start(
    { dataset_id: dataset, file_type: uploadFileType, file_size: bytes, part_size: partSize },
    { signal: context.signal },
  );
  const byNumber = new Map(answer.part_urls.map(({ part_number, url }) => [part_number, url]));
  const urls = Array.from({ length: parts }, (_, at) => byNumber.get(at + 1));
  if (byNumber.size !== parts || urls.includes(undefined))
    throw new ServiceFailed(
      `the service cut the file of ${bytes} bytes into ${byNumber.size} parts, not into ${parts} of ${partSize} bytes as asked; split the data, or use dataset.append`,
    );
  const { upload_id, object_id } = answer;
  const plan = await files.keepPlan({ generation, sha256, upload_id, object_id, urls: urls as string[] });
  await note(
    context,
    generation === 1
      ? `upload ${upload_id} of ${parts} parts begun`
      : `the part URLs expired: upload ${upload_id} begun anew, all ${parts} parts are sent again; the one before stays at the service, which has no operation to give it up`,
  );
  return plan;
}

async function sendMissing(context: StepContext, sending: Sending, plan: UploadPlan, parts: readonly number[]): Promise<void> {
  const files = uploadFiles(context);
  const sent = await files.sent(plan.generation);
  const missing = parts.filter((part) => !sent.has(part));
  if (missing.length === 0) return;
  const kept = files.digests(sending.attempt);
  const digests = jsonIn<FileDigests['parts']>(await readFile(kept, 'utf8'), kept, { is: (found) => Array.isArray(found) });
  await using source = await openParts(sending, sending.partSize);
  let opaque = [...sent.values()].some((each) => each.opaque);
  let failure: { error: unknown } | undefined;

  const put = async (part: number): Promise<{ etag: string; requestId: string }> => {
    const url = plan.urls[part - 1]!;
    const body = source.read(part, digests[part - 1]!.crc32);
    return context.putPart(
      { url, callId: partCallId(plan.upload_id, part), bytes: source.bytesOf(part), body },
      { signal: context.signal },
    );
  };
  const send = async (part: number): Promise<void> => {
    const { md5 } = digests[part - 1]!;
    let answer = await put(part);
    if (!opaque && differs(answer.etag, md5)) {
      // Damaged on its way, or an ETag that only looks like an MD5, as with some encryptions at rest: the second sending shows which.
      await note(context, `part ${part}: its ETag ${answer.etag} is not the MD5 of what was sent; sent again`);
      answer = await put(part);
      opaque = differs(answer.etag, md5);
      if (opaque) await note(context, 'ETags of this service are no MD5: parts are not compared with them');
    }
    const line: SentPart = { part, etag: answer.etag, md5, request_id: answer.requestId, ...(opaque ? { opaque } : {}) };
    await files.acknowledge(plan.generation, line);
    sent.set(part, line);
    // Of this call's own parts: the view adds up what the chunks under way report.
    const own = parts.filter((each) => sent.has(each));
    const bytes = own.reduce((sum, each) => sum + source.bytesOf(each), 0);
    context.progress({ done: own.length, total: parts.length, unit: 'parts', bytes });
  };

  // After a failure nothing new leaves, but what is on its way arrives and is written down.
  await Promise.all(
    missing.map((part) =>
      inFlight(async () => {
        if (failure || context.signal.aborted) return;
        await send(part).catch((error: unknown) => void (failure ??= { error }));
      }),
    ),
  );
  context.signal.throwIfAborted();
  if (failure) throw failure.error;
}

/** Names a part in the service's own record, the same in every sending. */
const partCallId = (upload: string, part: number): string => createHash('sha256').update(`${upload}\n${part}`).digest('hex').slice(0, 32);

/** An ETag of 32 hex digits is the MD5 of the part; any other says nothing about it. */
function differs(etag: string, md5: string): boolean {
  const value = etag.replace(/^W\//, '').replaceAll('"', '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(value) && value !== md5;
}

const tooSlow = ({ bytes }: Sending, cause: UrlsExpired): ServiceFailed =>
  new ServiceFailed(
    `the part URLs expired in ${mostGenerations} uploads one after the other, before all ${bytes} bytes were sent (${cause.message}). Split the data into files that are sent within the lifetime of the URLs, or use dataset.append`,
  );

/** True where the run was cancelled; of a worker that ends, or an attempt that was given away, a later attempt goes on with the upload. */
const isCancelled = ({ signal }: StepContext): boolean =>
  signal.reason instanceof CancelledFailure && signal.reason.message === 'CANCELLED';

/** An upload that will not go on cannot be given up at the service: it is reported, once. */
async function leftBehind(context: StepContext, { parts }: Sending, plan: UploadPlan, error: unknown): Promise<unknown> {
  const final = isCancelled(context) || error instanceof BadInput || error instanceof ServiceFailed;
  if (final && (await uploadFiles(context).abandon(plan.generation)))
    await note(
      context,
      `upload ${plan.upload_id} is left behind with ${(await uploadFiles(context).sent(plan.generation)).size} of ${parts} parts; the service has no operation to give it up and drops it in its own time`,
    );
  return error;
}

const note = (context: StepContext, cause: string): Promise<void> =>
  context.store.event({ step: context.step, kind: 'note', cause, operation: 'maps.uploads.start' });
