import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createTables } from '../../child/host/create-tables.ts';
import { checkJson } from '../../child/inside/formats/json/check.ts';
import { childLimits } from '../../child/child-limits.ts';
import { line, type Line, type Proof } from './proof.ts';
import { tryBombs } from './support-bomb-lines.ts';
import { corpusFiles, corpusFolder, isValid, linked, namesFeature, yamlTexts, type CorpusFile } from './support-corpus.ts';
import { startHost, type End, type Host, type Tried } from './support-corpus-host.ts';
import { sampleMemory } from './support-memory.ts';
import { mutate, random } from './support-mutate.ts';
import { compareCsv, compareParquet, ourTable, type Compared } from './support-second-reader.ts';

const seconds = 20;
const variants = 1_000;
const atOnce = 2;
/** What a child may grow by between two looks at it, in MiB. */
const sampleMb = 256;

type Note = (line: string) => void;

/** Runs `work` over all items, two at a time. */
async function each<T>(items: readonly T[], work: (item: T, at: number) => Promise<void>): Promise<void> {
  const queue = [...items.entries()];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = queue.shift(); next; next = queue.shift()) await work(next[1], next[0]);
    }),
  );
}

/** How an item ended in the end: by its conversion where it could be opened. */
const final = ({ inspected, converted }: Tried): End => converted ?? inspected;

const counted = (ends: readonly string[]): string => {
  const counts = Map.groupBy(ends, (end) => end);
  return [...counts]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([end, { length }]) => `${end} ${length}`)
    .join(', ');
};

/** Requests that nothing ended: neither rows, nor a verdict, nor the limit of the time that they may take. */
const hung = (tries: readonly Tried[]): number => tries.filter((tried) => final(tried).end === 'hang').length;

const errors = (tries: readonly Tried[]): End[] => tries.map(final).filter(({ end }) => end === 'error');

const first = (ends: readonly End[]): string => (ends[0] ? `, first: ${ends[0].message.slice(0, 200)}` : '');

async function sweep(host: Host, files: readonly CorpusFile[], folder: string): Promise<Map<CorpusFile, Tried>> {
  const tries = new Map<CorpusFile, Tried>();
  await each(files, async (file) => void tries.set(file, await host.try(await linked(file, folder))));
  return tries;
}

function sweepLines(tries: Map<CorpusFile, Tried>): Line[] {
  const families = [...new Set([...tries.keys()].map(({ family }) => family))].toSorted();
  const all = [...tries.values()];
  return [
    line('files tried', `${tries.size} of ${corpusFolder}`, '> 0', tries.size > 0),
    ...families.map((family) => {
      const own = [...tries].flatMap(([file, tried]) => (file.family === family ? [final(tried).end] : []));
      return line(`${family}: how they ended`, `${own.length}: ${counted(own)}`, 'no error', !own.includes('error'));
    }),
    line('files that ended in neither rows nor a verdict', `${errors(all).length}${first(errors(all))}`, '0', errors(all).length === 0),
    line('hangs: requests that neither a verdict nor their limit ended', `${hung(all)} of ${all.length}`, '0', hung(all) === 0),
  ];
}

/** Valid files by their origin (`isValid`): opened and counted, and converted with everything cast to what a dataset holds. */
function readingLines(tries: Map<CorpusFile, Tried>): Line[] {
  return ['arrow', 'parquet'].flatMap((family) => {
    const own = [...tries].filter(([file]) => file.family === family && isValid(file)).map(([, tried]) => tried);
    const empty = (tried: Tried): boolean => tried.inspected.message.endsWith('has no rows');
    const opened = own.filter((tried) => tried.inspected.end === 'rows' || empty(tried));
    const converted = own.filter((tried) => tried.converted?.end === 'rows' || empty(tried));
    const refused = own.filter((tried) => !converted.includes(tried)).map(final);
    const named = refused.filter(({ message }) => namesFeature.test(message));
    const share = (part: number): string => `${part} of ${own.length} (${((100 * part) / own.length).toFixed(1)} %)`;
    const others = refused.filter((end) => !named.includes(end)).map(({ message }) => message.slice(0, 100));
    return [
      line(`${family}: valid files opened and counted`, share(opened.length), '≥ 95 %', opened.length >= own.length * 0.95),
      line(
        `${family}: valid files converted, all columns`,
        `${share(converted.length)}; refused by a feature's name ${named.length}, otherwise ${others.length}${others.length > 0 ? `: ${others.join('; ')}` : ''}`,
        '≥ 90 %, otherwise ≤ 1 %',
        converted.length >= own.length * 0.9 && others.length <= own.length * 0.01,
      ),
    ];
  });
}

