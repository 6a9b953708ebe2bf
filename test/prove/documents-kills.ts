import { createHash } from 'node:crypto';
import { copyFile, readFile } from 'node:fs/promises';
import { createWorld } from '../support/world.ts';
import { line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { createJob, fatesOf, killed, type Job, type Kill } from './support-documents-job.ts';
import { corpusPdfs, madeDocuments } from './support-documents.ts';

/** Documents made by us and of the corpus, and so often a call of each is held while a process is killed; `--rounds 0.1` is a tenth. */
const whole = { made: 200, corpus: 300, times: 2 };

/** Parses that are under way at a time: those beside the held one, of which nobody may know afterwards whether a killed service took them. */
const parsesAtOnce = 8;

/** While documents are read. A parse that is held before its effect is left out, for the same reason. */
const whileRead: readonly Kill[] = [
  ...killed('worker', 'maps.documents.upload', 'after'),
  ...killed('service', 'maps.documents.put', 'before'),
  ...killed('worker', 'maps.documents.parse', 'after'),
  ...killed('service', 'maps.documents.status', 'before'),
  ...killed('worker', 'maps.documents.put', 'after'),
  ...killed('service', 'maps.documents.parse', 'after'),
  ...killed('worker', 'maps.documents.status', 'before'),
  ...killed('service', 'maps.documents.upload', 'after'),
];

/**
 * While their chunks are put on the map. The creation of a map is looked up by the next attempt, and sent by nobody again once it was
 * carried out: one process alone is killed while it is held.
 */
const whileMapped: readonly Kill[] = [
  ...killed('worker', 'maps.data.addArrow', 'before'),
  ...killed('service', 'maps.data.addArrow', 'after'),
  ...killed('service', 'maps.indices.create', 'after'),
  ...killed('worker', 'maps.query.topk', 'before'),
];

/** Writes the documents; how many there are, and how many of them differ by their bytes. */
async function write(job: Job, { made, corpus }: { made: number; corpus: number }): Promise<{ files: number; distinct: number }> {
  const hashes = new Set<string>();
  let files = 0;
  const take = (bytes: string | Uint8Array): void => {
    files += 1;
    hashes.add(createHash('sha256').update(bytes).digest('hex'));
  };
  for await (const { name, bytes } of madeDocuments(made)) {
    await job.write(name, bytes);
    take(bytes);
  }
  for (const { name, path } of await corpusPdfs(corpus)) {
    await copyFile(path, job.path(name));
    take(await readFile(path));
  }
  return { files, distinct: hashes.size };
}

export const proof: Proof = {
  name: 'documents-kills',
  sets: ['maps'],
  what: '500 documents read and put on a map in one run, while its worker and its service are killed 20 times: each has a fate, none is paid for twice, and what nobody knows of is sent again when asked',
  async run({ note, rounds }) {
    await using bundle = await createBundle();
    await using world = await createWorld({ bundle: bundle.path });
    const job = createJob(world, 'inbox', 'inbox', { tolerate: 'failed: 100%, unknown: 100%' });
    const { files, distinct } = await write(job, { made: Math.round(whole.made * rounds), corpus: Math.round(whole.corpus * rounds) });
    const kills = [...Array.from({ length: whole.times }, () => whileRead).flat(), ...whileMapped];
    note(`${files} documents, ${distinct} different ones`);
    const begun = performance.now();
    const { view, calls } = await job.run(async () => {
      for (const kill of kills) {
        await job.strike(kill);
        note(`${kill.who} killed at ${kill.at} (${kill.hold}) after ${Math.round((performance.now() - begun) / 1_000)} s`);
      }
    });
    const fates = fatesOf(view);
    const known = fates['parsed']! + fates['present']! + fates['failed']!;
    const unknown = fates['unknown']!;
    const { repeated } = await world.control.journal();
    const parses = calls['maps.documents.parse'] ?? 0;
    const second = await job.run();
    const third = await job.run(undefined, { again: true });
    const unknownAfter = fatesOf(third.view)['unknown']!;
    const serviceKills = kills.filter(({ who }) => who === 'service').length;
    // A call stands in the log of the service when it has ended: not one that was carried out, and under way when the service was killed.
    const unlogged = serviceKills * parsesAtOnce;
    return [
      line(
        `documents with a fate after ${kills.length} kills`,
        `${Object.entries(fates)
          .map((fate) => fate.join(' '))
          .join(', ')} of ${files}, ${Math.round((performance.now() - begun) / 1_000)} s`,
        `done, all ${files}`,
        view.state === 'done' && known + unknown === files,
      ),
      line(
        'documents of which nobody knows whether a service that was killed took them',
        unknown,
        `< ${unlogged}, the other parses under way at ${serviceKills} kills of the service`,
        unknown < unlogged,
      ),
      line(
        'parse calls that the service has seen, of documents that differ',
        `${parses} of ${distinct}`,
        `none twice, and all but ${unlogged}, of which the log of a killed service knows nothing`,
        parses <= distinct && parses >= distinct - unlogged,
      ),
      line('effects repeated, by the journal', repeated.length, '0', repeated.length === 0),
      line(
        'a second run: parse calls, rows added',
        `${second.calls['maps.documents.parse'] ?? 0}, ${second.calls['maps.data.addArrow'] ?? 0}`,
        '0, 0',
        (second.calls['maps.documents.parse'] ?? 0) + (second.calls['maps.data.addArrow'] ?? 0) === 0,
      ),
      line(
        'asked with again: documents of which nobody knows, parse calls',
        `${unknownAfter}, ${third.calls['maps.documents.parse'] ?? 0}`,
        '0, at most one for each that was unknown or failed',
        unknownAfter === 0 && (third.calls['maps.documents.parse'] ?? 0) <= unknown + fates['failed']!,
      ),
    ];
  },
};
