import { documentLimits } from '../../../document-limits.ts';
import { decode, verdictOf } from '../../images/decode.ts';
import type { PageFacts, Reader } from '../block.ts';
import { bodySize, pageBlocks } from '../layout/page-blocks.ts';
import { recognise } from './recognise.ts';

const name = 'the image';

/** An image as one page: its characters are recognised, unless only text of the file itself is asked for, of which an image has none. */
export const readImage: Reader = async ({ bytes, options, context }) => {
  const decoding = await decode(name, bytes);
  const side = documentLimits.pictureSide;
  const gray = decoding.open().resize(side, side, { fit: 'inside', withoutEnlargement: true }).grayscale().png({ compressionLevel: 1 });
  const { data, info } = await verdictOf(name, gray.toBuffer({ resolveWithObject: true }));
  const size = { page: 1, width: info.width, height: info.height };
  context.earned(documentLimits.secondsPerPicture * 1_000);
  const words = options.mode === 'metadata' ? [] : await recognise(data);
  const facts: PageFacts = { page: 1, width: decoding.width, height: decoding.height, text: words.length > 0 ? 'ocr' : 'none' };
  const notes =
    options.mode === 'metadata'
      ? ['an image has no text of its own: with content_extraction_mode hybrid or ocr its characters are recognised']
      : words.length === 0
        ? ['no characters were recognised in the image']
        : [];
  const blocks = pageBlocks(words, [], size, bodySize(words));
  return { blocks: blocks.map((block) => ({ ...block, source: 'ocr' as const })), pages: [facts], notes };
};
