import { checkExpression, references } from '../expressions/references.ts';
import { expressionsIn } from '../file/embedded-expressions.ts';
import type { AnalysedStep } from './analysed-step.ts';
import { formatPath, type Finding } from '../file/findings.ts';
import { order } from './order.ts';
import { statedNeeds } from './stated-needs.ts';
import type { Parsed } from '../file/parse.ts';
import { endStatuses } from '../plan.ts';

/** What stands under `finally` follows all other steps, however they end, unless it says which ends it takes. */
export function followAll(steps: AnalysedStep[]): void {
  const others = steps.filter((step) => !step.final && step.in === undefined);
  for (const step of steps.filter((each) => each.final && each.in === undefined))
    for (const { id } of others) {
      if (!step.needs.includes(id)) step.needs.push(id);
      step.accepts[id] ??= [...endStatuses];
    }
}

const needsOf = (steps: readonly AnalysedStep[]): Map<string, string[]> => new Map(steps.map(({ id, needs }) => [id, needs]));

/** Steps that wait for each other, at the place where one waits for a step that stands below it. */
export function checkOrder(steps: readonly AnalysedStep[], { locate }: Parsed): Finding[] {
  const sorted = order(needsOf(steps));
  if ('order' in sorted) return [];
  const { cycle } = sorted;
  const at = (id: string): number => steps.findIndex((step) => step.id === id);
  const edges = cycle.slice(0, -1).map((id, index) => ({ id, needed: cycle[index + 1]! }));
  const { id, needed } = edges.find((edge) => at(edge.needed) >= at(edge.id)) ?? edges[0]!;
  const step = steps[at(id)]!;
  const inner = whereNeeded(step, needed);
  const path = [...step.path, ...inner];
  return [
    {
      code: 'cycle',
      message: cycle.length === 2 ? `step '${id}' refers to itself` : `steps wait for each other: ${cycle.join(' → ')}`,
      path: formatPath(path),
      remedy: cycle.length === 2 ? 'refer to a step above' : 'take one of these references out',
      ...(inner.length > 0 ? locate.value(path) : locate.key(path)),
    },
  ];
}

/** Where in a step another one is referred to. */
function whereNeeded({ file, input, loop }: AnalysedStep, needed: string): (string | number)[] {
  if (statedNeeds(file).includes(needed)) return ['needs', Array.isArray(file.needs) ? file.needs.indexOf(needed) : needed];
  const parts = { [input.at(-1)!]: file.with, when: file.when, outputs: loop?.outputs };
  for (const [part, value] of Object.entries(parts)) {
    const found = expressionsIn(value).find(
      ({ text }) => checkExpression(text) === undefined && references(text).steps.some(({ id }) => id === needed),
    );
    if (found) return [part, ...found.path];
  }
  return [];
}
