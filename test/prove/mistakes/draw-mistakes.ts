import { createDraw } from './draw.ts';
import { columns } from './tables.ts';
import { expressions, given, references } from './references.ts';
import { keys } from './keys.ts';
import { order } from './order.ts';
import { placesOf } from './places.ts';
import { rightFiles } from './right-files.ts';
import { syntax } from './syntax.ts';
import { numbers, types, words } from './values.ts';
import type { Mistake, MistakeClass, Right } from './mistake.ts';

export const classes: readonly MistakeClass[] = [syntax, keys, types, words, numbers, references, given, expressions, columns, order];

/** Classes whose mistakes stand in the place of a value, and leave the rest right. */
const plainValues: ReadonlySet<MistakeClass> = new Set([types, words, numbers, columns, order]);

/** True where the place was the only one that used a parameter: that would be a second mistake. */
const losesParam = (before: string, after: string): boolean =>
  [...before.matchAll(/params\.(\w+)/g)].some(([reference]) => !after.includes(reference));

export type Drawn = Mistake & { class: string };

/** So many different mistakes, as many of each class, each in a right file of its own. */
export function drawMistakes(seed: number, count: number): Drawn[] {
  const draw = createDraw(seed);
  const rights: Right[] = Object.entries(rightFiles).map(([name, text]) => ({ name, text, places: placesOf(text) }));
  const drawn = new Map<string, Drawn>();
  for (let turn = 0; drawn.size < count && turn < 100 * count; turn++) {
    const from = classes[turn % classes.length]!;
    // Every maker has its turn, so that none is left to chance.
    const maker = from.makers[Math.floor(turn / classes.length) % from.makers.length]!;
    const right = draw.pick(rights);
    const made = maker.make(right, draw);
    if (made && made.text !== right.text && !drawn.has(made.text) && !(plainValues.has(from) && losesParam(right.text, made.text)))
      drawn.set(made.text, { ...made, what: maker.what, file: right.name, class: from.name });
  }
  return [...drawn.values()];
}
