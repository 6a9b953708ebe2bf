import type { AnalysedStep } from './analysed-step.ts';
import { datasetUses } from './dataset-uses.ts';
import { sideBySide } from './lift-needs.ts';
import { before } from './order.ts';

/**
 * A step that reads or writes a dataset follows every step above it that writes the same one, also where they are pipelines whose steps
 * do: two writers at once could not know whose rows the service counts.
 */
export function followWriters(steps: AnalysedStep[]): void {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const uses = new Map(steps.map((step) => [step, datasetUses(step, byId)]));
  const writes = (above: AnalysedStep, name: string): boolean => uses.get(above)!.some((use) => use.as === 'writes' && use.name === name);
  for (const [index, step] of steps.entries()) {
    for (const above of steps.slice(0, index)) {
      if (!uses.get(step)!.some(({ name }) => writes(above, name))) continue;
      const [first, second] = sideBySide(above, step, byId);
      if (!first || !second || first === second || second.needs.includes(first.id)) continue;
      // The file says itself which one comes first.
      if (before(first.id, new Map(steps.map(({ id, needs }) => [id, needs]))).has(second.id)) continue;
      second.needs.push(first.id);
      // It follows for the order alone: what was not written is not waited for.
      second.accepts[first.id] = ['done', 'tolerated', 'skipped'];
    }
  }
}
