import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../scripts/sources.mjs';
import { fileOnPage } from '../support/pages/blocks.ts';
import { createPlaces, embeddings, packAndInstall, type Package, type Place } from '../support/pages/places.ts';
import { shell, type Ended } from '../support/pages/shell.ts';
import { line, type Line, type Proof } from './proof.ts';

export const proof: Proof = {
  name: 'own-csv',
  sets: ['user'],
  what: 'empty folder to own pipeline on own CSV (init --from): commands and seconds; missing packages are named before a row is sent',
  async run({ note }) {
    await using made = await packAndInstall();
    const lines: Line[] = [];
    for (const own of await ownTables()) {
      note(own.file);
      lines.push(await inPlace(made, (place) => firstHour(place, own)));
    }
    note('without the packages that embed text');
    lines.push(...(await inPlace(made, withoutPackages)));
    return lines;
  },
};

async function inPlace<T>(made: Package, act: (place: Place) => Promise<T>): Promise<T> {
  await using places = await createPlaces(made);
  return await act(await places.open('empty'));
}

type OwnTable = { file: string; bytes: string | Uint8Array; init?: string; rows: number };

/** Tables as people have them: with a key, without one, and as a spreadsheet of another country exports it. */
async function ownTables(): Promise<OwnTable[]> {
  const airports = await readFile(join(root, 'node_modules', 'vega-datasets', 'data', 'airports.csv'), 'utf8');
  const houses = Array.from({ length: 60 }, (_, at) => `${at + 1};Piso con balcón cerca del río, número ${at};${at},5;k.A.`);
  return [
    { file: 'data/films.csv', bytes: fileOnPage('docs/tutorial.md', 'data/films.csv'), rows: 24 },
    { file: 'data/airports.csv', bytes: airports.split('\n').slice(0, 301).join('\n'), rows: 300 },
    {
      file: 'data/Häuser 2024.csv',
      bytes: Buffer.from(`Informe\n\nnúmero;descripción;precio;nota\n${houses.join('\n')}\n`, 'latin1'),
      init: ` --csv '{ encoding: windows-1252, skip: 2, decimal: ",", nulls: ["k.A."] }'`,
      rows: 60,
    },
  ];
}

async function write({ dir }: Place, { file, bytes }: OwnTable): Promise<void> {
  await mkdir(join(dir, 'data'), { recursive: true });
  await writeFile(join(dir, file), bytes);
}

/** The pipeline that `init --from` says it wrote. */
const pipelineOf = (said: string): string => /^wrote (pipelines\/\S+)$/m.exec(said)?.[1] ?? 'pipelines/none.yaml';

async function firstHour(place: Place, own: OwnTable): Promise<Line> {
  await write(place, own);
  const started = performance.now();
  let pipeline = '';
  const commands = [
    () => `npm install ./portolan-*.tgz ${embeddings.join(' ')}`,
    () => `npx portolan init --from '${own.file}'${own.init ?? ''}`,
    () => 'npx portolan dev --detach',
    () => `npx portolan run ${pipeline} --connection local`,
  ];
  let last: Ended = { code: 0, out: '', said: '' };
  let done = 0;
  for (const command of commands) {
    last = await shell(command(), place);
    if (last.code !== 0) break;
    done += 1;
    if (done === 2) pipeline = pipelineOf(last.said);
  }
  const seconds = (performance.now() - started) / 1_000;
  const rows = Number(/^ +rows +([\d,]+)$/m.exec(last.said)?.[1]?.replaceAll(',', ''));
  const map = /^ +map +(http\S+)$/m.exec(last.said)?.[1];
  const ok = done === commands.length && rows === own.rows && map !== undefined;
  const figure = `${done} commands, ${seconds.toFixed(0)} s, ${rows} rows, ${map === undefined ? 'no map' : 'a map'}`;
  return line(own.file, ok ? figure : `${figure}: ${last.said.slice(-400)}`, `${commands.length} commands, ${own.rows} rows, a map`, ok);
}

async function withoutPackages(place: Place): Promise<Line[]> {
  const run = (command: string): Promise<Ended> => shell(command, place);
  const [films] = await ownTables();
  await write(place, films!);
  await run('npm install ./portolan-*.tgz');
  const none = await run('npx portolan init --from data/none.csv');
  const { said: files } = await run('ls');
  const init = await run('npx portolan init --from data/films.csv');
  await run('npx portolan dev --detach --control');
  const named: [string, string][] = [
    ['init', init.said],
    ['doctor', (await run('npx portolan doctor')).said],
    ['plan', (await run('npx portolan plan pipelines/films.yaml --connection local')).said],
  ];
  const refused = await run('npx portolan run pipelines/films.yaml --connection local');
  const datasets = await run('npx portolan call maps.projects.list --connection local');
  const silent = named.filter(([, said]) => !said.includes('npm install @energetic-ai/embeddings')).map(([name]) => name);
  const sent = !/"projects":\s*\[\]/.test(datasets.said);
  await run(`npm install ${embeddings.join(' ')}`);
  const doctor = await run('npx portolan doctor');
  const again = await run('npx portolan run pipelines/films.yaml --connection local');
  return [
    line(
      'packages that embed text are missing',
      silent.length === 0
        ? `init, doctor and plan name them; run: exit ${refused.code}, ${sent ? 'something was sent' : 'nothing sent'}`
        : `not named by ${silent.join(', ')}`,
      'named by all three, the run refused before anything is sent',
      silent.length === 0 && refused.code === 2 && !sent,
    ),
    line(
      'the packages are installed while portolan dev runs',
      `doctor exit ${doctor.code}, run exit ${again.code}${again.code === 0 ? '' : `: ${again.said.slice(-400)}`}`,
      'seen without a restart',
      doctor.code === 0 && again.code === 0,
    ),
    line(
      'control, a table that is not there',
      `exit ${none.code}: ${none.said.trim().replaceAll('\n', ' | ').slice(0, 160)}`,
      'said, and nothing written',
      none.code === 1 && /no such file/.test(none.said) && !files.includes('portolan.config.mts'),
    ),
  ];
}
