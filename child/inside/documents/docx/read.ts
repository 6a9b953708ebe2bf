import { BadInput } from '../../../../errors/classes.ts';
import { documentLimits } from '../../../document-limits.ts';
import { openPackage } from '../../formats/office/package.ts';
import { relationshipsOf, type Relationship } from '../../formats/office/relationships.ts';
import type { Reader } from '../block.ts';
import { readBlocks, type Reading } from './blocks.ts';
import { readNumbering } from './numbering.ts';
import type { DocxBlock } from './paragraph.ts';
import { readPictures } from './pictures.ts';
import { readStyles } from './styles.ts';
import { readTitle } from './title.ts';

/** What stands beside the body, in the order in which it is read: each text of it once, behind the body. */
const beside = ['footnotes', 'endnotes', 'header', 'footer'] as const;

/** Parts of other Office files, by what names them in a package. */
const others = new Map([
  ['xl', 'a workbook'],
  ['ppt', 'a presentation'],
]);

function mainPart(relationships: readonly Relationship[]): string {
  const main = relationships.find(({ type }) => type === 'officeDocument')?.target;
  if (main === undefined) throw new BadInput('bad_input', 'is a zip archive and no document; unpack it first');
  const other = others.get(main.split('/')[0]!);
  if (other !== undefined) throw new BadInput('bad_input', `is ${other}, and not read as a document; save it as PDF`);
  return main;
}

/** A caption stands with its table, above it, or its picture, below it. */
function captioned(blocks: readonly DocxBlock[]): DocxBlock[] {
  return blocks.map((block, at) => {
    const near = block.type === 'Table' ? blocks[at - 1] : block.type === 'Figure' ? blocks[at + 1] : undefined;
    return near?.isCaption ? { ...block, caption: near.content } : block;
  });
}

async function furtherBlocks(reading: Reading, named: readonly Relationship[]): Promise<DocxBlock[]> {
  const seen = new Set<string>();
  const found: DocxBlock[] = [];
  for (const type of beside)
    for (const { target } of named.filter((each) => each.type === type)) {
      const blocks = await readBlocks(reading, target);
      const text = blocks.map(({ content }) => content).join('\n');
      if (text === '' || seen.has(text)) continue;
      seen.add(text);
      found.push(...blocks);
    }
  return found;
}

/** A document of a word processor (ECMA-376): headings, paragraphs, lists with their numbers, tables, pictures; then notes, headers, footers. */
export const readDocx: Reader = async ({ path, options, context }) => {
  const unpacked = {
    tempGiB: documentLimits.unpackedMiB / 1_024,
    bytes: 0,
    reported: 0,
    report: (bytes: number) => context.unpacked(bytes),
  };
  try {
    using parts = await openPackage(path, unpacked, 'document');
    const ofPackage = await relationshipsOf(parts, '');
    const main = mainPart(ofPackage);
    const named = await relationshipsOf(parts, main);
    const target = (type: string): string | undefined => named.find((each) => each.type === type)?.target;
    const reading: Reading = {
      parts,
      styles: await readStyles(parts, target('styles')),
      labels: await readNumbering(parts, target('numbering')),
    };
    const body = captioned(await readBlocks(reading, main));
    const { blocks, notes } = await readPictures(parts, [...body, ...(await furtherBlocks(reading, named))], options, context);
    const title = blocks.find(({ type }) => type === 'Title')?.content ?? (await readTitle(parts, ofPackage));
    return { title, blocks, notes };
  } catch (error) {
    throw error instanceof BadInput ? new BadInput(error.verdict, `the file ${error.message}`) : error;
  }
};
