import { SaxesParser } from 'saxes';

/**
 * The texts of an XML document by the path of their elements, `ListBucketResult/Contents/Key`; `closed` is called at the end of every
 * element, with the texts of those that stand in it. Fails where it is no well-formed XML, or declares a document type.
 */
export function readXml(text: string, closed: (path: string, fields: Readonly<Record<string, string>>) => void): void {
  const parser = new SaxesParser({ position: false });
  const open: { name: string; text: string; fields: Record<string, string> }[] = [];
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
  parser.on('opentag', ({ name }) => void open.push({ name, text: '', fields: Object.create(null) as Record<string, string> }));
  parser.on('text', seeText);
  parser.on('cdata', seeText);
  parser.on('closetag', () => {
    const path = open.map(({ name }) => name).join('/');
    const { name, text: own, fields } = open.pop()!;
    closed(path, fields);
    const outer = open.at(-1);
    if (outer) outer.fields[name] = own;
  });
  parser.write(text).close();
}
