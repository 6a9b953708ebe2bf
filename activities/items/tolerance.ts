import { BadInput } from '../../errors/classes.ts';
import { mostOfShare } from '../../pipelines/share.ts';
import type { StepContext } from '../frame/context.ts';

/** Fails the step when more items ended so than the file tolerates. `remedy`: what makes fewer of them end so. Without a word in the file nothing is tolerated. */
export function checkTolerance(
  context: StepContext,
  status: string,
  count: number,
  of: number,
  first?: string,
  remedy = 'Correct what they come from',
): void {
  if (count === 0) return;
  const { share, count: most } = context.tolerate[status] ?? {};
  if (share !== undefined && count <= mostOfShare(share, of)) return;
  if (most !== undefined && count <= most) return;
  const percent = (value: number): string => `${(value * 100).toFixed(value < 0.001 ? 3 : 1)} %`;
  const tolerated = share !== undefined ? percent(share) : String(most ?? 0);
  throw new BadInput(
    'bad_input',
    `${count} of ${of} items ${status} (${percent(count / of)}, tolerated ${tolerated})${first ? `; first: ${first}` : ''}. ${remedy}, or set tolerate: { ${status}: … }`,
  );
}