async function fuzzLines(host: Host, files: readonly CorpusFile[], folder: string): Promise<Line[]> {
  const tries: Tried[] = [];
  const pick = random(4);
  const chosen = Array.from({ length: variants }, () => files[pick(files.length)]!);
  await each(chosen, async (file, seed) => {
    const path = join(folder, `variant-${seed}-${basename(await linked(file, folder))}`);
    await writeFile(path, mutate(await readFile(file.path), seed));
    tries.push(await host.try(path));
    await rm(path);
  });
  const ends = counted(tries.map((tried) => final(tried).end));
  return [
    line('damaged copies', `${tries.length}: ${ends}${first(errors(tries))}`, 'no error', errors(tries).length === 0),
    line('damaged copies: hangs', hung(tries), '0', hung(tries) === 0),
  ];
}

/** The tests of JSONTestSuite by the checker of JSON alone: a number or a list of numbers is JSON and yet no table. */
async function jsonLines(tries: Map<CorpusFile, Tried>, note: Note): Promise<Line[]> {
  const suite = [...tries].filter(([{ origin }]) => origin.includes('JSONTestSuite/'));
  const verdicts = await Promise.all(
    suite.map(async ([{ path, origin }, tried]) => ({
      kind: basename(origin)[0]!,
      accepted: await checkJson(path, () => undefined).then(
        () => true,
        () => false,
      ),
      rows: final(tried).end === 'rows',
    })),
  );
  const of = (kind: string) => verdicts.filter((verdict) => verdict.kind === kind);
  const accepted = (kind: string): number => of(kind).filter((verdict) => verdict.accepted).length;
  note(`JSONTestSuite i_, which may be either: ${accepted('i')} of ${of('i').length} accepted`);
  return [
    line(
      'JSONTestSuite y_: accepted as JSON',
      `${accepted('y')} of ${of('y').length}`,
      'all',
      of('y').every((verdict) => verdict.accepted),
    ),
    line(
      'JSONTestSuite n_: refused as JSON',
      `${of('n').length - accepted('n')} of ${of('n').length}, ${of('n').filter(({ rows }) => rows).length} read as rows`,
      'all, 0 read',
      of('n').every((verdict) => !verdict.accepted && !verdict.rows),
    ),
  ];
}

async function valueLines(tries: Map<CorpusFile, Tried>, folder: string): Promise<Line[]> {
  await using tables = Object.assign(createTables({ seconds, tempDir: folder }), { [Symbol.asyncDispose]: () => tables.close() });
  const lines: Line[] = [];
  for (const [family, compare] of [
    ['parquet', compareParquet],
    ['csv', compareCsv],
  ] as const) {
    const files = [...tries].filter(
      ([file, tried]) =>
        file.family === family && (family === 'csv' ? !/afl|fuzz/.test(file.origin) : isValid(file)) && final(tried).end === 'rows',
    );
    const compared: (Compared & { path: string })[] = [];
    let planted: Compared | undefined;
    await each(files, async ([file], at) => {
      const ours = await ourTable(tables, await linked(file, folder), join(folder, `values-${at}`));
      const result = await compare(ours, file.path);
      if (!result) return;
      compared.push({ ...result, path: file.origin });
      if (planted || result.cells === 0) return;
      for (const row of ours.rows.values()) for (const column of row.keys()) row[column] = 'planted';
      planted = await compare(ours, file.path);
    });
    const wrong = compared.filter((result) => result.wrong.length > 0);
    const sum = (of: (result: Compared) => number): number => compared.reduce((total, result) => total + of(result), 0);
    lines.push(
      line(
        `${family}: values equal to a second reader's`,
        `${compared.length} files, ${sum(({ cells }) => cells)} cells, ${sum(({ wrong: found }) => found.length)} differ, ${sum(({ skipped }) => skipped)} of types not compared${wrong[0] ? `, first: ${wrong[0].path} ${wrong[0].wrong[0]}` : ''}`,
        '≥ 30 files, 0 differ',
        compared.length >= 30 && wrong.length === 0,
      ),
      line(`control, ${family}: wrong values planted`, `${planted?.wrong.length ?? 0} found`, '> 0', (planted?.wrong.length ?? 0) > 0),
    );
  }
  return lines;
}

