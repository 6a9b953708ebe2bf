import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { planParts } from '../../pipelines/steps/dataset/part-plan.ts';
import { query, type RunView } from '../../workflows/messages.ts';
import type { Stack } from '../support/stack.ts';
import { startText, type StartedRun } from './support-run.ts';

const upload = `
name: upload
params: { source: { type: path }, dataset: { type: slug } }
steps:
  dataset: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}", idField: id } }
  rows: { use: dataset.upload, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { column: id } } }
outputs: { dataset: "\${{ steps.dataset.id }}", rows: "\${{ steps.rows }}" }
`;

/** A kill while parts were on their way. */
export type UploadKill = {
  /** Parts that were acknowledged when the worker died: in its ledger, and by returned chunks. */
  acknowledged: number;
  returned: number;
  /** Parts that were not acknowledged yet. */
  left: number;
  /** Do the acknowledged parts lie at the service as they stand in the file, by their SHA-256? */
  equal: boolean;
  /** Parts that were on their way, and so were sent again; their bytes, each counted whole. */
  again: number;
  bytesAgain: number;
  /** Acknowledged parts that were sent again afterwards. */
  acknowledgedAgain: number;
  /** Seconds from the kill until the next worker was ready, and to its first byte of a part. */
  ready: number;
  firstByte: number;
};

export type UploadRound = {
  state: RunView['state'];
  kills: UploadKill[];
  /** SHA-256 of the file, and of what the service held when the upload was to be ended. */
  sha256: { file: string; object: string };
  /** Rows that the service counts. */
  rows: number;
  repeated: number;
  completions: number;
  uploads: number;
  /** MiB by which the worker grew from its start to the end of the sending, where it was not killed. */
  grownMb: number;
  seconds: number;
};

type Options = { source: string; slug: string; kills: number; bytesPerSecond: number; forget?: boolean };

/**
 * One upload at a shaped intake, its worker killed again and again: each time after a chunk has returned that had not
 * before. `forget`: the ledger of parts is lost with each kill.
 */
export async function uploadRound(stack: Stack, { source, slug, kills: wanted, bytesPerSecond, forget }: Options): Promise<UploadRound> {
  const { control } = stack;
  const started = Date.now();
  await control.intake(bytesPerSecond);
  const { id } = await control.fault('maps.uploads.complete', 1, { hold: 'before' });
  const run = await startText(stack, upload, { source, dataset: slug });
  const struck: { at: number; ready: number; ledger: Set<string>; equal: boolean }[] = [];
  const idleMb = await memoryOf(stack.worker.pid(), 'VmRSS');
  for (let returned = 0; struck.length < wanted;) {
    returned = await moreThan(run, returned);
    // Not always at the same point of the parts on their way.
    await sleep((struck.length * 137) % 500);
    const at = Date.now();
    await stack.worker.kill();
    if (forget) await rename(run.store.path(...ledgerFile), run.store.path(...ledgerFile) + '.lost');
    const [ledger] = await Promise.all([ledgerOf(run), stack.worker.start(0)]);
    const ready = (Date.now() - at) / 1_000;
    // Newly acknowledged is what was not when this one died.
    returned = Math.max(returned, ledger.size);
    struck.push({ at, ready, ledger, equal: await equalParts(stack, run, source, ledger.difference(struck.at(-1)?.ledger ?? new Set())) });
  }
  const held = await control.held(id, 600_000);
  if (!held) throw new Error('the upload was never to be ended');
  await control.intake(null);
  const peakMb = await memoryOf(stack.worker.pid(), 'VmHWM');
  const object = await sha256Of(await objectOf(stack, run));
  await control.release(id);
  const view = await run.ended(900_000);
  const { rows: requests } = await control.requests();
  const parts = requests.filter((row) => row.operation === 'maps.uploads.part' && row.at >= started);
  const processesUntil = (at: number): Set<string | null> => new Set(parts.filter((row) => row.at <= at).map((row) => row.process));
  const returns = await returnsOf(run);
  const { partSize, partsPerChunk, parts: whole } = planParts((await stat(source)).size);
  const journal = await control.journal();
  const mine = journal.rows.filter((row) => row.at >= started);
  const output = view.outputs as { dataset: string } | undefined;
  return {
    state: view.state,
    kills: struck.map(({ at, ready, ledger, equal }, index) => {
      const until = struck[index + 1]?.at ?? Infinity;
      // The last requests of the one that was killed may be received after its end.
      const dead = processesUntil(at);
      const later = parts.filter((row) => row.at > at && !dead.has(row.process));
      const next = later.filter((row) => row.at <= until);
      // On their way in the worker that was killed; a part that an earlier kill hit and that has not left since is counted there.
      const killed = dead.difference(processesUntil(struck[index - 1]?.at ?? 0));
      const hit = new Set(parts.filter((row) => killed.has(row.process)).map(({ path }) => path));
      const again = new Set(later.map(({ path }) => path).filter((path) => hit.has(path)));
      const done = returns
        .filter((each) => each.at <= at)
        .flatMap(({ chunk }) => Array.from({ length: partsPerChunk }, (_, part) => String(chunk * partsPerChunk + part + 1)));
      const known = new Set([...ledger, ...done]);
      return {
        acknowledged: ledger.size,
        left: whole - ledger.size,
        returned: done.length,
        equal,
        ready,
        again: again.size,
        bytesAgain: again.size * partSize,
        acknowledgedAgain: new Set(later.map(partOf).filter((part) => known.has(part))).size,
        firstByte: ((next[0]?.at ?? Infinity) - at) / 1_000,
      };
    }),
    sha256: { file: await sha256Of([{ path: source }]), object },
    rows: output ? (await stack.api.projects.get({ project_id: output.dataset })).total_datums_in_project : 0,
    repeated: journal.repeated.filter((row) => row.at >= started).length,
    completions: mine.filter((row) => row.operation === 'maps.uploads.complete' && row.changed > 0).length,
    uploads: new Set(parts.map(({ path }) => path.split('/')[2])).size,
    grownMb: Math.round(peakMb - idleMb),
    seconds: (Date.now() - started) / 1_000,
  };
}

