import { namespaces } from '../../formats/office/namespaces.ts';
import type { Package } from '../../formats/office/package.ts';
import { readWhole } from '../../formats/office/xml.ts';
import type { Numbered } from './styles.ts';
import { numberOf, valueOf } from './words.ts';

/** How a level of a list is numbered: `text` is `%1.%2)`, in which the numbers of the levels stand. */
type Level = { start: number; format: string; text: string };
type List = { abstract: string; starts: Map<number, number> };

const roman: readonly (readonly [number, string])[] = [
  [1_000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

/** Numbers beyond are written as they are: no list goes so far in letters. */
const longest = 4_000;

const inRoman = (number: number): string => {
  let rest = number;
  return roman
    .map(([value, letters]) => {
      const times = Math.floor(rest / value);
      rest -= times * value;
      return letters.repeat(times);
    })
    .join('');
};

/** a to z, then aa, bb: as word processors count. */
const inLetters = (number: number): string => String.fromCodePoint(97 + ((number - 1) % 26)).repeat(Math.ceil(number / 26));

const written = new Map<string, (number: number) => string>([
  ['lowerRoman', inRoman],
  ['upperRoman', (number) => inRoman(number).toUpperCase()],
  ['lowerLetter', inLetters],
  ['upperLetter', (number) => inLetters(number).toUpperCase()],
  ['decimalZero', (number) => String(number).padStart(2, '0')],
]);

const inFormat = (number: number, format: string): string =>
  number < 1 || number > longest ? String(number) : (written.get(format)?.(number) ?? String(number));

const usual: Level = { start: 1, format: 'decimal', text: '' };

/** What stands before each paragraph of a list, in the order of the document: `2.1`, `b)`; '' for bullets and lists that are none. */
export type Labels = (place: Numbered) => string;

/** Reads how the lists of a document are numbered. */
export async function readNumbering(parts: Package, part: string | undefined): Promise<Labels> {
  const abstracts = new Map<string, Map<number, Level>>();
  const lists = new Map<string, List>();
  let levels: Map<number, Level> | undefined;
  let level: Level | undefined;
  let list: List | undefined;
  let replaced = 0;
  if (part !== undefined)
    await readWhole(parts, part, namespaces.words, {
      open(name, tag) {
        if (name === 'abstractNum') abstracts.set(valueOf(tag, 'abstractNumId') ?? '', (levels = new Map()));
        else if (name === 'num') lists.set(valueOf(tag, 'numId') ?? '', (list = { abstract: '', starts: new Map() }));
        else if (name === 'abstractNumId' && list) list.abstract = valueOf(tag, 'val') ?? '';
        else if (name === 'lvlOverride') replaced = numberOf(tag, 'ilvl') ?? 0;
        else if (name === 'startOverride') list?.starts.set(replaced, numberOf(tag, 'val') ?? 1);
        else if (name === 'lvl') levels?.set(numberOf(tag, 'ilvl') ?? 0, (level = { ...usual }));
        else if (name === 'start' && level) level.start = numberOf(tag, 'val') ?? 1;
        else if (name === 'numFmt' && level) level.format = valueOf(tag, 'val') ?? 'decimal';
        else if (name === 'lvlText' && level) level.text = valueOf(tag, 'val') ?? '';
      },
      close(name) {
        if (name === 'abstractNum') levels = undefined;
        else if (name === 'num') list = undefined;
        else if (name === 'lvl') level = undefined;
      },
    });
  const counters = new Map<string, number[]>();
  const seen = new Set<string>();
  return ({ list: id, level: at }) => {
    const own = lists.get(id);
    const all = own && abstracts.get(own.abstract);
    const shown = all?.get(at);
    if (!own || !all || !shown || shown.format === 'bullet' || shown.format === 'none') return '';
    // Lists of one kind count on from each other, unless one says where it begins.
    const counted = counters.get(own.abstract) ?? [];
    counters.set(own.abstract, counted);
    const startOf = (depth: number): number => own.starts.get(depth) ?? all.get(depth)?.start ?? 1;
    if (own.starts.has(at) && !seen.has(`${id} ${at}`)) counted.length = Math.min(counted.length, at);
    seen.add(`${id} ${at}`);
    for (let depth = counted.length; depth < at; depth += 1) counted[depth] = startOf(depth);
    counted[at] = counted[at] === undefined ? startOf(at) : counted[at] + 1;
    counted.length = at + 1;
    return shown.text.replaceAll(/%([1-9])/g, (_, digit: string) => {
      const depth = Number(digit) - 1;
      return inFormat(counted[depth] ?? startOf(depth), all.get(depth)?.format ?? 'decimal');
    });
  };
}
