import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { residentMb } from '../support-memory.ts';

export type TestRun = {
  /** `silent`: vitest ended without having run one test, so that nothing was shown. */
  result: 'green' | 'red' | 'hung' | 'silent';
  /** Title of the first failed test, or why there is none. */
  why: string;
  seconds: number;
};

/** Longer than any test file takes: what still runs then hangs. */
export const limitMs = 300_000;

/** A test of a broken product may wait for what never comes. */
export const usualMs = 60_000;

/** It may also take what memory there is, and the machine with it. */
const usualMb = 6_000;

type Report = { testResults: { status: string; message?: string; assertionResults: { status: string; fullName: string }[] }[] };

/** Runs tests of a copy in processes of their own, up to the first failure; all of them are ended where they hang. */
export async function runTests(
  dir: string,
  files: readonly string[],
  options: { title?: string; limitMs: number; mostMb?: number; testMs?: number },
): Promise<TestRun> {
  const started = performance.now();
  const report = join(dir, 'mutant-report.json');
  await rm(report, { force: true });
  const { testMs = usualMs } = options;
  const args = [
    'run',
    '--bail=1',
    '--maxWorkers=1',
    `--testTimeout=${testMs}`,
    `--hookTimeout=${testMs}`,
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  const vitest = spawn(
    process.execPath,
    [join(dir, 'node_modules/vitest/vitest.mjs'), ...args, ...(options.title ? [`--testNamePattern=${options.title}`] : []), ...files],
    // What one run of a copy has compiled the next ones read.
    { cwd: dir, env: { ...process.env, NODE_COMPILE_CACHE: join(dir, 'compiled') }, stdio: 'ignore', detached: true },
  );
  let hung: string | undefined;
  const endAll = (): void => void process.kill(-vitest.pid!, 'SIGKILL');
  const giveUp = (why: string): void => {
    hung ??= why;
    endAll();
  };
  const limit = setTimeout(() => giveUp(`ended after ${options.limitMs / 1_000} s`), options.limitMs);
  const { mostMb = usualMb } = options;
  const guard = setInterval(async () => {
    if ((await residentMb(vitest.pid!)) > mostMb && vitest.exitCode === null) giveUp(`ended beyond ${mostMb} MB`);
  }, 1_000);
  // Before the copy that they write into is removed.
  process.prependOnceListener('exit', endAll);
  const code = await new Promise<number | null>((resolve, reject) => {
    vitest.once('error', reject);
    vitest.once('exit', resolve);
  });
  clearTimeout(limit);
  clearInterval(guard);
  process.off('exit', endAll);
  const seconds = (performance.now() - started) / 1_000;
  if (hung !== undefined) return { result: 'hung', why: hung, seconds };
  return { ...judge(code, await readFile(report, 'utf8').catch(() => undefined)), seconds };
}

function judge(code: number | null, text: string | undefined): Pick<TestRun, 'result' | 'why'> {
  if (text === undefined) return { result: 'silent', why: `vitest ended ${code} without a report` };
  const { testResults } = JSON.parse(text) as Report;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.find(({ status }) => status === 'failed');
  if (failed) return { result: 'red', why: failed.fullName };
  if (!tests.some(({ status }) => status === 'passed')) {
    const broken = testResults.find(({ status }) => status === 'failed');
    return { result: 'silent', why: broken ? `cannot be loaded: ${broken.message?.split('\n')[0]}` : 'no test ran' };
  }
  return code === 0 ? { result: 'green', why: '' } : { result: 'red', why: `vitest ended ${code}` };
}
