import { namespaces } from '../../formats/office/namespaces.ts';
import type { Package } from '../../formats/office/package.ts';
import { readWhole } from '../../formats/office/xml.ts';
import { isOn, numberOf, valueOf } from './words.ts';

/** Place of a paragraph in a numbered list. */
export type Numbered = { list: string; level: number };

/** What a style says of its paragraphs. */
export type ParagraphStyle = {
  isTitle: boolean;
  isCaption: boolean;
  /** 1 is the highest. */
  heading: number | undefined;
  numbered: Partial<Numbered>;
  isHidden: boolean;
};

type Style = { name: string; basedOn?: string; outline?: number; numbered: Partial<Numbered>; isHidden?: boolean };

const plain: ParagraphStyle = { isTitle: false, isCaption: false, heading: undefined, numbered: {}, isHidden: false };

/** More styles than a chain of them has. */
const mostBases = 32;

/** A heading by its name, in the programs that write no outline level. */
const namedHeading = /^heading ([1-9])$/i;

/** Reads the styles of a document, by their ids; each as its bases and itself make it. */
export async function readStyles(parts: Package, part: string | undefined): Promise<(id: string | undefined) => ParagraphStyle> {
  const styles = new Map<string, Style>();
  let usual: string | undefined;
  let style: Style | undefined;
  if (part !== undefined)
    await readWhole(parts, part, namespaces.words, {
      open(name, tag, parent) {
        if (name === 'style') {
          style = { name: '', numbered: {} };
          const id = valueOf(tag, 'styleId') ?? '';
          styles.set(id, style);
          if (valueOf(tag, 'type') === 'paragraph' && valueOf(tag, 'default') !== undefined) usual = id;
        }
        if (!style) return;
        if (name === 'name') style.name = valueOf(tag, 'val') ?? '';
        else if (name === 'basedOn') style.basedOn = valueOf(tag, 'val') ?? '';
        else if (name === 'outlineLvl') style.outline = numberOf(tag, 'val') ?? 9;
        else if (name === 'vanish' && parent === 'rPr') style.isHidden = isOn(tag);
        else if (name === 'numId') style.numbered.list = valueOf(tag, 'val') ?? '0';
        else if (name === 'ilvl') style.numbered.level = numberOf(tag, 'val') ?? 0;
      },
      close(name) {
        if (name === 'style') style = undefined;
      },
    });
  const chainOf = (id: string): Style[] => {
    const chain: Style[] = [];
    for (let at = styles.get(id); at && chain.length < mostBases && !chain.includes(at); at = styles.get(at.basedOn ?? '')) chain.push(at);
    return chain;
  };
  const made = new Map<string, ParagraphStyle>();
  const make = (id: string): ParagraphStyle => {
    const chain = chainOf(id);
    const outline = chain.find((each) => each.outline !== undefined)?.outline;
    const named = chain.map(({ name }) => namedHeading.exec(name)?.[1]).find((level) => level !== undefined);
    const level = outline === undefined ? Number(named) : outline + 1;
    return {
      isTitle: chain.some(({ name }) => /^title$/i.test(name)),
      isCaption: chain.some(({ name }) => /^caption$/i.test(name)),
      heading: level >= 1 && level <= 9 ? level : undefined,
      numbered: Object.assign({}, ...chain.toReversed().map(({ numbered }) => numbered)) as Partial<Numbered>,
      isHidden: chain.find((each) => each.isHidden !== undefined)?.isHidden ?? false,
    };
  };
  return (id = usual) => {
    if (id === undefined) return plain;
    const known = made.get(id) ?? make(id);
    made.set(id, known);
    return known;
  };
}
