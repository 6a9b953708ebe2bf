import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { freePort } from '../../dev/ports.ts';
import { verbs } from '../../cli/verbs/index.ts';
import type { Place } from '../support/pages/places.ts';

const execute = promisify(execFile);

/** `lacks`: what the example speaks of and this project has not, which it says. */
export type Example = { verb: string; command: string; trouble?: string; lacks?: string };

/** Examples that speak of what this project has not, and how each says so: they are read, and looked for as far as that. */
const lacking: Readonly<Record<string, RegExp>> = {
  'portolan preview https://data.example.com/movies.parquet': /the connection failed \(ENOTFOUND\)/,
  "portolan preview 's3://acme/2026/*.parquet'": /no S3 storage is configured/,
  "portolan preview 'select id, title from films' --postgres shop": /the database 'shop' is not under sources\.postgres/,
  "portolan preview data/films.xlsx --excel '{ sheet: Films, skip: 2 }'": /films\.xlsx: no such file/,
  'portolan watermark set ingest rows 2024-12-31': /no mark is of pipeline 'ingest'/,
  'portolan service keys create --scope developer:files --user ada@example.com': /no user with the email ada@example\.com/,
};

type Ended = { code: number; stdout: string; stderr: string };

/** Verbs whose example needs a run that waits for a person, and is changed by it. */
const waiting = new Set(['approve', 'reject', 'pause', 'resume', 'cancel']);

/** Verbs that start what runs here already. */
const alone = new Set(['demo', 'dev', 'service']);

/** Verbs that write a file which is there already. */
const makers = new Set(['init', 'step']);

/** Runs that the examples speak of by invented names: one that is done, one that failed. */
const invented = { done: 'ingest-2026-11-21-a7f3c09b', failed: 'ingest-2026-11-21-b2c4' };

const gated = `
steps:
  review: { use: gate.approve, with: { who: you, show: 24 } }
  rows: { use: own.greet, needs: [review], with: { names: [Ada] } }
`;

/** Every example of every verb, as help shows it, in a project that has what they speak of. */
export async function runExamples({ dir, env, words }: Place): Promise<Example[]> {
  const path = [join(dir, 'node_modules', '.bin'), env['PATH']].join(delimiter);
  const reader = { ...env, PATH: path };
  const shell = (script: string): Promise<Ended> =>
    execute('bash', ['-ec', words(script)], { cwd: dir, env: reader, maxBuffer: 1e8, timeout: 300_000 }).then(
      (said) => ({ code: 0, ...said }),
      (error: { code?: number; stdout: string; stderr: string }) => ({ ...error, code: error.code ?? 1 }),
    );
  const started = async (script: string): Promise<Record<string, any>> => {
    const { stdout, stderr } = await shell(script);
    const last = stdout.trim().split('\n').at(-1) ?? '';
    if (!last.startsWith('{')) throw new Error(`${script}: ${stderr}${stdout}`);
    return JSON.parse(last) as Record<string, any>;
  };

  await writeWhatTheySpeakOf(dir, words);
  const done = await started('portolan run pipelines/ingest.yaml -c local --json');
  const dataset = (done['outputs'] as { dataset: string }).dataset;
  const failed = await started('portolan run pipelines/broken.yaml --json || true');
  const gate = async (): Promise<string> => String((await started('portolan run pipelines/gated.yaml --detach --json'))['run']);

  const examples: Example[] = [];
  for (const { name, load } of verbs) {
    if (alone.has(name)) await shell('portolan dev --stop');
    if (makers.has(name)) await rm(join(dir, 'steps', 'greet.mts'), { force: true });
    for (const example of (await load()).examples) {
      const command = example
        .replaceAll(invented.done, waiting.has(name) ? await gate() : String(done['run']))
        .replaceAll(invented.failed, String(failed['run']))
        .replaceAll('{"project_id": "…"}', JSON.stringify({ project_id: dataset }))
        .replace('--port 7411', `--port ${await freePort()}`)
        .replace('--connection prod', name === 'call' ? '--connection local' : '--connection prod');
      const trouble = endless(command) ? await beside(words(command), dir, reader) : troubleOf(await shell(command));
      const lacks = lacking[example]?.exec(trouble ?? '')?.[0];
      examples.push({ verb: name, command, ...(lacks === undefined ? trouble !== undefined && { trouble } : { lacks }) });
    }
    if (alone.has(name)) await shell('portolan dev --stop; portolan dev --detach --embedding lexical');
    // The worker takes up the code of a step that was made, and a run begins when it has.
    if (makers.has(name)) await started('portolan run pipelines/hello.yaml --json');
  }
  return examples;
}

