import { documentLimits } from '../../../document-limits.ts';
import type { ParseOptions } from '../../../documents.ts';
import type { ChildContext } from '../../../protocol.ts';
import { decode, verdictOf, type Decoding } from '../../images/decode.ts';
import type { PageFacts, Reader } from '../block.ts';
import { bodySize, pageBlocks } from '../layout/page-blocks.ts';
import type { Piece } from '../layout/piece.ts';
import { recognise } from './recognise.ts';

const name = 'the image';

/** A picture in gray, no larger than one in which characters are recognised. */
async function inGray(called: string, decoding: Decoding): Promise<{ data: Buffer; width: number; height: number }> {
  const side = documentLimits.pictureSide;
  const gray = decoding.open().resize(side, side, { fit: 'inside', withoutEnlargement: true }).grayscale().png({ compressionLevel: 1 });
  const { data, info } = await verdictOf(called, gray.toBuffer({ resolveWithObject: true }));
  return { data, width: info.width, height: info.height };
}

/** The words in an image, with the sides of what they are placed on. Fails with `BadInput` where its bytes are none. */
export async function recogniseImage(
  called: string,
  bytes: Uint8Array,
  { language }: Pick<ParseOptions, 'language'>,
  context: ChildContext,
): Promise<{ words: Piece[]; width: number; height: number; decoding: Decoding }> {
  const decoding = await decode(called, bytes);
  const { data, width, height } = await inGray(called, decoding);
  context.earned(documentLimits.secondsPerPicture * 1_000);
  return { words: await recognise(data, language, context), width, height, decoding };
}

/** An image as one page: its characters are recognised, unless only text of the file itself is asked for, of which an image has none. */
export const readImage: Reader = async ({ bytes, options, context }) => {
  if (options.mode === 'metadata') {
    const { width, height } = await decode(name, bytes);
    const facts: PageFacts = { page: 1, width, height, text: 'none' };
    const notes = ['an image has no text of its own: with content_extraction_mode hybrid or ocr its characters are recognised'];
    return { blocks: [], pages: [facts], notes };
  }
  const { words, width, height, decoding } = await recogniseImage(name, bytes, options, context);
  const facts: PageFacts = { page: 1, width: decoding.width, height: decoding.height, text: words.length > 0 ? 'ocr' : 'none' };
  const blocks = pageBlocks(words, [], { page: 1, width, height }, bodySize(words));
  return {
    blocks: blocks.map((block) => ({ ...block, source: 'ocr' as const })),
    pages: [facts],
    notes: words.length === 0 ? ['no characters were recognised in the image'] : [],
  };
};
