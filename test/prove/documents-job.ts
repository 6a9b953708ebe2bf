import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunView } from '../../workflows/messages.ts';
import { createWorld, type World } from '../support/world.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { outputOf, startText } from './support-run.ts';

/** Documents of a round; `--rounds 25` is 500. */
const perRound = 20;

const file = readFileSync(new URL('../../pipelines/documents.yaml', import.meta.url), 'utf8');

const writing = [
  'maps.documents.upload',
  'maps.documents.put',
  'maps.documents.parse',
  'maps.data.addArrow',
  'maps.data.delete',
  'maps.indices.create',
  'maps.indices.update',
  'maps.projects.create',
];

/** Calls that are held while the worker is killed; of a held parse nobody knows afterwards whether it was taken. */
const kills = [
  { operation: 'maps.documents.upload', hold: 'before' },
  { operation: 'maps.documents.upload', hold: 'after' },
  { operation: 'maps.documents.parse', hold: 'before' },
  { operation: 'maps.documents.parse', hold: 'after' },
  { operation: 'maps.documents.status', hold: 'before' },
  { operation: 'maps.documents.status', hold: 'after' },
  { operation: 'maps.data.addArrow', hold: 'after' },
] as const;

type Calls = Record<string, number>;

async function createJob(world: World, documents: number) {
  const inbox = (at: number): string => `inbox/note-${at}.md`;
  const write = (at: number, version: number): Promise<string> =>
    world.write(inbox(at), `# Note ${at}\n\nA text of version ${version} about ${['ships', 'bread', 'wheels'][at % 3]}.\n`);
  for (let at = 0; at < documents; at++) await write(at, 0);

  const start = (more: Record<string, unknown> = {}) =>
    startText(world, file, { files: join(world.dir, 'inbox', '*.md'), dataset: 'notes', query: 'ships', ...more }, { accept: ['chunks'] });
  /** A run to its end, with the calls that the service answered for it. */
  const run = async (
    during: (run: Awaited<ReturnType<typeof start>>) => Promise<unknown> = async () => undefined,
    more = {},
  ): Promise<{ view: RunView; calls: Calls }> => {
    const before = new Set((await world.control.requests()).rows.map(({ request_id, at }) => `${request_id} ${at}`));
    const started = await start(more);
    await during(started);
    const view = await started.ended(600_000);
    const calls: Calls = {};
    for (const { request_id, at, operation } of (await world.control.requests()).rows)
      if (!before.has(`${request_id} ${at}`)) calls[operation] = (calls[operation] ?? 0) + 1;
    return { view, calls };
  };
  /** The same with the worker killed while a call is held. */
  const killed = async ({ operation, hold }: (typeof kills)[number], more = {}): Promise<{ view: RunView; calls: Calls }> => {
    const fault = await world.control.fault(operation, 1, { hold });
    return run(async () => {
      if (!(await world.control.held(fault.id, 60_000))) throw new Error(`no call of ${operation} was held`);
      await world.worker.kill();
      await Promise.all([world.control.release(fault.id), world.worker.start(0)]);
    }, more);
  };
  return { write, remove: (at: number) => rm(join(world.dir, inbox(at))), run, killed };
}

const written = (calls: Calls): number => writing.reduce((sum, operation) => sum + (calls[operation] ?? 0), 0);

export const proof: Proof = {
  name: 'documents-job',
  sets: ['maps'],
  what: 'documents of a folder on a map: a second run writes nothing, a changed one costs its own calls, a kill anywhere pays for nothing twice',
  async run({ note, rounds }) {
    const documents = perRound * rounds;
    await using bundle = await createBundle();
    await using world = await createWorld({ bundle: bundle.path });
    const job = await createJob(world, documents);
    const lines: Line[] = [];

    const first = await job.run();
    const read = outputOf(first.view, 'read');
    lines.push(
      line(
        'documents with a fate, and sent',
        `${read['documents']}, ${first.calls['maps.documents.parse']}`,
        `${documents}, ${documents}`,
        read['parsed'] === documents && first.calls['maps.documents.parse'] === documents,
      ),
    );
    const second = await job.run();
    lines.push(
      line('second run: calls that write', written(second.calls), '0', second.view.state === 'done' && written(second.calls) === 0),
    );

    await job.write(1, 1);
    const changed = await job.run();
    const { upload, put, parse } = {
      upload: changed.calls['maps.documents.upload'],
      put: changed.calls['maps.documents.put'],
      parse: changed.calls['maps.documents.parse'],
    };
    lines.push(
      line(
        `one changed of ${documents}: calls of its own`,
        `${upload} upload, ${put} put, ${parse} parse; ${outputOf(changed.view, 'chunks')['replaced']} chunk replaced`,
        '1, 1, 1; 1',
        upload === 1 && put === 1 && parse === 1 && outputOf(changed.view, 'chunks')['replaced'] === 1,
      ),
    );
    await job.remove(2);
    const gone = outputOf((await job.run()).view, 'chunks');
    lines.push(
      line(
        'one removed: its chunks deleted',
        `${gone['deleted']}; ${gone['rows']} left`,
        `1; ${documents - 1}`,
        gone['deleted'] === 1 && gone['rows'] === documents - 1,
      ),
    );

    let repeated = 0;
    let unknown = 0;
    let wrong = '';
    for (const [at, kill] of kills.entries()) {
      await job.write(3, at + 1);
      const { view, calls } = await job.killed(kill);
      repeated += Math.max(0, (calls['maps.documents.parse'] ?? 0) - 1);
      const asks = view.state === 'failed' && view.error?.step === 'read' && view.error.message.includes('unknown');
      unknown += Number(asks);
      note(
        `worker killed at ${kill.operation} (${kill.hold}): ${asks ? 'nobody knows, and a person is asked' : view.state}, ${calls['maps.documents.parse'] ?? 0} parse`,
      );
      if (view.state !== 'done' && !(asks && kill.operation === 'maps.documents.parse'))
        wrong += ` ${kill.operation} ${kill.hold}: ${view.state} ${view.error?.message}`;
      if (asks && outputOf((await job.run(undefined, { again: true })).view, 'read')['parsed'] !== 1) wrong += ' again';
    }
    const { repeated: byJournal } = await world.control.journal();
    lines.push(
      line(
        `${kills.length} kills of the worker: documents paid for twice, effects repeated by the journal`,
        `${repeated}, ${byJournal.length}; ${unknown} asked${wrong}`,
        '0, 0; those of a held parse alone',
        repeated === 0 && byJournal.length === 0 && wrong === '' && unknown <= 2,
      ),
    );
    await job.write(3, 100);
    const control = await job.killed({ operation: 'maps.documents.parse', hold: 'after' }, { again: true });
    const twice = control.calls['maps.documents.parse'] ?? 0;
    lines.push(line('control, what was begun is sent again by itself: parse calls of one document', twice, '2', twice === 2));
    return lines;
  },
};
