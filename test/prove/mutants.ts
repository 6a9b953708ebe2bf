import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/sources.mjs';
import { readCaught, writeCaught } from './mutants/caught.ts';
import { createCopy } from './mutants/copies.ts';
import { mutated, testsOf, type Mutant } from './mutants/mutant.ts';
import { createGreen } from './mutants/green-tests.ts';
import { limitMs, runTests, usualMs } from './mutants/run-tests.ts';
import { mutants } from './mutants/table.ts';
import { line, type Proof } from './proof.ts';

/** How much longer one test may take than its files did. */
const slower = 3;

/** Outcomes after which those that were caught are written down. */
const saveEach = 20;

/** `unsound`: its test fails without it too. */
type Fate = 'caught' | 'hung' | 'survived' | 'stale' | 'silent' | 'unsound';
type Outcome = { mutant: Mutant; fate: Fate; why: string; seconds: number };

/** A comment is no rule: what catches this one would catch anything. */
const harmless: Mutant = {
  file: 'client/classify.ts',
  find: '* The one decision about an answer.',
  replace: '* The decision about an answer.',
  rule: 'control: a changed comment',
  test: 'test/client/retry-after.test.ts',
};

export const proof: Proof = {
  name: 'mutants',
  sets: ['floor'],
  anySources: true,
  what: `${mutants.length} plausible bugs, put in one at a time: each is caught by a test`,
  async run({ note, kept, only, allTests, resume }) {
    const wanted = (only ?? '').toLowerCase();
    const chosen = mutants
      .filter(({ file, rule }) => `${file} ${rule}`.toLowerCase().includes(wanted))
      .toSorted((a, b) => costOf(a) - costOf(b) || testsOf(a).join().localeCompare(testsOf(b).join()));
    const judgedSoFar: Outcome[] = [];
    const keys = new Map(await Promise.all(mutants.map(async (mutant) => [mutant, await keyOf(mutant, allTests)] as const)));
    const caughtBefore = await readCaught();
    const wasCaught = (mutant: Mutant): boolean => resume && caughtBefore(keys.get(mutant)!);
    const save = async (): Promise<void> => {
      if (allTests) return;
      const caught = new Set(judgedSoFar.filter(isCaught).map(({ mutant }) => mutant));
      await writeCaught(
        mutants.filter((mutant) => caught.has(mutant) || caughtBefore(keys.get(mutant)!)).map((mutant) => keys.get(mutant)!),
      );
    };
    // An interrupted proof takes its tests and copies with it: they are ended when the process exits.
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        note(`interrupted; --resume goes on: ${figures(judgedSoFar, chosen.length)}`);
        void save().finally(() => process.exit(1));
      });
    const left = chosen.filter((mutant) => !kept.has(keys.get(mutant)!) && !wasCaught(mutant));
    if (left.length < chosen.length) note(`${chosen.length - left.length} were judged before, in the same files by the same tests`);
    const green = createGreen(note);
    if (allTests) await inCopies([['']], (files, dir) => green.seconds(files, dir));
    const outcomes = await inCopies(chosen, async (mutant, dir) => {
      const key = keys.get(mutant)!;
      const judge = async (): Promise<Omit<Outcome, 'mutant'>> => {
        const seconds = kept.has(key) ? 0 : await green.seconds(testsOf(mutant), dir);
        return seconds === undefined ? unsound : kept.round(key, () => judged(mutant, dir, allTests, seconds));
      };
      const outcome = wasCaught(mutant) ? before : await judge();
      judgedSoFar.push({ mutant, ...outcome });
      if (outcome !== before) {
        note(`${outcome.fate}: ${mutant.file}: ${mutant.rule} (${outcome.why || 'no test failed'}; ${outcome.seconds.toFixed(1)} s)`);
        if (judgedSoFar.length % saveEach === 0) await save();
      }
      return { mutant, ...outcome };
    });
    await save();
    const [control] = await inCopies([harmless], (mutant, dir) => judged(mutant, dir, false, 0));
    return [
      line(
        'test files that are green without a mutant',
        `${green.files() - green.red.length} of ${green.files()}${green.red.join('')}`,
        'all',
        green.red.length === 0,
      ),
      line('control: a changed comment', control!.fate, 'survived', control!.fate === 'survived'),
      ...outcomes
        .filter((outcome) => !isCaught(outcome))
        .map(({ mutant, fate, why }) => line(`${mutant.file}: ${mutant.rule}`, `${fate}${why ? `: ${why}` : ''}`, 'caught', false)),
      line('mutants caught', figures(outcomes, chosen.length), 'all', chosen.length > 0 && outcomes.every(isCaught)),
    ];
  },
};