/** What went wrong, and what a command said of it, which may stand before much that went well. */
function troubleOf({ code, stdout, stderr }: Ended): string | undefined {
  if (code === 0) return undefined;
  const said = `${stderr}${stdout}`.replaceAll(/npm warn.*\n/g, '');
  return `exit ${code}: ${said.slice(Math.max(0, said.indexOf('✗'))).slice(0, 600)}`;
}

/** Commands that go on until they are ended. */
const endless = (command: string): boolean => /portolan (dev|service|worker)\b(?!.*--(detach|stop|reset))/.test(command);

async function beside(command: string, cwd: string, env: Record<string, string>): Promise<string | undefined> {
  const child = spawn('bash', ['-c', command.replace(/(?=portolan )/, 'exec ')], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const exit = once(child, 'exit') as Promise<[number | null]>;
  const works = await Promise.race([once(child.stdout, 'data').then(() => true), exit.then(() => false)]);
  child.stdout.resume();
  child.kill('SIGTERM');
  const [code] = await exit;
  return works && code === 0 ? undefined : `${works ? '' : 'said nothing, '}exit ${code}: ${said.slice(-600)}`;
}

/** Files of the names that the examples take, with what the pipelines of the tutorial can do with them. */
async function writeWhatTheySpeakOf(dir: string, words: Place['words']): Promise<void> {
  const write = (name: string, text: string): Promise<void> => writeFile(join(dir, name), words(text));
  const duck = await (await DuckDBInstance.create()).connect();
  const films = `read_csv('${join(dir, 'data', 'films.csv')}')`;
  for (const name of ['movies', 'fixed']) await duck.run(`copy (from ${films}) to '${join(dir, 'data', `${name}.json`)}' (format json)`);
  // Too few for a map: that shows in the run alone.
  await duck.run(`copy (from ${films} limit 5) to '${join(dir, 'data', 'few.json')}' (format json)`);
  await duck.run(`copy (select id, genre as origin from ${films}) to '${join(dir, 'data', 'flights.csv')}'`);
  for (const part of [1, 2]) await duck.run(`copy (from ${films}) to '${join(dir, 'data', `flights-${part}.parquet`)}' (format parquet)`);
  await write('data/born.csv', 'name,born\nAda,10/12/1815\nGrace,09/12/1906\n');
  await write('datasets.jsonl', '{"dataset":"one"}\n{"dataset":"two"}\n');
  await write('pipelines/gated.yaml', `name: gated\n${gated}`);
  const tutorial = await readFile(join(dir, 'pipelines', 'films.yaml'), 'utf8');
  const ingest = tutorial
    .replace('name: films', 'name: ingest\nconnection: local')
    .replace('../data/films.csv', '../data/movies.json')
    .replace('onChange: replace', 'onChange: report')
    .replace('steps:', 'environments: { prod: { params: { dataset: films } } }\nschedule: { every: 1d }\n\nsteps:')
    .replace('\n  map:', '    undo: { use: own.greet, with: { names: [Ada] } }\n\n  map:')
    .replace('outputs:', 'outputs:\n  dataset: ${{ steps.dataset.id }}');
  await write('pipelines/ingest.yaml', ingest);
  await write('pipelines/broken.yaml', ingest.replace('movies.json', 'few.json').replace('default: films', 'default: few'));
}
