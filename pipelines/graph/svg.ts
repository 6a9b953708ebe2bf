import { tenth } from '../../text/tenth.ts';
import { escapeHtml as e } from '../../text/html.ts';
import type { GraphBlock } from './graph.ts';
import { layOut, sizes, textOf, type Box, type PlacedBlock, type PlacedEdge, type PlacedNode, type Point } from './layout.ts';
import { signs } from './signs.ts';

/** Colours by the reader's setting; a page that holds the picture may have its own under the same names. */
const style = `
.graph{--g-ink:#1b2330;--g-quiet:#667085;--g-card:#fff;--g-line:#98a2b3;--g-back:#f5f3ee;--g-sea:#1f6f8b;--g-good:#2e7d4f;--g-bad:#b3372f;--g-warn:#a86a12;font:12px ui-monospace,Menlo,Consolas,monospace}
@media(prefers-color-scheme:dark){.graph{--g-ink:#e6e4dd;--g-quiet:#98a2b3;--g-card:#1a212b;--g-line:#667085;--g-back:#141a22;--g-sea:#5fb3cc;--g-good:#6cc08b;--g-bad:#f0867d;--g-warn:#e0ad5b}}
.graph text{fill:var(--g-quiet);white-space:pre}.graph .name{fill:var(--g-ink);font-weight:600}
.graph rect{fill:var(--g-card);stroke:var(--g-line)}.graph .block{fill:var(--g-back);stroke:var(--g-line);stroke-dasharray:2 3}
.graph .gate>rect{stroke-width:2}.graph path{fill:none;stroke:var(--g-line);stroke-width:1.4}.graph .head{fill:var(--g-line);stroke:none}
.graph .label{fill:var(--g-back);stroke:none}
.graph .running>rect{stroke:var(--g-sea);stroke-width:2}.graph .done>rect{stroke:var(--g-good);stroke-width:2}.graph .failed>rect{stroke:var(--g-bad);stroke-width:3}
.graph .approval>rect,.graph .tolerated>rect,.graph .cancelled>rect{stroke:var(--g-warn);stroke-width:2}
.graph .skipped>rect,.graph .waiting>rect{stroke-dasharray:4 4}.graph .skipped>text,.graph .idle{opacity:.6}.graph .idle path{stroke-dasharray:4 4}
.graph .running>.sign{fill:var(--g-sea)}.graph .done>.sign{fill:var(--g-good)}.graph .failed>.sign{fill:var(--g-bad)}.graph .approval>.sign,.graph .tolerated>.sign,.graph .cancelled>.sign{fill:var(--g-warn)}
`.trim();

/** A graph as one SVG element: it needs no script and nothing from outside. `title` is read out instead of the picture. */
export function svg(graph: GraphBlock, title: string): string {
  const all = layOut(graph);
  const [width, height] = [tenth(all.box.width), tenth(all.box.height)];
  return `<svg xmlns="http://www.w3.org/2000/svg" class="graph" role="img" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><title>${e(title)}</title><style>${style}</style>${inside(all)}</svg>\n`;
}

function inside({ block, nodes, edges }: PlacedBlock): string {
  const name = block.title === undefined ? '' : text(sizes.pad, sizes.line, block.title, '');
  const idle = new Set(nodes.flatMap(({ node: { id, mark } }) => (mark?.status === 'skipped' || mark?.status === 'waiting' ? [id] : [])));
  return [name, ...edges.map((edge) => drawnEdge(edge, idle.has(edge.edge.to))), ...nodes.map(drawnNode)].join('');
}

const text = (x: number, y: number, words: string, name: string): string =>
  `<text x="${tenth(x)}" y="${tenth(y)}"${name === '' ? '' : ` class="${name}"`}>${e(words)}</text>`;

const rect = ({ width, height }: Box, name = '', round = 6): string =>
  `<rect width="${tenth(width)}" height="${tenth(height)}" rx="${round}"${name === '' ? '' : ` class="${name}"`}/>`;

const at = ({ x, y }: Point, name: string, what: string): string =>
  `<g transform="translate(${tenth(x)} ${tenth(y)})"${name === '' ? '' : ` class="${name}"`}>${what}</g>`;

function drawnNode({ node, box, blocks }: PlacedNode): string {
  const { kind, mark } = node;
  const lines = textOf(node).map((words, line) => text(sizes.pad, sizes.pad + (line + 0.75) * sizes.line, words, line === 0 ? 'name' : ''));
  const sign = mark ? text(sizes.pad, sizes.pad + 0.75 * sizes.line, signs[mark.status], 'name sign') : '';
  const inner = blocks.map((block) => at(block.box, '', rect(block.box, 'block') + inside(block)));
  return at(box, `${kind}${mark ? ` ${mark.status}` : ''}`, [rect(box, '', kind === 'gate' ? 18 : 6), ...lines, sign, ...inner].join(''));
}

function drawnEdge({ edge, points, label }: PlacedEdge, idle: boolean): string {
  const end = points.at(-1)!;
  const before = points.at(-2) ?? end;
  const line = points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${tenth(x)} ${tenth(y)}`).join('');
  const angle = (Math.atan2(end.y - before.y, end.x - before.x) * 180) / Math.PI;
  const head = `<path class="head" d="M0 0L-8 -4L-8 4Z" transform="translate(${tenth(end.x)} ${tenth(end.y)}) rotate(${tenth(angle)})"/>`;
  const words = label
    ? at(
        { x: label.x - label.width / 2, y: label.y - label.height / 2 },
        '',
        rect(label, 'label', 0) + text(0, sizes.line * 0.75, edge.label!, ''),
      )
    : '';
  return `<g${idle ? ' class="idle"' : ''}><path d="${line}"/>${head}${words}</g>`;
}
