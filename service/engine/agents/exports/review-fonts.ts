import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { notHere } from '../../../core/errors.ts';

/** Optional packages that make a PDF: one writes it, of the other the fonts are. */
const packages = ['pdfkit', 'pdfjs-dist'] as const;

const { resolve } = createRequire(import.meta.url);

const isThere = (name: string): boolean => {
  try {
    resolve(name);
    return true;
  } catch {
    return false;
  }
};

/** Fails with 501 where the optional packages that make a PDF are missing. */
export const needPdf = (): void => {
  const missing = packages.filter((name) => !isThere(name));
  if (missing.length > 0)
    throw notHere(`drawing_review_pdf needs ${missing.join(' and ')} beside the service: npm install ${packages.join(' ')}`);
};

const fontFile = (name: string): string =>
  join(dirname(resolve('pdfjs-dist/package.json')), 'standard_fonts', `LiberationSans-${name}.ttf`);

/** Latin, Greek, Cyrillic and marks of mathematics. Their licence lets any document hold them; they stay where their package has them. */
export const fonts = () => ({ regular: fontFile('Regular'), bold: fontFile('Bold') });

/** Stands for what the fonts do not have. */
export const standIn = '□';

/** What of a document of pdfkit knows the glyphs of the font that was set last; its types leave it out. */
type Written = { _font: { font: { hasGlyphForCodePoint(codePoint: number): boolean } } };

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A text as the font that was set last can show it: what it has no glyph for is the stand-in, one for each character as people count. */
export const shownIn = (pdf: object, text: string): string => {
  const { font } = (pdf as Written)._font;
  return Array.from(graphemes.segment(text.normalize('NFC')), ({ segment }) => {
    if (/^\s+$/u.test(segment)) return ' ';
    const visible = segment.replaceAll(/\p{Cf}/gu, '');
    return [...visible].every((character) => font.hasGlyphForCodePoint(character.codePointAt(0)!)) ? visible : standIn;
  }).join('');
};
