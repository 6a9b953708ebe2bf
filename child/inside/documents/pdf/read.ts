import { Unavailable } from '../../../../errors/classes.ts';
import { documentLimits } from '../../../document-limits.ts';
import type { ParseOptions } from '../../../documents.ts';
import type { ChildContext } from '../../../protocol.ts';
import type { Block, PageFacts, Reader } from '../block.ts';
import { bodySize, pageBlocks, type PageSize } from '../layout/page-blocks.ts';
import type { Piece } from '../layout/piece.ts';
import { annotationText } from './annotations.ts';
import { openPdf, pdfVerdict, type PdfPage } from './open.ts';
import { picturesOf, type Pictured } from './page-pictures.ts';
import { pageText } from './page-text.ts';

/** A page with its pictures as the mode says; in `hybrid` pictures that cannot be read leave the page its own text, and a note. */
async function pictured(
  page: PdfPage,
  size: PageSize,
  pieces: Piece[],
  options: ParseOptions,
  context: ChildContext,
  note: (why: string) => void,
): Promise<Pictured> {
  if (options.mode === 'metadata') return { pieces, figures: [], recognised: false };
  try {
    return await picturesOf(page, size, pieces, options, context);
  } catch (error) {
    if (pieces.length === 0) throw error;
    note(`its pictures were not read: ${error instanceof Error ? error.message : String(error)}`);
    return { pieces, figures: [], recognised: false };
  }
}

/** The pages of a PDF as they are shown. A page that cannot be read is named in a note; where none can, the file is at fault. */
export const readPdf: Reader = async ({ bytes, options, context }) => {
  const pdf = await openPdf(bytes);
  const notes: string[] = [];
  const texts: (Pictured & { facts: PageFacts })[] = [];
  let failure: unknown;
  for (let page = 1; page <= pdf.numPages; page += 1) {
    try {
      const opened = await pdf.getPage(page);
      const { width, height } = opened.getViewport({ scale: 1 });
      const embedded = options.mode === 'ocr' ? [] : [...(await pageText(opened)), ...(await annotationText(opened))];
      const size = { page, width, height };
      const read = await pictured(opened, size, embedded, options, context, (why) => notes.push(`page ${page}: ${why}`));
      const text = read.recognised ? 'ocr' : embedded.length > 0 ? 'embedded' : 'none';
      texts.push({ facts: { ...size, text }, ...read });
      opened.cleanup();
    } catch (error) {
      // Nothing of the file's.
      if (error instanceof Unavailable) throw error;
      failure ??= error;
      notes.push(`page ${page} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
    context.earned(documentLimits.secondsPerPage * 1_000);
    context.progress(page);
  }
  if (texts.length === 0) throw pdfVerdict(failure ?? new Error('it has no page'));
  const body = bodySize(texts.flatMap(({ pieces }) => pieces));
  const blocks: Block[] = texts.flatMap(({ facts, pieces, figures, recognised }) => {
    const page = pageBlocks(pieces, figures, facts, recognised ? bodySize(pieces) : body);
    return recognised ? page.map((block) => ({ ...block, source: 'ocr' as const })) : page;
  });
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const said = 'Title' in info && typeof info.Title === 'string' ? info.Title.trim() : '';
  await pdf.loadingTask.destroy();
  return { title: said || undefined, blocks, pages: texts.map(({ facts }) => facts), notes };
};
