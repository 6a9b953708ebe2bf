import { join } from 'node:path';
import { limitingNow } from '../../runs/limiting.ts';
import { findRun } from '../../runs/find.ts';
import { watchRun } from '../../runs/watch.ts';
import { createStack, type Stack, type WorkerOptions } from '../support/stack.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { createDisk, whyNoDisks, type Disk } from './support-disk.ts';
import { flightsFile } from './support-flights.ts';
import { startText } from './support-run.ts';

const rows = 2_000;
const size = '30m';

type Place = 'run store' | 'service data' | 'Temporal’s file';

type Trouble = {
  name: string;
  on: Place;
  begin(disk: Disk): Promise<unknown>;
  end(disk: Disk): Promise<unknown>;
  /** What is missing on the worker's host is shown in the view; what others are short of shows as failed calls. */
  shown: boolean;
};

const full = (on: Place): Trouble => ({
  name: `${on} on a full disk of ${size}iB`,
  on,
  begin: (disk) => disk.fill(),
  end: (disk) => disk.empty(),
  shown: on === 'run store',
});

const troubles: readonly Trouble[] = [
  full('run store'),
  { name: 'run store read-only', on: 'run store', begin: (disk) => disk.readOnly(), end: (disk) => disk.show(), shown: true },
  { name: 'run store gone', on: 'run store', begin: (disk) => disk.hide(), end: (disk) => disk.show(), shown: true },
  full('service data'),
  full('Temporal’s file'),
];

const ingest = (dataset: string, source: string): string => `
name: ingest
steps:
  dataset: { use: dataset.ensure, with: { slug: ${dataset} } }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: ${source}, id: { row: true } } }
outputs: { id: "\${{ steps.dataset.id }}" }
`;

type Outcome = { state: string; error?: string; says: string; added: number; held: number; repeated: number };

let runs = 0;

/** One run that is held at its first call while the trouble begins, and is in it for some seconds. */
async function inTrouble(stack: Stack, disk: Disk, trouble: Trouble, patient: boolean): Promise<Outcome> {
  const { control } = stack;
  const before = (await control.journal()).summary.repeated;
  const fault = await control.fault('maps.projects.create', 1, { hold: 'after' });
  const run = await startText(stack, ingest(`disk-${++runs}`, flightsFile('2k')));
  if (!(await control.held(fault.id, 60_000))) throw new Error('the first call was not held');
  const location = await findRun({ client: stack.client, storeRoot: run.root }, run.id);
  await trouble.begin(disk);
  await control.release(fault.id);
  let says = '';
  try {
    if (patient && trouble.shown) says = await shownAs(stack, run.root, location);
    // The service, or the Temporal server, must have met its full disk: a request or a poll later.
    else await run.ended(15_000).catch(() => undefined);
  } finally {
    await trouble.end(disk);
  }
  const view = await run.ended(180_000);
  const id = (view.steps.find(({ id: step }) => step === 'dataset')?.output as { id?: string } | undefined)?.id;
  const held = id === undefined ? 0 : (await stack.api.projects.get({ project_id: id })).total_datums_in_project;
  return {
    state: view.state,
    ...(view.error ? { error: `${view.error.type}: ${view.error.message.slice(0, 120)}` } : {}),
    says,
    added: (await run.store.readItems({ step: 'rows', status: 'added' })).length,
    held,
    repeated: (await control.journal()).summary.repeated - before,
  };
}

async function shownAs(stack: Stack, storeRoot: string, location: Awaited<ReturnType<typeof findRun>>): Promise<string> {
  const late = AbortSignal.timeout(60_000);
  for await (const snapshot of watchRun({ client: stack.client, storeRoot }, location, { minMs: 100 })) {
    const missing = limitingNow(snapshot).find(({ cause }) => cause === 'missing');
    if (missing) return missing.text;
    if (late.aborted) break;
  }
  return '';
}

async function onDisks<T>(
  bundle: string,
  worker: WorkerOptions,
  work: (stack: Stack, disks: Record<Place, Disk>) => Promise<T>,
): Promise<T> {
  const disks: Partial<Record<Place, Disk>> = {};
  const place = async (on: Place, folder: string): Promise<void> => void (disks[on] = await createDisk(folder, size));
  await using stack = await createStack({
    bundle,
    ...worker,
    async prepare(dir) {
      await place('run store', join(dir, '.portolan', 'runs'));
      await place('service data', join(dir, '.portolan', 'service'));
      await place('Temporal’s file', join(dir, '.temporal'));
    },
  });
  try {
    return await work(stack, disks as Record<Place, Disk>);
  } finally {
    // Before the folder of the stack is removed: a disk that is still mounted would be in the way.
    for (const disk of Object.values(disks)) await disk[Symbol.asyncDispose]();
  }
}

const judged = (name: string, { state, error, says, added, held, repeated }: Outcome, shown: boolean): Line =>
  line(
    name,
    `${state}${error ? ` (${error})` : ''}, acknowledged ${added}, held ${held}, repeated ${repeated}${shown ? `; said: ${says || 'nothing'}` : ''}`,
    `done, acknowledged ${rows} and none lost, repeated 0${shown ? ', says what it waits for' : ''}`,
    state === 'done' && added === rows && held === rows && repeated === 0 && (!shown || says !== ''),
  );

export const proof: Proof = {
  name: 'disk-full',
  sets: ['floor'],
  what: 'full disks of run store, service and Temporal server, a run store read-only or gone: nothing acknowledged is lost, and with space the run ends well',
  async run({ note }) {
    const why = await whyNoDisks();
    if (why !== undefined) return [line('skipped', why, 'a host that lets file systems be mounted', true)];
    await using bundle = await createBundle();
    const lines = await onDisks(bundle.path, {}, async (stack, disks) => {
      const made: Line[] = [];
      for (const trouble of troubles) {
        const outcome = await inTrouble(stack, disks[trouble.on], trouble, true);
        made.push(judged(trouble.name, outcome, trouble.shown));
        note(`${trouble.name}: ${made.at(-1)!.figure}`);
      }
      return made;
    });
    const blind = await onDisks(bundle.path, { without: ['waits'] }, (stack, disks) =>
      inTrouble(stack, disks['run store'], troubles[0]!, false),
    );
    return [
      ...lines,
      line(
        'control, a full disk of the run store that is no wait',
        `${blind.state} (${blind.error ?? ''})`,
        'failed',
        blind.state === 'failed',
      ),
    ];
  },
};
