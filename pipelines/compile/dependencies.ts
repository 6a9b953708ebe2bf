import type { AnalysedStep } from './analysed-step.ts';
import { formatPath, type Finding } from '../file/findings.ts';
import { order } from './order.ts';
import type { Parsed } from '../file/parse.ts';
import type { Json } from '../../text/json.ts';

/**
 * A step that reads or writes a dataset follows every step above it that writes the same one: two writers at once could
 * not know whose rows the service counts.
 */
export function followWriters(steps: AnalysedStep[]): void {
  const same = (step: AnalysedStep): string | undefined => {
    const field = step.definition.dataset?.field;
    const value = field === undefined ? undefined : (step.with as { [name: string]: Json })[field];
    return value === undefined ? undefined : JSON.stringify(value).replaceAll(/\s+/g, '');
  };
  for (const [index, step] of steps.entries()) {
    if (step.definition.dataset === undefined) continue;
    for (const above of steps.slice(0, index)) {
      if (above.definition.dataset?.as === 'writes' && same(above) === same(step) && !step.needs.includes(above.id))
        step.needs.push(above.id);
    }
  }
}

const needsOf = (steps: readonly AnalysedStep[]): Map<string, string[]> => new Map(steps.map(({ id, needs }) => [id, needs]));

export function checkOrder(steps: readonly AnalysedStep[], { locate }: Parsed): Finding[] {
  const sorted = order(needsOf(steps));
  if ('order' in sorted) return [];
  const path = ['steps', sorted.cycle[0]!];
  const message =
    sorted.cycle.length === 2 ? `step '${sorted.cycle[0]}' refers to itself` : `steps wait for each other: ${sorted.cycle.join(' → ')}`;
  return [{ code: 'cycle', message, path: formatPath(path), ...locate.key(path) }];
}
