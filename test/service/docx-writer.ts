import { relationships, zip, type Part } from '../child/support-workbook.ts';

const words = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const drawing = 'http://schemas.openxmlformats.org/drawingml/2006';

const spaces = `xmlns:w="${words}" xmlns:r="${office}" xmlns:wp="${drawing}/wordprocessingDrawing" xmlns:a="${drawing}/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"`;

/** A run of text, with its properties. */
export const run = (text: string, properties = ''): string =>
  `<w:r>${properties && `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;

/** A paragraph of a style or with other properties; its content is text, or elements. */
export const paragraph = (content: string, { style, properties = '' }: { style?: string; properties?: string } = {}): string =>
  `<w:p><w:pPr>${style ? `<w:pStyle w:val="${style}"/>` : ''}${properties}</w:pPr>${content.startsWith('<') ? content : run(content)}</w:p>`;

export const inList = (list: number, level: number): string => `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`;

/** A table of cells, each text or elements. */
export const table = (rows: readonly (readonly (string | { properties: string; text: string })[])[]): string =>
  `<w:tbl>${rows
    .map(
      (row) =>
        `<w:tr>${row
          .map((cell) => (typeof cell === 'string' ? { properties: '', text: cell } : cell))
          .map(({ properties, text }) => `<w:tc><w:tcPr>${properties}</w:tcPr>${text.startsWith('<') ? text : paragraph(text)}</w:tc>`)
          .join('')}</w:tr>`,
    )
    .join('')}</w:tbl>`;

/** A picture by the id of its relationship, with what is said of it. */
export const picture = (said: string, relationship = ''): string =>
  `<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="${said}"/><a:graphic>${relationship && `<a:blip r:embed="${relationship}"/>`}</a:graphic></wp:inline></w:drawing></w:r>`;

const style = (id: string, name: string, inside = ''): string =>
  `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${inside}</w:style>`;

export const usualStyles = [
  `<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>`,
  style('Title', 'Title'),
  style('H1', 'heading 1', '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>'),
  style('H2', 'heading 2', '<w:basedOn w:val="H1"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr>'),
  // Known by its outline level alone, as in programs of other languages.
  style('Part', 'Abschnitt', '<w:pPr><w:outlineLvl w:val="1"/></w:pPr>'),
  style('Own', 'Our part', '<w:basedOn w:val="Part"/>'),
  style('Caption', 'caption'),
].join('');

const part = (root: string, inside: string): string => `<?xml version="1.0" encoding="UTF-8"?><w:${root} ${spaces}>${inside}</w:${root}>`;

export type Docx = {
  body: string;
  styles?: string;
  numbering?: string;
  footnotes?: string;
  headers?: readonly string[];
  /** Pictures by the numbers of their relationships, which follow on all others: `rId10` and so on. */
  pictures?: readonly Uint8Array[];
  /** Of the properties of the package. */
  title?: string;
  /** Parts instead of those that are made. */
  parts?: readonly Part[];
};

/** A document of a word processor, as small as one can be. */
export function docxOf({ body, styles = usualStyles, numbering, footnotes, headers = [], pictures = [], title, parts = [] }: Docx): Buffer {
  const targets: [string, string][] = [['styles', 'styles.xml']];
  const made: Part[] = [
    { name: 'word/document.xml', bytes: part('document', `<w:body>${body}</w:body>`) },
    { name: 'word/styles.xml', bytes: part('styles', styles) },
  ];
  const add = (type: string, name: string, bytes: string | Uint8Array): void => {
    targets.push([type, name]);
    made.push({ name: `word/${name}`, bytes });
  };
  add('numbering', 'numbering.xml', part('numbering', numbering ?? ''));
  add('footnotes', 'footnotes.xml', part('footnotes', `<w:footnote w:id="1">${footnotes ?? ''}</w:footnote>`));
  for (const at of [0, 1, 2, 3, 4, 5]) add('header', `header${at}.xml`, part('hdr', headers[at] ?? ''));
  for (const [at, bytes] of pictures.entries()) add('image', `media/image${at}.png`, bytes);
  const core = `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title ?? ''}</dc:title></cp:coreProperties>`;
  const all: Part[] = [
    { name: '[Content_Types].xml', bytes: '<Types/>' },
    {
      name: '_rels/.rels',
      bytes: relationships([
        ['officeDocument', 'word/document.xml'],
        ['core-properties', 'docProps/core.xml'],
      ]),
    },
    { name: 'docProps/core.xml', bytes: core },
    { name: 'word/_rels/document.xml.rels', bytes: relationships(targets) },
    ...made,
  ];
  return zip(all.map((each) => parts.find(({ name }) => name === each.name) ?? each));
}
