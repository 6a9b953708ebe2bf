import { copyFile, rm } from 'node:fs/promises';
import { createWorld, type World } from '../support/world.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { corpusPdfs, madeDocuments } from './support-documents.ts';
import { createJob, fatesOf, killed, type Calls, type Job, type Kill } from './support-documents-job.ts';
import { outputOf } from './support-run.ts';

/** Documents of a round, made by us and of the corpus; twenty-five are 200 and 300. `--only folder` and `--only kills` are its parts; further words choose kills. */
const perRound = { made: 8, corpus: 12 };

/** Documents over which worker and service are killed. */
const besideKills = 24;

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

const kills: readonly Kill[] = [
  ...killed('worker', 'maps.documents.upload', 'before', 'after'),
  ...killed('worker', 'maps.documents.put', 'before', 'after'),
  ...killed('worker', 'maps.documents.parse', 'before', 'after'),
  ...killed('worker', 'maps.documents.status', 'before', 'after'),
  ...killed('worker', 'maps.data.addArrow', 'before', 'after'),
  ...killed('worker', 'maps.indices.update', 'before', 'after'),
  ...killed('service', 'maps.documents.upload', 'after'),
  ...killed('service', 'maps.documents.put', 'before'),
  ...killed('service', 'maps.documents.parse', 'before', 'after'),
  ...killed('service', 'maps.documents.status', 'before'),
  ...killed('service', 'task.begun', 'before'),
  ...killed('service', 'maps.data.addArrow', 'after'),
  ...killed('service', 'maps.indices.update', 'after'),
];

const written = (calls: Calls): number => writing.reduce((sum, operation) => sum + (calls[operation] ?? 0), 0);

const note = (at: number, version: number): string =>
  `# Note ${at}\n\nA text of version ${version} about ${['ships', 'bread', 'wheels'][at % 3]}.\n`;

/** A folder of documents of every kind, run again and again. */
async function folderLines(job: Job, count: { made: number; corpus: number }, tell: (line: string) => void): Promise<Line[]> {
  for await (const { name, bytes } of madeDocuments(count.made)) await job.write(name, bytes);
  await job.write('changing.md', note(1, 0));
  await job.write('going.md', note(2, 0));
  const pdfs = await corpusPdfs(count.corpus);
  for (const { name, path } of pdfs) await copyFile(path, job.path(name));
  const documents = count.made + 2 + pdfs.length;
  tell(`${documents} documents, ${pdfs.length} of the corpus`);

  const begun = performance.now();
  const first = await job.run();
  const fates = fatesOf(first.view);
  const told = Object.values(fates).reduce((sum, each) => sum + each, 0);
  const lines = [
    line(
      'documents with a fate',
      `${Object.entries(fates)
        .map(([fate, many]) => `${fate} ${many}`)
        .join(
          ', ',
        )} of ${documents} (${first.calls['maps.documents.parse']} parse calls, ${Math.round((performance.now() - begun) / 1_000)} s)`,
      `all ${documents}, none unknown, those made by us parsed`,
      first.view.state === 'done' && told === documents && fates['unknown'] === 0 && fates['parsed']! >= count.made + 2,
    ),
  ];
  const second = await job.run();
  lines.push(line('second run: calls that write', written(second.calls), '0', second.view.state === 'done' && written(second.calls) === 0));

  await job.write('changing.md', note(1, 1));
  const changed = await job.run();
  const own = ['upload', 'put', 'parse'].map((each) => changed.calls[`maps.documents.${each}`] ?? 0);
  const { replaced, added, deleted } = outputOf(changed.view, 'chunks');
  lines.push(
    line(
      `one changed of ${documents}: upload, put, parse; chunks replaced, added, deleted`,
      `${own.join(', ')}; ${replaced}, ${added}, ${deleted}`,
      '1, 1, 1; 1, 0, 0',
      own.every((each) => each === 1) && replaced === 1 && added === 0 && deleted === 0,
    ),
  );
  await rm(job.path('going.md'));
  const gone = outputOf((await job.run()).view, 'chunks');
  lines.push(line('one removed: chunks deleted', gone['deleted'], '1', gone['deleted'] === 1));
  return lines;
}

/** Kills of worker and service, each while one document of a few is new. */
async function killLines(world: World, job: Job, chosen: readonly Kill[], tell: (line: string) => void): Promise<Line[]> {
  for (let at = 0; at < besideKills; at += 1) await job.write(`note-${at}.md`, note(at, 0));
  await job.run();
  let repeated = 0;
  let asked = 0;
  let wrong = '';
  for (const [at, kill] of chosen.entries()) {
    await job.write('note-3.md', note(3, at + 1));
    const { view, calls } = await job.runKilled(kill);
    const parses = calls['maps.documents.parse'] ?? 0;
    repeated += Math.max(0, parses - 1);
    const asks = view.state === 'failed' && view.error?.step === 'read' && view.error.message.includes('unknown');
    asked += Number(asks);
    tell(`${kill.who} killed at ${kill.at} (${kill.hold}): ${asks ? 'nobody knows, and a person is asked' : view.state}, ${parses} parse`);
    if (view.state !== 'done' && !(asks && kill.at === 'maps.documents.parse'))
      wrong += ` ${kill.who} ${kill.at} ${kill.hold}: ${view.state} ${view.error?.message}`;
    if (asks && fatesOf((await job.run(undefined, { again: true })).view)['parsed'] !== 1) wrong += ' again';
  }
  const { repeated: byJournal } = await world.control.journal();
  const lines = [
    line(
      `${chosen.length} kills of worker and service: documents paid for twice, effects repeated by the journal`,
      `${repeated}, ${byJournal.length}; ${asked} asked${wrong}`,
      '0, 0; those of a held parse alone',
      repeated === 0 && byJournal.length === 0 && wrong === '',
    ),
  ];
  // Nobody lists the task, so that it cannot be found.
  await world.control.faultIfCalled('maps.documents.events', 1, { status: 404 }, 100);
  await job.write('note-3.md', note(3, 100));
  const killed = await job.runKilled({ who: 'worker', at: 'maps.documents.parse', hold: 'after' });
  const again = await job.run(undefined, { again: true });
  const twice = [killed, again].reduce((sum, { calls }) => sum + (calls['maps.documents.parse'] ?? 0), 0);
  lines.push(line('control, a person has what nobody knows of sent again: parse calls of one document', twice, '2', twice === 2));
  return lines;
}

export const proof: Proof = {
  name: 'documents-job',
  sets: ['maps'],
  rounds: 25,
  what: 'documents of every kind on a map: each has a fate, a second run writes nothing, a changed one costs its own calls, a kill anywhere pays for nothing twice',
  async run({ note: tell, rounds, short, only = 'folder kills' }) {
    await using bundle = await createBundle();
    await using world = await createWorld({ bundle: bundle.path });
    const lines: Line[] = [];
    if (only.includes('folder')) {
      // A map has at least twenty points.
      const turns = Math.max(2, rounds);
      const count = { made: perRound.made * turns, corpus: perRound.corpus * turns };
      lines.push(...(await folderLines(createJob(world, 'inbox', 'inbox'), count, tell)));
    }
    if (only.includes('kills')) {
      const words = only.split(' ').filter((word) => word !== 'folder' && word !== 'kills');
      const named = kills.filter(({ who, at, hold }) => words.every((word) => `${who} ${at} ${hold}`.includes(word)));
      const chosen = short ? named.filter((_, at) => at % 3 === 0) : named;
      lines.push(...(await killLines(world, createJob(world, 'notes', 'notes'), chosen, tell)));
    }
    return lines;
  },
};
