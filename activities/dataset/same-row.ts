import { instant } from '../../contracts/time.ts';

/** Does the dataset's row say the same as the shard's? Dates may come as ISO text, and null text is the text `null`. */
export function sameRow(sent: Record<string, string | number | null>, held: Record<string, unknown>): boolean {
  return Object.entries(sent).every(([name, value]) => {
    const other = held[name];
    if (value === null || other === null || other === undefined) return (value ?? 'null') === (other ?? 'null');
    if (typeof value === 'number') return sameNumber(value, toNumber(other));
    return value === (typeof other === 'string' ? other : JSON.stringify(other));
  });
}

const toNumber = (value: unknown): number => (typeof value === 'string' && /\d{4}-\d\d-\d\d/.test(value) ? instant(value) : Number(value));

/** A float32 may be written short (0.1): then both sides mean the same float32. Whole numbers are exact. */
const sameNumber = (sent: number, held: number): boolean =>
  sent === held || (!Number.isInteger(sent) && Math.fround(sent) === Math.fround(held));