const partOf = ({ path }: { path: string }): string => path.split('/')[3]!;

const ledgerFile = ['upload', 'rows', 'parts-1.jsonl'] as const;

const linesOf = async (path: string): Promise<string[]> =>
  (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line.endsWith('}'));

/** Numbers of the parts that the run holds as acknowledged. */
async function ledgerOf(run: StartedRun): Promise<Set<string>> {
  const file = run.store.path(...ledgerFile);
  const lines = [...(await linesOf(file)), ...(await linesOf(`${file}.lost`))];
  return new Set(lines.map((line) => String((JSON.parse(line) as { part: number }).part)));
}

async function equalParts(stack: Stack, run: StartedRun, source: string, parts: Iterable<string>): Promise<boolean> {
  const pieces = await objectOf(stack, run);
  const { partSize } = planParts((await stat(source)).size);
  for (const part of parts) {
    const start = (Number(part) - 1) * partSize;
    if ((await sha256Of([pieces[Number(part) - 1]!])) !== (await sha256Of([{ path: source, start, end: start + partSize - 1 }])))
      return false;
  }
  return true;
}

/** Waits until more chunks of the upload have returned than that, and returns the parts of all of them. */
async function moreThan(run: StartedRun, before: number): Promise<number> {
  const late = Date.now() + 900_000;
  while (Date.now() < late) {
    const view = await run.handle.query<RunView>(query.view).catch(() => undefined);
    const done = view?.steps[1]?.counts?.['done'] ?? 0;
    if (done > before) return done;
    if (view && view.state !== 'running')
      throw new Error(`the upload is ${view.state} before its last kill: ${view.error?.message ?? 'too few parts for so many'}`);
    await sleep(50);
  }
  throw new Error('no further chunk returned within 900 s');
}

/** When which chunk of the upload returned, by the run's history. */
async function returnsOf(run: StartedRun): Promise<{ chunk: number; at: number }[]> {
  const { events } = await run.handle.fetchHistory();
  const scheduled = new Map<string, string>();
  return (events ?? []).flatMap((event) => {
    const { activityTaskScheduledEventAttributes: began, activityTaskCompletedEventAttributes: ended } = event;
    if (began) scheduled.set(String(event.eventId), began.activityId ?? '');
    const [, chunk] = /^rows\/chunk\/(\d+)$/.exec(ended ? (scheduled.get(String(ended.scheduledEventId)) ?? '') : '') ?? [];
    if (chunk === undefined) return [];
    return [{ chunk: Number(chunk), at: Number(event.eventTime!.seconds) * 1_000 + (event.eventTime!.nanos ?? 0) / 1e6 }];
  });
}

/** The file at the service, piece by piece: a part that came twice lies in a file of its own. */
async function objectOf(stack: Stack, run: StartedRun): Promise<Piece[]> {
  const { upload_id, urls } = JSON.parse(await readFile(run.store.path('upload', 'rows', 'plan-1.json'), 'utf8')) as {
    upload_id: string;
    urls: string[];
  };
  const folder = join(stack.state, 'service', 'uploads', upload_id);
  const names = await readdir(folder);
  const whole = join(folder, 'file');
  const { partSize } = planParts((await stat(whole)).size);
  return urls.map((_, at) => {
    const own = names.find((name) => name.startsWith(`part-${at + 1}-`));
    return own ? { path: join(folder, own) } : { path: whole, start: at * partSize, end: (at + 1) * partSize - 1 };
  });
}

type Piece = { path: string; start?: number; end?: number };

async function sha256Of(pieces: readonly Piece[]): Promise<string> {
  const hash = createHash('sha256');
  for (const { path, ...range } of pieces)
    for await (const chunk of createReadStream(path, { ...range, highWaterMark: 1 << 20 })) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}

/** Resident memory of a process in MiB: now, or the most it ever had. */
async function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024;
}
