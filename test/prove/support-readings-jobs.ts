import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import type { Readings } from '../../contracts/assumptions/index.ts';
import { compile } from '../../pipelines/compile/compile.ts';
import { evaluateTree } from '../../pipelines/expressions/evaluate.ts';
import { parse } from '../../pipelines/file/parse.ts';
import { steps } from '../../pipelines/steps/table.ts';
import { keptValue } from '../../store/kept-values.ts';
import type { Json } from '../../text/json.ts';
import type { StepWorld } from '../activities/step-world.ts';

/** `right`, the type of the error that refused it, or what is wrong although the run was green. */
export type Outcome = { job: string; is: 'right' | 'refused' | 'wrong'; what: string };

export type Ran = { outputs: any; store: ReturnType<StepWorld['newRun']>['store']; ids(list: unknown): Promise<string[]> };

/** Runs a pipeline text step by step, as the interpreter does, without a Temporal server between. */
export async function run(world: StepWorld, text: string, params: Record<string, string>): Promise<Ran> {
  const compiled = compile(parse(text), { steps, baseDir: world.dir, connection: 'here', params });
  if ('findings' in compiled) throw new Error(`the file of the proof: ${compiled.findings.map(({ message }) => message).join('; ')}`);
  const { plan } = compiled;
  const running = world.newRun();
  const done: Record<string, Json> = {};
  const scope = () => ({ params: plan.params, steps: done, run: { id: running.id, pipeline: plan.pipeline } });
  for (const step of plan.steps) {
    if (step.kind === 'gate') continue;
    const options = { id: step.id, approved: true as const, ...(step.tolerate ? { tolerate: step.tolerate } : {}) };
    const { output } = await running.step(step.use, evaluateTree(step.with, scope()), options);
    done[step.id] = await keptValue(output as Json);
  }
  return {
    outputs: evaluateTree(plan.outputs, scope()),
    store: running.store,
    async ids(list) {
      const { uri, count } = list as { uri: string; count: number };
      return (await running.store.readIds(uri, 0, count)).toSorted();
    },
  };
}

export const same = (what: string, found: unknown, wanted: unknown): string | undefined =>
  JSON.stringify(found) === JSON.stringify(wanted) ? undefined : `${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`;

/** The first of what is wrong. */
export const first = (...all: (string | undefined)[]): string | undefined => all.find((each) => each !== undefined);

/** How a build that cannot be is refused: by the service at once, or by the step that sees it fail. */
const refusals = new Set(['ApiError', 'ServiceFailed', 'NotOffered', 'ReadingUnknown']);

/** Jobs under these readings, with the outcome of each. */
export async function jobsOf(world: StepWorld, readings: Partial<Readings>) {
  const outcomes: Outcome[] = [];
  // What was found of a service under other readings is of another service.
  await rm(join(world.dir, '.portolan', 'runs', 'known'), { recursive: true, force: true });
  /** `act` may be refused; what `check` finds wrong was green. */
  const job = async <T>(name: string, act: () => Promise<T>, check: (value: T) => Promise<string | undefined>): Promise<T | undefined> => {
    await world.control.assume(readings);
    try {
      const value = await act();
      await world.control.assume();
      const wrong = await check(value);
      outcomes.push({ job: name, is: wrong === undefined ? 'right' : 'wrong', what: wrong ?? '' });
      return value;
    } catch (error) {
      if (!(error instanceof ApplicationFailure && error.type)) throw error;
      outcomes.push({ job: name, is: 'refused', what: `${error.type}: ${error.message}` });
      return undefined;
    } finally {
      await world.control.assume();
    }
  };
  /** What may be refused by name under every reading: right where it is, or where its check is. */
  const rightOrRefused = async <T>(
    name: string,
    act: () => Promise<T>,
    check: (value: T | undefined) => Promise<string | undefined>,
  ): Promise<void> => {
    await job(name, act, check);
    const last = outcomes.at(-1)!;
    if (last.is !== 'refused' || !refusals.has(last.what.split(':')[0]!)) return;
    outcomes[outcomes.length - 1] = { job: name, is: 'right', what: '' };
  };
  /** What cannot be done under any reading: right where it is refused by name. */
  const impossible = (name: string, act: () => Promise<unknown>): Promise<void> => rightOrRefused(name, act, async () => 'it was green');
  return { outcomes, job, rightOrRefused, impossible };
}
