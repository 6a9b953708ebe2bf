import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { serve } from '../support/serve.ts';
import { createWorld, type World } from '../support/world.ts';
import { line, type Line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { placeOfTrouble, stackless, troubles, type Trouble } from './support-trouble.ts';

const secret = 'k3y-of-acme-that-nobody-may-see';

const write = async (world: World, files: Record<string, string>): Promise<void> => {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(world.dir, path)), { recursive: true });
    await writeFile(join(world.dir, path), text);
  }
};

/** What a person reads who asks for the cause. */
type Heard = { said: string; seconds: number };

async function unreadable(world: World, name: string, { files }: Trouble): Promise<Heard> {
  const file = await world.pipeline(`name: ${name}\nsteps: { own: { use: own.${name}, with: { url: x } } }\n`);
  await write(world, files);
  const from = performance.now();
  const { code, out, err } = await world.portolan(['validate', file]);
  await rm(join(world.dir, `steps/${name}.mts`));
  return { said: code === 2 ? err : `exit ${code}: ${out}${err}`, seconds: (performance.now() - from) / 1_000 };
}

async function failing(world: World, name: string, url: string): Promise<Heard> {
  const from = performance.now();
  const { result } = await world.run(`name: ${name}\nsteps: { own: { use: own.${name}, with: { url: "${url}" } } }\n`);
  const { out } = await world.portolan(['why', result.run]);
  return { said: out, seconds: (performance.now() - from) / 1_000 };
}

/** The place stands there as a whole: not as the beginning of another line's number. */
const names = (said: string, place: string): boolean => said.split(/[\s,;()]+/).some((word) => `/${word}:`.includes(`/${place}:`));

const judged = (name: string, trouble: Trouble, { said, seconds }: Heard): Line => {
  const place = placeOfTrouble(trouble);
  const ok = names(said, place) && !said.includes(secret);
  return line(`${trouble.what} (${name})`, ok ? `${place}, ${seconds.toFixed(1)} s` : said.replace(/\s+/g, ' '), `names ${place}`, ok);
};

export const proof: Proof = {
  name: 'own-trouble',
  sets: ['user'],
  what: `${Object.keys(troubles).length} cases of twelve kinds of trouble in own steps: \`why\`, or \`validate\`, names file and line`,
  async run({ note, only }) {
    await using bundle = await createBundle();
    process.env['PROVE_ACME'] = secret;
    await using world = await createWorld({
      bundle: bundle.path,
      prepare: (dir) => writeFile(join(dir, 'portolan.config.mts'), "export default { secrets: { acme: { env: 'PROVE_ACME' } } };\n"),
    });
    await using service = await serve((_, response) => void response.end('<html>no</html>'));
    const url = `${service.url}/`;
    const cases = Object.entries(troubles).filter(([name]) => only === undefined || name === only);
    const lines: Line[] = [];
    const add = (found: Line): void => {
      note(`${found.ok ? 'ok' : 'NOT OK'}: ${found.what}: ${found.figure}`);
      lines.push(found);
    };
    for (const [name, trouble] of cases) if (trouble.unreadable) add(judged(name, trouble, await unreadable(world, name, trouble)));
    for (const [, { files, unreadable: never }] of cases) if (!never) await write(world, files);
    await write(world, stackless);
    await world.worker.stop();
    await world.worker.start(0);
    const pid = world.worker.pid();
    for (const [name, trouble] of cases) if (!trouble.unreadable) add(judged(name, trouble, await failing(world, name, url)));
    lines.push(
      line(
        'the worker',
        world.worker.pid() === pid ? 'the same' : 'another one',
        'none of it ended the worker',
        world.worker.pid() === pid,
      ),
    );
    const hidden = await failing(world, 'stackless', url);
    const control = judged('stackless', { what: 'an error', files: stackless }, hidden);
    lines.push(line('control, an error that hides its stack', control.ok ? 'passes' : 'fails', 'fails', !control.ok));
    return lines;
  },
};
