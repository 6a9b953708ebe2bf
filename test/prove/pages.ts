import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { blocksOf, pageFiles, pageText, type Block } from '../support/pages/blocks.ts';
import { createPlaces, packAndInstall, type Package } from '../support/pages/places.ts';
import { runPage, type BlockOutcome } from '../support/pages/run-page.ts';
import { line, type Line, type Proof } from './proof.ts';
import { runContainerFile, runUnit } from './support-deployed.ts';
import { runExamples } from './support-examples.ts';

const run = promisify(execFile);

export const proof: Proof = {
  name: 'pages',
  sets: ['user'],
  what: 'every command of every page, from the packed tarball, with what it prints; the systemd unit and the container file',
  async run({ note, only }) {
    await using made = await packAndInstall();
    const lines: Line[] = [];
    const chosen = pageFiles.filter((file) => only === undefined || file.includes(only));
    for (const file of chosen) {
      const blocks = blocksOf(pageText(file), file);
      if (!blocks.some(({ language, file: name, proof }) => language === 'sh' && !name && !proof)) continue;
      note(file);
      lines.push(outcomeLine(file, await onPage(blocks, made)));
    }
    if (only === undefined || 'docs/commands.md'.includes(only)) {
      note('the examples of every verb');
      lines.push(await examplesLine(made, note));
    }
    if (only === undefined || 'docs/cluster.md'.includes(only)) lines.push(...(await deployed(made)));
    lines.push(...(await controls(made)));
    return lines;
  },
};

async function onPage(blocks: readonly Block[], made: Package): Promise<BlockOutcome[]> {
  await using places = await createPlaces(made);
  return await runPage(blocks, places.open);
}

const seconds = (outcomes: readonly BlockOutcome[]): string => `${outcomes.reduce((sum, each) => sum + each.seconds, 0).toFixed(0)} s`;

function outcomeLine(file: string, outcomes: readonly BlockOutcome[]): Line {
  const wrong = outcomes.find(({ trouble }) => trouble !== undefined);
  const commands = outcomes.flatMap((outcome) => outcome.commands).length;
  const figure = wrong ? `${file}:${wrong.line} ${wrong.trouble}` : `${commands} commands as it says, ${seconds(outcomes)}`;
  return line(file, figure, 'every command ends and prints as the page says', wrong === undefined && commands > 0);
}

/** docs/commands.md: its commands are the examples of `--help`. */
async function examplesLine(made: Package, note: (text: string) => void): Promise<Line> {
  await using places = await createPlaces(made);
  const examples = await runExamples(await places.open('examples'));
  const wrong = examples.filter(({ trouble }) => trouble !== undefined);
  const [first] = wrong;
  const lacking = examples.filter(({ lacks }) => lacks !== undefined).length;
  for (const { command, trouble } of wrong) note(`${command}: ${trouble}`);
  return line(
    'docs/commands.md: the examples of every verb',
    first
      ? `${wrong.length} of ${examples.length} fail; ${first.command}: ${first.trouble}`
      : `${examples.length - lacking} as they stand, ${lacking} say what this project has not`,
    'exit 0, or what it lacks',
    wrong.length === 0,
  );
}

/** The unit and the container file of the page on clusters: each worker does a run, and ends in order when it is asked to. */
async function deployed(made: Package): Promise<Line[]> {
  await using places = await createPlaces(made);
  const blocks = blocksOf(pageText('docs/cluster.md'), 'docs/cluster.md');
  const place = await places.open('cluster');
  const env = { ...place.env, TEMPORAL_ADDRESS: place.words('temporal.example.com:7233') };
  let greeted = '';
  const greet = (dir: string) => async (): Promise<void> => {
    const { stdout } = await run('npx', ['portolan', 'run', 'pipelines/hello.yaml'], { cwd: dir, env });
    greeted = /greeted\s+3/.exec(stdout)?.[0] ?? stdout.slice(-200);
  };
  const unit = await runUnit(blocks, { ...place, env }, greet(place.dir));
  const unitLine = line(
    'systemd unit: a worker does a run, and ends on its signal',
    `${unit.verdict || 'systemd finds nothing'}, ${greeted}, exit ${unit.code} after ${unit.seconds.toFixed(1)} s`,
    `systemd finds nothing, greeted 3, exit 0 within ${unit.within} s`,
    unit.verdict === '' && /^greeted\s+3$/.test(greeted) && unit.code === 0 && unit.seconds <= unit.within,
  );
  greeted = '';
  const image = await runContainerFile(blocks, { ...place, env }, () => greet(`${place.dir}/../image`)());
  return [
    unitLine,
    line(
      'container file: built, a worker does a run, and ends on its signal',
      `${greeted}, exit ${image.code} after ${image.seconds.toFixed(1)} s`,
      'greeted 3, exit 0',
      /^greeted\s+3$/.test(greeted) && image.code === 0,
    ),
  ];
}

/** A page with a mistake of each kind: a misspelt option, an output that is not printed, an exit code that is another. */
async function controls(made: Package): Promise<Line[]> {
  const good = '```sh in=ci\nnpx portolan validate pipelines/films.yaml\n```\n\n```text output\npipelines/films.yaml is valid\n```\n';
  const wrong: Record<string, string> = {
    'a misspelt option': good.replace('validate', 'validate --jsn'),
    'an output that nothing prints': good.replace('is valid', 'is sound'),
    'another exit code': good.replace('in=ci', 'in=ci exit=2'),
  };
  const [right] = await onPage(blocksOf(good, 'control'), made);
  const lines = [
    line('control, a page without a mistake', right?.trouble ?? 'nothing', 'nothing', right !== undefined && right.trouble === undefined),
  ];
  for (const [name, page] of Object.entries(wrong)) {
    const [outcome] = await onPage(blocksOf(page, 'control'), made);
    lines.push(line(`control, ${name}`, outcome?.trouble?.split('\n')[0] ?? 'not noticed', 'noticed', outcome?.trouble !== undefined));
  }
  return lines;
}
