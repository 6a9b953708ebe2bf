import { TextDecoder } from 'node:util';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { BadInput } from '../../../../errors/classes.ts';
import type { Package } from './package.ts';

export type XmlTag = SaxesTagNS;

/** What is done with the elements of a part; those of other namespaces have the name ''. `parent` is the element around. */
export type XmlHandlers = {
  open?: (name: string, tag: XmlTag, parent: string) => void;
  text?: (text: string, name: string) => void;
  close?: (name: string, parent: string) => void;
};

/** Deeper than any part of a file that a program writes. */
const mostDepth = 256;

/** Longest text, name or attribute; what lies between two tags is held in memory. */
const mostBetween = 16 * 1024 * 1024;

const encodings = /^(utf-?8|utf-?16(le|be)?|us-ascii|ascii)$/i;

/** The value of an attribute without a namespace. */
export const attributeOf = (tag: XmlTag, name: string): string | undefined => tag.attributes[name]?.value;

/** A truth value of XML Schema; undefined where it is not said. */
export const flagOf = (text: string | undefined): boolean | undefined => (text === undefined ? undefined : text === '1' || text === 'true');

const decoderOf = ([first, second]: Buffer): TextDecoder => {
  const encoding = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding, { fatal: true });
};

/**
 * Reads the XML of a part, and returns after each piece of it. `namespace` says which elements are its own.
 * Fails with `BadInput` where it is no XML of this namespace, declares a document type (whose entities may be any length), nests
 * without end, or holds a text without end.
 */
export async function* readXml(
  parts: Pick<Package, 'what' | 'read'>,
  part: string,
  namespace: RegExp,
  { open, text, close }: XmlHandlers,
): AsyncGenerator<void> {
  const refuse = (reason: string): never => {
    throw new BadInput('bad_input', `is a damaged ${parts.what}: ${part} ${reason}`);
  };
  const parser = new SaxesParser({ xmlns: true, position: false });
  const names: string[] = [];
  let between = 0;
  const seeText = (found: string): void => {
    between = 0;
    text?.(found, names.at(-1) ?? '');
  };
  parser.on('xmldecl', ({ encoding = 'utf-8' }) => void (encodings.test(encoding) || refuse(`is written in ${encoding}, not in UTF-8`)));
  parser.on('doctype', () => refuse(`declares a document type, which no ${parts.what} does`));
  parser.on('opentag', (tag) => {
    between = 0;
    const name = namespace.test(tag.uri) ? tag.local : '';
    if (names.length === 0 && name === '') refuse(`is <${tag.name}>, which is no part of a ${parts.what}`);
    if (names.length === mostDepth) refuse(`nests elements more than ${mostDepth} deep`);
    open?.(name, tag, names.at(-1) ?? '');
    names.push(name);
  });
  parser.on('text', seeText);
  parser.on('cdata', seeText);
  parser.on('closetag', () => {
    between = 0;
    const name = names.pop() ?? '';
    close?.(name, names.at(-1) ?? '');
  });
  const feed = (piece: string | undefined): void => {
    try {
      if (piece === undefined) parser.close();
      else parser.write(piece);
    } catch (error) {
      if (error instanceof BadInput) throw error;
      refuse(`is no well-formed XML: ${(error as Error).message}`);
    }
  };
  const decode = (decoder: TextDecoder, chunk?: Buffer): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      return refuse('is no text in UTF-8');
    }
  };
  let decoder: TextDecoder | undefined;
  for await (const chunk of parts.read(part)) {
    decoder ??= decoderOf(chunk);
    between += chunk.length;
    feed(decode(decoder, chunk));
    if (between > mostBetween) refuse(`holds more than ${mostBetween / 1024 / 1024} MiB between two tags`);
    yield;
  }
  if (decoder) feed(decode(decoder));
  feed(undefined);
}

/** Reads a part to its end. */
export async function readWhole(...reading: Parameters<typeof readXml>): Promise<void> {
  for await (const _ of readXml(...reading));
}
