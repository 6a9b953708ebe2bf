import { BadInput, Undecided } from '../../errors/classes.ts';
import { mostOfShare } from '../../pipelines/share.ts';
import type { StepContext } from '../frame/context.ts';

/** Items of which nobody knows what was done. */
const unknown = 'unknown';

/**
 * Fails the step when more items ended so than the file tolerates; with `Undecided` where nobody knows what was done, which is no input
 * to correct. `remedy`: what makes fewer of them end so. Without a word in the file nothing is tolerated.
 */
export function checkTolerance(
  context: StepContext,
  status: string,
  count: number,
  of: number,
  first?: string,
  remedy = status === unknown
    ? 'Say what became of each in a rerun (--fate ITEM=done, or --fate ITEM=again)'
    : 'Correct what they come from',
): void {
  if (count === 0) return;
  const { share, count: most } = context.tolerate[status] ?? {};
  if (share !== undefined && count <= mostOfShare(share, of)) return;
  if (most !== undefined && count <= most) return;
  const percent = (value: number): string => `${(value * 100).toFixed(value < 0.001 ? 3 : 1)} %`;
  const tolerated = share !== undefined ? percent(share) : String(most ?? 0);
  const message = `${count} of ${of} items ${status} (${percent(count / of)}, tolerated ${tolerated})${first ? `; first: ${first}` : ''}. ${remedy}, or set tolerate: { ${status}: … }`;
  throw status === unknown ? new Undecided(message) : new BadInput('bad_input', message);
}
