import { references } from '../expressions/references.ts';
import { expressionsIn } from '../file/embedded-expressions.ts';
import { formatPath, type Finding, type Locate, type Path } from '../file/findings.ts';
import { rowsLoop } from '../steps/rows-loop.ts';
import type { AnalysedStep } from './analysed-step.ts';

/**
 * Turns of a loop that would write one dataset at the same time: each reads what the dataset holds before it sends, and does not see the rows
 * of the others. What a turn makes or names by itself is its own.
 */
export function checkTurnWrites(steps: readonly AnalysedStep[], locate: Locate): Finding[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const around = ({ in: id }: AnalysedStep): AnalysedStep[] => {
    const outer = id === undefined ? undefined : byId.get(id);
    return outer ? [outer, ...around(outer)] : [];
  };
  /** True where the value is another one in each turn: it reads the item, or a step of the turn; one that names a dataset gives that one. */
  const differs = (value: unknown, loop: AnalysedStep): boolean =>
    expressionsIn(value).some(({ text }) => {
      const { steps: read, items } = references(text);
      if (items.some(({ name }) => name === loop.loop!.as)) return true;
      return read.some(({ id }) => {
        const step = byId.get(id);
        if (!step || !around(step).includes(loop)) return false;
        return step.definition.concurrency === undefined || differs(step.with, loop);
      });
    });
  const found = new Map<AnalysedStep, Finding>();
  for (const step of steps) {
    const { dataset, kind, name } = step.definition;
    if (dataset?.as !== 'writes' || kind !== 'sweep') continue;
    const written = (step.with as { [field: string]: unknown })[dataset.field];
    for (const loop of around(step)) {
      if (!loop.loop || loop.definition.name === rowsLoop.name || loop.loop.parallel === 1) continue;
      if (found.has(loop) || differs(written, loop)) continue;
      const path: Path = [...loop.path, 'forEach', ...(loop.loop.parallel === undefined ? [] : ['parallel'])];
      found.set(loop, {
        code: 'invalid-value',
        message: `turns of '${loop.id}' that go at the same time would write one dataset (${step.id}: ${name}): none sees the rows of the others`,
        path: formatPath(path),
        remedy: 'write parallel: 1 there, or read all of the files in one step, by a glob',
        ...locate.key(path),
      });
    }
  }
  return [...found.values()];
}
