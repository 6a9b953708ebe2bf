import { Composer, type CST, type Document } from 'yaml';
import { readSyntax } from './yaml-limits.ts';

/** The first two documents: a third says nothing more. */
export function compose(tokens: CST.Token[], length: number): Document[] {
  const composer = new Composer({
    uniqueKeys: false,
    intAsBigInt: true,
    prettyErrors: false,
    logLevel: 'silent',
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false,
  });
  const documents: Document[] = [];
  for (const document of composer.compose(tokens, true, length)) {
    documents.push(document);
    if (documents.length > 1) break;
  }
  return documents;
}

/** The document of a text that is one document within the limits, without an error. */
export function onlyDocument(text: string): Document | undefined {
  const syntax = readSyntax(text);
  if ('excess' in syntax) return undefined;
  const [document, second] = compose(syntax.tokens, text.length);
  return second === undefined && document?.errors.length === 0 ? document : undefined;
}

export const isReadable = (text: string): boolean => onlyDocument(text) !== undefined;
