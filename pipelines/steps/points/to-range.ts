import { instant } from '../../../contracts/time.ts';
import type { ReadingOf } from '../../../contracts/assumptions/index.ts';

/** Types of columns that hold numbers. */
export type NumberType = 'int32' | 'float32' | 'timestamp';

type Bounds = { least: number; most: number; before: (value: number) => number; after: (value: number) => number };

const whole = (least: number, most: number): Bounds => ({ least, most, before: (value) => value - 1, after: (value) => value + 1 });

/** The next float32 above a float32. */
function after32(value: number): number {
  if (value === 0) return 2 ** -149;
  const bits = new Int32Array(new Float32Array([value]).buffer);
  bits[0]! += value > 0 ? 1 : -1;
  return new Float32Array(bits.buffer)[0]!;
}

const largest32 = 3.4028234663852886e38;

/** By type: the extremes, and the neighbours of a value, so that an end which a service leaves out can be moved by one. */
const bounds: Record<NumberType, Bounds> = {
  int32: whole(-(2 ** 31), 2 ** 31 - 1),
  timestamp: whole(-8.64e15, 8.64e15),
  float32: { least: -largest32, most: largest32, before: (value) => -after32(-value), after: after32 },
};

/** Lies nothing that a column of this type holds between two ends? What is beyond its extremes would become the extreme itself. */
export function isBeyond(type: NumberType, from: number | undefined, to: number | undefined): boolean {
  const { least, most } = bounds[type];
  return (from !== undefined && from > most) || (to !== undefined && to < least);
}

/** A value as a column of numbers holds it; undefined for one that it cannot hold. */
export function asNumber(value: unknown, type: NumberType): number | undefined {
  if ((typeof value !== 'string' && typeof value !== 'number') || (typeof value === 'string' && value.trim() === '')) return undefined;
  const number = typeof value === 'string' && type === 'timestamp' && Number.isNaN(Number(value)) ? instant(value) : Number(value);
  const { least, most } = bounds[type];
  return !(number >= least && number <= most) || (type !== 'float32' && !Number.isInteger(number)) ? undefined : number;
}

/**
 * The range of the wire that holds the values from `from` to `to`, both included, as a service with these ends reads it. An
 * open side is the extreme of the type, because a service may refuse a number that the column cannot hold.
 */
export function toRange(
  type: NumberType,
  ends: ReadingOf<'range-ends'>,
  from: number | undefined,
  to: number | undefined,
): [number, number] {
  const { least, most, before, after } = bounds[type];
  const fit = (value: number, round: (value: number) => number): number => {
    const held = Math.min(most, Math.max(least, value));
    return type === 'float32' ? Math.fround(held) : round(held);
  };
  const low = from === undefined ? least : fit(from, Math.ceil);
  const high = to === undefined ? most : fit(to, Math.floor);
  const finite = (value: number, instead: number): number => (Number.isFinite(value) ? value : instead);
  return [ends === 'neither' ? finite(before(low), -3.5e38) : low, ends === 'both' ? high : finite(after(high), 3.5e38)];
}
