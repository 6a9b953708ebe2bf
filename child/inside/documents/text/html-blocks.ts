import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { documentLimits } from '../../../document-limits.ts';
import { flat, tableText, type Block } from '../block.ts';
import { attribute, isHidden } from './hidden.ts';

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** Elements that stand in a line; every other one begins a new piece. */
const inline = new Set(
  'a abbr acronym b bdi bdo big br cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp small span strike strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

const isElement = (node: Node): node is Element => 'tagName' in node;

/** Goes through what is below a node in the order of reading, however deep it nests. `enter` says whether to go into an element. */
function walk(root: { childNodes: Node[] }, enter: (node: Node) => boolean, leave: (element: Element) => void = () => undefined): void {
  const stack: { node: Node; left?: true }[] = root.childNodes.toReversed().map((node) => ({ node }));
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, left } = next;
    if (left) leave(node as Element);
    else if (enter(node) && isElement(node)) {
      stack.push({ node, left: true });
      for (const child of node.childNodes.toReversed()) stack.push({ node: child });
    }
  }
}

/** The text of what is below an element, on one line. */
const textOf = (element: Element): string => {
  const parts: string[] = [];
  walk(element, (node) => {
    if ('value' in node && node.nodeName === '#text') parts.push(node.value);
    if (!isElement(node)) return false;
    if (!inline.has(node.tagName)) parts.push(' ');
    return !isHidden(node);
  });
  return flat(parts.join(''));
};

/** The cells of a table by row, those of tables within it left to their cell; a cell over several columns stands in the first of them. */
function cellsOf(table: Element): string[][] {
  const rows: string[][] = [];
  let count = 0;
  walk(table, (node) => {
    if (!isElement(node) || node.tagName === 'caption' || isHidden(node)) return false;
    if (node.tagName === 'tr') rows.push([]);
    if (node.tagName !== 'td' && node.tagName !== 'th') return true;
    const span = Math.min(100, Math.max(1, Number(attribute(node, 'colspan')) || 1));
    count += span;
    if (count <= documentLimits.cells) rows.at(-1)?.push(textOf(node), ...Array<string>(span - 1).fill(''));
    return false;
  });
  const width = Math.max(0, ...rows.slice(0, documentLimits.cells).map(({ length }) => length));
  return rows.filter(({ length }) => length > 0).map((row) => [...row, ...Array<string>(Math.max(0, width - row.length)).fill('')]);
}

const captionOf = (element: Element, tag: string): string | undefined => {
  const found = element.childNodes.find((node): node is Element => isElement(node) && node.tagName === tag);
  return found && !isHidden(found) ? textOf(found) : undefined;
};

const heading = /^h([1-6])$/;

/** HTML as its readers see it: no markup that is wrong makes it fail, as in a browser. */
export function htmlBlocks(text: string): { title: string | undefined; blocks: Block[] } {
  const document = parse(text, { sourceCodeLocationInfo: true });
  const blocks: Block[] = [];
  let title: string | undefined;
  let words: string[] = [];
  let lines: [number, number] | undefined;
  let kind: Pick<Block, 'type' | 'level'> = { type: 'Text' };

  const see = (node: Node): void => {
    const at = node.sourceCodeLocation;
    if (at) lines = [Math.min(lines?.[0] ?? at.startLine, at.startLine), Math.max(lines?.[1] ?? at.endLine, at.endLine)];
  };
  const flush = (): void => {
    const content = kind.type === 'Code' ? words.join('').replace(/^\n+|\s+$/g, '') : flat(words.join(''));
    if (content !== '') blocks.push({ ...kind, content, ...(lines ? { lines } : {}) });
    words = [];
    lines = undefined;
  };
  const add = (element: Element, block: Omit<Block, 'lines'>): void => {
    flush();
    see(element);
    blocks.push({ ...block, ...(lines ? { lines } : {}) });
    lines = undefined;
  };
  const kindOf = (tag: string): Pick<Block, 'type' | 'level'> => {
    const level = Number(heading.exec(tag)?.[1] ?? 0);
    if (level > 0) return { type: level === 1 ? 'Title' : 'Section Header', level };
    return { type: tag === 'li' || tag === 'dd' ? 'List Item' : tag === 'pre' ? 'Code' : 'Text' };
  };

  walk(
    document,
    (node) => {
      if (node.nodeName === '#text' && 'value' in node) {
        words.push(node.value);
        if (node.value.trim() !== '') see(node);
        return false;
      }
      if (!isElement(node)) return false;
      const tag = node.tagName;
      if (tag === 'head') {
        walk(node, (inner) => {
          if (isElement(inner) && inner.tagName === 'title') title ??= textOf(inner);
          return false;
        });
        return false;
      }
      if (isHidden(node)) return false;
      if (tag === 'br') words.push(kind.type === 'Code' ? '\n' : ' ');
      else if (tag === 'table') {
        const cells = cellsOf(node);
        const caption = captionOf(node, 'caption');
        if (caption) add(node, { type: 'Text', content: caption });
        // One column or one row is layout, not data.
        if (cells.length > 1 && cells[0]!.length > 1) {
          add(node, { type: 'Table', cells, content: tableText(cells), ...(caption ? { caption } : {}) });
          return false;
        }
        flush();
      } else if (tag === 'img') {
        const alt = flat(attribute(node, 'alt') ?? '');
        if (alt !== '') add(node, { type: 'Figure', content: alt });
      } else if (!inline.has(tag)) {
        flush();
        kind = kindOf(tag);
      }
      return true;
    },
    ({ tagName }) => {
      if (inline.has(tagName)) return;
      flush();
      kind = { type: 'Text' };
    },
  );
  flush();
  return { title: title ?? blocks.find(({ type }) => type === 'Title')?.content, blocks };
}