async function yamlLines(host: Host, files: readonly CorpusFile[], tries: Map<CorpusFile, Tried>): Promise<Line[]> {
  const inner: End[] = [];
  const texts = (await Promise.all(files.filter(({ family }) => family === 'yaml').map(yamlTexts))).flat();
  await each(texts, async (text) => void inner.push((await host.try('inner.yaml', text)).inspected));
  const whole = [...tries].filter(([{ family }]) => family === 'yaml').map(([, tried]) => tried.inspected);
  const wrong = [...whole, ...inner].filter(({ end }) => end === 'error');
  return [
    line(
      'yaml: files, and the texts inside them, by the parser of pipeline files',
      `${whole.length} and ${inner.length}: ${counted(inner.map(({ end }) => end))}${first(wrong)}`,
      'no error',
      wrong.length === 0,
    ),
  ];
}

async function prove(note: Note): Promise<Line[]> {
  const files = await corpusFiles();
  if (files.length === 0)
    return [line('files tried', `0: there is no ${corpusFolder}`, '> 0 (PORTOLAN_CORPUS names another folder)', false)];
  const folder = await mkdtemp(join(tmpdir(), 'portolan-corpus-'));
  const said = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const result = await work();
    note(`${what}: ${((performance.now() - start) / 1_000).toFixed(0)} s`);
    return result;
  };
  try {
    const tempDir = join(folder, 'host');
    await mkdir(tempDir);
    const { memoryMb } = childLimits;
    const host = await startHost({ tempDir, seconds, memoryMb, children: atOnce });
    const sampler = sampleMemory(host.pid);
    const tries = await said('every file', () => sweep(host, files, folder));
    const yaml = await yamlLines(host, files, tries);
    const tabular = files.filter(({ family }) => family !== 'pdf' && family !== 'yaml');
    const fuzz = await said('damaged copies', () => fuzzLines(host, tabular, folder));
    const { worker, children } = await sampler.stop();
    const { deaths } = host;
    await host.close();
    const lines = [
      ...sweepLines(tries),
      ...yaml,
      ...fuzz,
      line('deaths of the process that hosts the tables', deaths, '0', deaths === 0),
      line('its peak memory', `${worker} MiB`, '≤ 512 MiB', worker <= 512),
      line('peak memory of a child', `${children} MiB`, `≤ ${memoryMb} + ${sampleMb} MiB`, children <= memoryMb + sampleMb),
      ...readingLines(tries),
      ...(await jsonLines(tries, note)),
      ...(await said('bombs', () => tryBombs(folder, sampleMb))),
      ...(await said('second readers', () => valueLines(tries, folder))),
    ];
    const killed = await startHost({ tempDir, seconds, memoryMb, children: 1 });
    await killed.kill();
    lines.push(line('control: a host that is killed', `${killed.deaths} death counted`, '1', killed.deaths === 1));
    return lines;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const proof: Proof = {
  name: 'corpus',
  sets: ['fire'],
  what: 'every hostile file, 1,000 damaged copies and bombs of every codec end in rows or in a typed verdict within their limits',
  run: ({ note }) => prove(note),
};
