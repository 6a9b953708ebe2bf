import { limitMs, runTests } from './run-tests.ts';

/** Runs each test file that a row names once in an unbroken copy, '' being all of them: a red one would catch every mutant. */
export function createGreen(note: (text: string) => void) {
  const known = new Map<string, Promise<number | undefined>>();
  const red: string[] = [];
  const look = async (file: string, dir: string): Promise<number | undefined> => {
    const most = file === '' ? 6 * limitMs : limitMs;
    const { result, why, seconds } = await runTests(dir, file === '' ? [] : [file], { limitMs: 2 * most, testMs: most });
    if (result === 'green') return seconds;
    const name = file || 'npm test';
    note(`${result} without a mutant: ${name}: ${why}`);
    red.push(`; ${name}: ${why}`);
    return undefined;
  };
  const timed = (file: string, dir: string): Promise<number | undefined> => {
    const looked = known.get(file) ?? look(file, dir);
    known.set(file, looked);
    return looked;
  };
  return {
    red,
    files: () => known.size,
    /** What the files took; undefined where one is red. */
    async seconds(files: readonly string[], dir: string): Promise<number | undefined> {
      let sum = 0;
      for (const file of files) {
        const seconds = await timed(file, dir);
        if (seconds === undefined) return undefined;
        sum += seconds;
      }
      return sum;
    },
  };
}
