import { BadInput } from '../../../../errors/classes.ts';
import { imageLimits } from '../../../image-limits.ts';
import { documentLimits } from '../../../document-limits.ts';
import type { ChildContext } from '../../../protocol.ts';
import type { ParseOptions } from '../../../documents.ts';
import type { Package } from '../../formats/office/package.ts';
import type { Block } from '../block.ts';
import { isInstalled, installCommand } from '../optional.ts';
import { recogniseImage } from '../ocr/image.ts';
import { textOfWords } from '../ocr/text.ts';
import type { DocxBlock } from './paragraph.ts';

/** The bytes of a part, no more than an image may have. */
async function bytesOf(parts: Package, part: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sum = 0;
  for await (const chunk of parts.read(part)) {
    sum += chunk.byteLength;
    if (sum > imageLimits.fileBytes) throw new BadInput('too_large', `has more than ${imageLimits.fileBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Recognises the characters in the pictures of a document. One that cannot be read stays what is said of it, with a note. */
export async function readPictures(
  parts: Package,
  blocks: readonly DocxBlock[],
  options: Pick<ParseOptions, 'mode' | 'language'>,
  context: ChildContext,
): Promise<{ blocks: Block[]; notes: string[] }> {
  const shown = blocks.filter(({ part }) => part !== undefined).length;
  const notes: string[] = [];
  const asked = options.mode !== 'metadata';
  const reads = asked && isInstalled('ocr');
  if (asked && !reads && shown > 0) notes.push(`pictures were not read: ${installCommand('ocr')}`);
  if (reads && shown > documentLimits.pictures) notes.push(`of ${shown} pictures the first ${documentLimits.pictures} were read`);
  let count = 0;
  const read: Block[] = [];
  for (const { part, isCaption: _, ...block } of blocks) {
    let text = '';
    if (part !== undefined && reads && (count += 1) <= documentLimits.pictures)
      try {
        text = textOfWords((await recogniseImage(part, await bytesOf(parts, part), options, context)).words);
      } catch (error) {
        if (!(error instanceof BadInput)) throw error;
        notes.push(`the picture ${part} was not read: ${error.message}`);
      }
    const content = [block.content, text].filter((each) => each !== '').join('\n');
    if (block.type !== 'Figure' || content !== '' || part !== undefined)
      read.push({ ...block, content, ...(text === '' ? {} : { source: 'ocr' as const }) });
  }
  return { blocks: read, notes };
}
