import { join } from 'node:path';
import { BadInput } from '../../../../errors/classes.ts';
import { documentLimits } from '../../../document-limits.ts';
import { folderOf, needPackages } from '../optional.ts';

type Library = typeof import('pdfjs-dist');
export type Pdf = Awaited<ReturnType<Library['getDocument']>['promise']>;
export type PdfPage = Awaited<ReturnType<Pdf['getPage']>>;

let loading: Promise<Library> | undefined;

/** The library, whose fonts and maps of characters are read from its own folder: nothing is fetched. */
export function pdfLibrary(): Promise<Library> {
  needPackages('pdf', 'reading PDF files');
  return (loading ??= import('pdfjs-dist/legacy/build/pdf.mjs'));
}

const said: Readonly<Record<string, string>> = {
  PasswordException: 'the PDF is encrypted; save it without a password',
  InvalidPDFException: 'the PDF is damaged beyond what can be read',
};

/** An error of the library as a verdict on the file; a shortage of the host stays one. */
export function pdfVerdict(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof BadInput || 'resource' in error) return error;
  return new BadInput('bad_input', said[error.name] ?? `the PDF is damaged: ${error.message}`);
}

/** Opens a PDF. Fails with `BadInput` where it is damaged, encrypted, or has too many pages. */
export async function openPdf(bytes: Uint8Array): Promise<Pdf> {
  const { getDocument, VerbosityLevel } = await pdfLibrary();
  const folder = folderOf('pdfjs-dist');
  const pdf = await getDocument({
    // The library keeps what it is given, and the hash of the file is made of it later.
    data: new Uint8Array(bytes),
    verbosity: VerbosityLevel.ERRORS,
    maxImageSize: documentLimits.pixels,
    disableFontFace: true,
    useSystemFonts: false,
    cMapUrl: `${join(folder, 'cmaps')}/`,
    cMapPacked: true,
    standardFontDataUrl: `${join(folder, 'standard_fonts')}/`,
    wasmUrl: `${join(folder, 'wasm')}/`,
    iccUrl: `${join(folder, 'iccs')}/`,
    enableXfa: false,
  }).promise.catch((error: unknown) => {
    throw pdfVerdict(error);
  });
  if (pdf.numPages > documentLimits.pages)
    throw new BadInput('too_large', `the PDF has ${pdf.numPages} pages, and at most ${documentLimits.pages} are read; cut it into several`);
  return pdf;
}
