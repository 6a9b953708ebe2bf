import { BadInput } from '../../../../errors/classes.ts';
import { documentLimits } from '../../../document-limits.ts';
import { namespaces } from '../../formats/office/namespaces.ts';
import type { Package } from '../../formats/office/package.ts';
import { relationshipsOf } from '../../formats/office/relationships.ts';
import { readWhole, type XmlTag } from '../../formats/office/xml.ts';
import { createCells, type Cells } from './cells.ts';
import type { Labels } from './numbering.ts';
import { emptyParagraph, paragraphBlock, type DocxBlock, type Figure, type Paragraph } from './paragraph.ts';
import type { ParagraphStyle } from './styles.ts';
import { isOn, numberOf, relationOf, valueOf } from './words.ts';

/** What the paragraphs of every part are read by. */
export type Reading = { parts: Package; styles: (id: string | undefined) => ParagraphStyle; labels: Labels };

/** What is not read with all that stands in it: properties as they were, what was moved away, how a word is spoken. */
const unread = new Set(['moveFrom', 'pPrChange', 'rPrChange', 'tblPrChange', 'tcPrChange', 'trPrChange', 'sectPrChange', 'rt']);

/** The second form of a drawing, for older programs, is left out as well. */
const isUnread = (name: string, { local }: XmlTag): boolean => unread.has(name) || (name === '' && local === 'Fallback');

/** Signs that are elements. */
const signs = new Map([
  ['tab', '\t'],
  ['ptab', '\t'],
  ['br', '\n'],
  ['cr', '\n'],
  ['noBreakHyphen', '-'],
]);

const pictures = new Set(['drawing', 'pict', 'object']);

const isWritten = (name: string, { local, uri }: XmlTag): boolean =>
  name === 't' || (name === '' && local === 't' && uri.endsWith('/math'));

/** Where blocks go: the text itself, or a cell of a table, behind which its pictures stand. */
type Place = { blocks: DocxBlock[]; cells?: Cells };

/** What happens to the blocks of a part while its elements come. */
function createWriting({ styles, labels }: Reading) {
  const places: Place[] = [{ blocks: [] }];
  const paragraphs: Paragraph[] = [];
  const figures: Figure[] = [];
  let count = 0;
  let characters = 0;
  const add = (block: DocxBlock): void => {
    const { blocks, cells } = places.at(-1)!;
    count += 1;
    if (count > documentLimits.blocks)
      throw new BadInput('too_large', `holds more than ${documentLimits.blocks} paragraphs and tables; cut it into several documents`);
    if (cells && block.type !== 'Figure') cells.write(block);
    else blocks.push(block);
  };
  return {
    blocks: places[0]!.blocks,
    begin: () => void paragraphs.push(emptyParagraph()),
    paragraph: () => paragraphs.at(-1),
    figure: () => figures.at(-1),
    cells: () => places.at(-1)!.cells,
    write(text: string): void {
      characters += text.length;
      if (characters > documentLimits.characters)
        throw new BadInput(
          'too_large',
          `holds more than ${documentLimits.characters / 1_000_000} million characters; cut it into several documents`,
        );
      const paragraph = paragraphs.at(-1);
      if (paragraph) paragraph.text += text;
    },
    end(): void {
      const paragraph = paragraphs.pop();
      if (!paragraph) return;
      const block = paragraphBlock(paragraph, styles(paragraph.style), labels);
      if (block) add(block);
      for (const { said, part } of paragraph.figures) add({ type: 'Figure', content: said, part });
    },
    beginTable: () => void places.push({ blocks: [], cells: createCells() }),
    endTable(): void {
      const { cells, blocks } = places.pop()!;
      for (const block of [...(cells?.end() ?? []), ...blocks]) add(block);
    },
    beginFigure: () => void figures.push({ said: '', part: undefined }),
    endFigure(): void {
      const made = figures.pop();
      if (made && (made.part !== undefined || made.said !== '')) paragraphs.at(-1)?.figures.push(made);
    },
  };
}

type Writing = ReturnType<typeof createWriting>;

/** What a property says, or the element of a table that begins. */
function see(writing: Writing, name: string, tag: XmlTag, parent: string): void {
  const paragraph = writing.paragraph();
  const cells = writing.cells();
  if (name === 'tr') cells?.row();
  else if (name === 'tc') cells?.cell();
  else if (name === 'gridBefore') cells?.before(numberOf(tag, 'val') ?? 1);
  else if (name === 'gridSpan') cells?.span(numberOf(tag, 'val') ?? 1);
  else if (name === 'vMerge' && (valueOf(tag, 'val') ?? 'continue') === 'continue') cells?.continued();
  else if (name === 'del' && parent === 'trPr') cells?.dropRow();
  else if (name === 'pStyle' && paragraph) paragraph.style = valueOf(tag, 'val');
  else if (name === 'outlineLvl' && paragraph) paragraph.outline = numberOf(tag, 'val');
  else if (name === 'numId' && paragraph) paragraph.numbered.list = valueOf(tag, 'val') ?? '0';
  else if (name === 'ilvl' && paragraph) paragraph.numbered.level = numberOf(tag, 'val') ?? 0;
}

/** What is said of a picture, and which part it is. */
function seePicture(figure: Figure, tag: XmlTag, targets: ReadonlyMap<string, string>): void {
  if (tag.local === 'docPr' || tag.local === 'shape') figure.said ||= (valueOf(tag, 'descr') ?? valueOf(tag, 'alt') ?? '').trim();
  if (tag.local === 'blip' || tag.local === 'imagedata') figure.part ??= targets.get(relationOf(tag) ?? '');
}

/** Reads a part of a document (its body, its notes, a header) as blocks in the order of reading. */
export async function readBlocks(reading: Reading, part: string): Promise<DocxBlock[]> {
  const targets = new Map((await relationshipsOf(reading.parts, part)).map(({ id, target }) => [id, target]));
  const writing = createWriting(reading);
  /** Elements since the one that is not read, itself too. */
  let unseen = 0;
  let isHidden = false;
  let isText = false;
  await readWhole(reading.parts, part, namespaces.words, {
    open(name, tag, parent) {
      if (unseen > 0 || isUnread(name, tag)) unseen += 1;
      else if (isWritten(name, tag)) isText = !isHidden;
      else if (name === 'p') writing.begin();
      else if (name === 'tbl') writing.beginTable();
      else if (name === 'r') isHidden = false;
      else if (name === 'vanish' && parent === 'rPr') isHidden = isOn(tag);
      else if (pictures.has(name)) writing.beginFigure();
      else if (name === '') {
        const figure = writing.figure();
        if (figure) seePicture(figure, tag, targets);
      } else if (parent === 'r' && signs.has(name)) {
        if (!isHidden) writing.write(signs.get(name)!);
      } else see(writing, name, tag, parent);
    },
    text(found) {
      if (isText) writing.write(found);
    },
    close(name) {
      isText = false;
      if (unseen > 0) unseen -= 1;
      else if (name === 'p') writing.end();
      else if (name === 'tbl') writing.endTable();
      else if (name === 'tr') writing.cells()?.endRow();
      else if (name === 'r') isHidden = false;
      else if (pictures.has(name)) writing.endFigure();
    },
  });
  return writing.blocks;
}
