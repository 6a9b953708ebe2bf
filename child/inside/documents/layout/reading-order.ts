import type { Piece } from './piece.ts';

type Boxed = Pick<Piece, 'left' | 'top' | 'right' | 'bottom' | 'size'>;

/** Deeper than columns of pages nest. */
const mostDepth = 24;

/** The widest stretch that no box covers, from `start` to `end` along one axis, that is at least `least`. */
function gapOf<T extends Boxed>(boxes: readonly T[], start: 'left' | 'top', end: 'right' | 'bottom', least: number): number | undefined {
  const sorted = boxes.toSorted((a, b) => a[start] - b[start]);
  let reach = sorted[0]![end];
  let widest = least;
  let at: number | undefined;
  for (const box of sorted) {
    const gap = box[start] - reach;
    if (gap > widest) {
      widest = gap;
      at = reach + gap / 2;
    }
    reach = Math.max(reach, box[end]);
  }
  return at;
}

/** Boxes in the order of reading, by region: a page is cut into columns where a gap goes all the way down, and else across. */
export function regionsOf<T extends Boxed>(boxes: readonly T[], depth = 0): T[][] {
  if (boxes.length < 2 || depth === mostDepth) return boxes.length > 0 ? [boxes.toSorted((a, b) => a.top - b.top || a.left - b.left)] : [];
  const size = boxes.reduce((sum, box) => sum + box.size, 0) / boxes.length;
  const column = gapOf(boxes, 'left', 'right', size);
  const cut = (at: number, side: 'left' | 'top'): T[][] => [
    ...regionsOf(
      boxes.filter((box) => box[side] < at),
      depth + 1,
    ),
    ...regionsOf(
      boxes.filter((box) => box[side] >= at),
      depth + 1,
    ),
  ];
  if (column !== undefined) return cut(column, 'left');
  const across = gapOf(boxes, 'top', 'bottom', 0.7 * size);
  return across === undefined ? [boxes.toSorted((a, b) => a.top - b.top || a.left - b.left)] : cut(across, 'top');
}
