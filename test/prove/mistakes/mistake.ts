import type { Draw } from './draw.ts';
import { lineOf, replaced, type Place, type Span } from './places.ts';

/** A right file with one mistake in it. `lines`: where a finding may point, the place of the mistake first. */
export type Mistake = { what: string; file: string; text: string; lines: readonly number[] };

/** A right file that a mistake is put into. */
export type Right = { name: string; text: string; places: readonly Place[] };

/** One way of making a mistake; undefined where this file gives no occasion for it. */
export type Maker = { what: string; make(right: Right, draw: Draw): Omit<Mistake, 'what' | 'file'> | undefined };

export type MistakeClass = { name: string; makers: readonly Maker[] };

/** The steps of a file, by what they use. */
export const useOf = ({ places }: Right, id: string | number | undefined): unknown =>
  places.find(({ path }) => path.length === 3 && path[0] === 'steps' && path[1] === id && path[2] === 'use')?.data;

/** Fields of a step's input, however deep, of steps of these types; of all where none is named. */
export const inInput = (right: Right, place: Place, field?: string, ...uses: string[]): boolean =>
  place.path[0] === 'steps' &&
  place.path[2] === 'with' &&
  (field === undefined || place.path[3] === field) &&
  (uses.length === 0 || uses.includes(String(useOf(right, place.path[1]))));

/** Puts another text in the place of a span; the mistake is in the line where it begins. */
export const at = (text: string, span: Span, by: string): Omit<Mistake, 'what' | 'file'> => ({
  text: replaced(text, span, by),
  lines: [lineOf(text, span.start)],
});

/** A maker that writes another value for a place that fits; `values` are texts as they stand in a file. */
export const otherValue = (
  what: string,
  fits: (place: Place, right: Right) => boolean,
  values: readonly string[] | ((place: Place, right: Right) => readonly string[]),
): Maker => ({
  what,
  make(right, draw) {
    const fitting = right.places.filter((place) => fits(place, right));
    if (fitting.length === 0) return undefined;
    const place = draw.pick(fitting);
    const choices = typeof values === 'function' ? values(place, right) : values;
    return choices.length === 0 ? undefined : at(right.text, place.value, draw.pick(choices));
  },
});

/** A word as it comes out of hurried fingers; never the same word, never shorter than two letters. */
export function misspelt(word: string, draw: Draw): string {
  const from = 1 + draw.below(Math.max(1, word.length - 2));
  const kinds = [
    () => word.slice(0, from) + word.slice(from + 1),
    () => word.slice(0, from) + word[from]! + word.slice(from),
    () => word.slice(0, from) + (word[from + 1] ?? '') + word[from]! + word.slice(from + 2),
    () => word.slice(0, from) + 'abcdefghijklmnopqrstuvwxyz'[draw.below(26)]! + word.slice(from + 1),
  ];
  for (let attempt = 0; attempt < 50; attempt++) {
    const made = draw.pick(kinds)();
    if (made !== word && made.length > 1) return made;
  }
  return `${word}x`;
}