/** Of a row that was caught on another machine, or by an earlier commit. */
const before: Omit<Outcome, 'mutant'> = { fate: 'caught', why: 'judged before', seconds: 0 };

const unsound: Omit<Outcome, 'mutant'> = { fate: 'unsound', why: 'its test is red without it', seconds: 0 };

const isCaught = ({ fate }: Outcome): boolean => fate === 'caught' || fate === 'hung';

const count = (outcomes: readonly Outcome[], fate: Fate): number => outcomes.filter((each) => each.fate === fate).length;

const figures = (outcomes: readonly Outcome[], all: number): string => {
  const seconds = outcomes.reduce((sum, each) => sum + each.seconds, 0);
  return `${count(outcomes, 'caught') + count(outcomes, 'hung')} of ${all} (ended because they hung ${count(outcomes, 'hung')}); survived ${count(outcomes, 'survived')}, stale ${count(outcomes, 'stale')}, without a test that ran ${count(outcomes, 'silent')}, whose test was red ${count(outcomes, 'unsound')}, not run ${all - outcomes.length}; ${Math.round(seconds)} s of tests`;
};

/** Folders of tests that start processes, the cheaper ones first. */
const costly = ['child', 'service', 'activities', 'dev', 'system'];

/** Tests within the process come first: what survives them is known early. Rows of one test file follow each other. */
const costOf = (mutant: Mutant): number => Math.max(...testsOf(mutant).map((test) => costly.indexOf(test.split('/')[1]!)));

/**
 * Puts a mutant into a copy, runs its tests, then all where asked for, and takes it out again. One test may take several times as long as
 * all of them took without it: on a busy machine slowness would count as a catch.
 */
async function judged(mutant: Mutant, dir: string, allTests: boolean, seconds: number): Promise<Omit<Outcome, 'mutant'>> {
  const file = join(dir, mutant.file);
  const whole = await readFile(file, 'utf8');
  let broken: string;
  try {
    broken = mutated(whole, mutant);
  } catch (error) {
    return { fate: 'stale', why: (error as Error).message, seconds: 0 };
  }
  await writeFile(file, broken);
  try {
    const { title } = mutant;
    const tries = [...(title ? [{ files: testsOf(mutant), title }] : []), { files: testsOf(mutant) }, ...(allTests ? [{ files: [] }] : [])];
    const testMs = Math.max(usualMs, slower * seconds * 1_000);
    let spent = 0;
    for (const { files, ...options } of tries) {
      const most = Math.max(limitMs, 2 * testMs);
      const run = await runTests(dir, files, { ...options, testMs, limitMs: files.length === 0 ? 6 * most : most });
      spent += run.seconds;
      if (run.result === 'red') return { fate: 'caught', why: run.why, seconds: spent };
      if (run.result !== 'green') return { fate: run.result, why: run.why, seconds: spent };
    }
    return { fate: 'survived', why: '', seconds: spent };
  } finally {
    await writeFile(file, whole);
  }
}

/** As many copies as there are processors, each with one item at a time. */
async function inCopies<T, R>(items: readonly T[], act: (item: T, dir: string) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = [...items.entries()];
  await Promise.all(
    Array.from({ length: Math.min(items.length, availableParallelism()) }, async () => {
      await using copy = await createCopy();
      for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await act(next[1], copy.dir);
    }),
  );
  return results;
}

/** An outcome is kept by what it rests on: the row, the file that it breaks, and the tests. What these import may have changed since. */
async function keyOf(mutant: Mutant, allTests: boolean): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([mutant, allTests]));
  for (const file of [mutant.file, ...testsOf(mutant)]) hash.update(await readFile(join(root, file)).catch(() => ''));
  return hash.digest('hex');
}
