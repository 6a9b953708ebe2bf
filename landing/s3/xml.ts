import { SaxesParser } from 'saxes';

/** What storages answer has three levels, four at most; without an end, a path of each element is as long as the document is deep. */
const mostDepth = 16;

/**
 * The texts of an XML document by the path of their elements, `ListBucketResult/Contents/Key`; `closed` is called at the end of every
 * element, with the texts of those that stand in it. Fails where it is no well-formed XML, declares a document type,
 * or is deeper than 16 elements.
 */
export function readXml(text: string, closed: (path: string, fields: Readonly<Record<string, string>>) => void): void {
  const parser = new SaxesParser({ position: false });
  const open: { name: string; path: string; text: string; fields: Record<string, string> }[] = [];
  const seeText = (found: string): void => {
    const last = open.at(-1);
    if (last) last.text += found;
  };
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('doctype', () => {
    throw new Error('declares a document type');
  });
  parser.on('opentag', ({ name }) => {
    if (open.length === mostDepth) throw new Error(`has more than ${mostDepth} elements within elements`);
    const outer = open.at(-1);
    const path = outer ? `${outer.path}/${name}` : name;
    open.push({ name, path, text: '', fields: Object.create(null) as Record<string, string> });
  });
  parser.on('text', seeText);
  parser.on('cdata', seeText);
  parser.on('closetag', () => {
    const { name, path, text: own, fields } = open.pop()!;
    closed(path, fields);
    const outer = open.at(-1);
    if (outer) outer.fields[name] = own;
  });
  parser.write(text).close();
}
