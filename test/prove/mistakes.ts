import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { line, type Line, type Proof } from './proof.ts';
import { classes, drawMistakes } from './mistakes/draw-mistakes.ts';
import { judge, type Judged } from './mistakes/judge.ts';
import { createProject } from './mistakes/project.ts';
import { rightFiles } from './mistakes/right-files.ts';
import { unusualFiles } from './mistakes/unusual-files.ts';

const bars = { found: 0.97, line: 0.99, remedy: 0.95, corrected: 0.9 } as const;

const share = (part: number, of: number): string => `${part} of ${of} (${((100 * part) / Math.max(1, of)).toFixed(1)} %)`;

const counted = (what: string, part: readonly Judged[], of: readonly Judged[], bar: number): Line => {
  const missed = of.filter((each) => !part.includes(each)).slice(0, 5);
  const which = missed.map((each) => `${each.what} in ${each.file}:${each.lines[0]}`).join('; ');
  return line(
    what,
    `${share(part.length, of.length)}${which === '' ? '' : `; not: ${which}`}`,
    `≥ ${bar * 100} %`,
    part.length >= bar * of.length,
  );
};

const linesOf = (judged: readonly Judged[]): Line[] => {
  const found = judged.filter((each) => each.found);
  const corrected = found.filter((each) => each.corrected);
  return [
    counted('found before anything is sent', found, judged, bars.found),
    counted(
      'in the right line',
      found.filter((each) => each.inLine),
      found,
      bars.line,
    ),
    counted(
      'with a remedy',
      found.filter((each) => each.remedied),
      found,
      bars.remedy,
    ),
    counted(
      'corrected lines that are valid when a machine puts them in',
      corrected.filter((each) => each.corrected?.findings.length === 0),
      corrected,
      bars.corrected,
    ),
    line('with a corrected line', share(corrected.length, found.length), '≥ 40 %', corrected.length >= 0.4 * found.length),
  ];
};

/** The same with the check for unknown fields taken out of the product, in a process of its own. */
async function control(): Promise<Line> {
  const blind = fileURLToPath(new URL('mistakes/blind.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [blind], { maxBuffer: 1e7 });
  const { found, of } = JSON.parse(stdout.trim().split('\n').at(-1)!) as { found: number; of: number };
  return line(
    'control: with the check for unknown fields taken out, found',
    share(found, of),
    `< ${bars.found * 100} %`,
    of > 0 && found < bars.found * of,
  );
}

export const proof: Proof = {
  name: 'mistakes',
  sets: ['user'],
  what: '400 drawn mistakes in right files are found before the run, in their line, with a remedy; 150 unusual right files have none',
  async run({ note, rounds, short }) {
    await using project = await createProject();
    const right = { ...rightFiles, ...unusualFiles() };
    const alarms: string[] = [];
    for (const [name, text] of Object.entries(right)) {
      const [first] = await project.validate(text);
      if (first) alarms.push(`${name}:${first.line} ${first.message}`);
    }
    const count = short ? 60 : 400;
    const drawn = drawMistakes(rounds, count);
    const judged: Judged[] = [];
    for (const each of drawn) {
      judged.push(await judge(project, each));
      if (judged.length % 100 === 0) note(`${judged.length} of ${drawn.length} mistakes`);
    }
    return [
      line(
        'findings in right files',
        `${alarms.length} of ${Object.keys(right).length}${alarms
          .slice(0, 3)
          .map((each) => `; ${each}`)
          .join('')}`,
        '0',
        alarms.length === 0,
      ),
      line(
        'mistakes',
        `${drawn.length} of ${classes.length} classes in ${Object.keys(rightFiles).length} files`,
        `${count} of 10 classes in ≥ 20 files`,
        drawn.length === count && classes.length === 10 && Object.keys(rightFiles).length >= 20,
      ),
      ...linesOf(judged),
      await control(),
    ];
  },
};
