import type { GraphBlock, GraphNode, Mark } from './graph.ts';
import { signs } from './signs.ts';

/** Ids of Mermaid are words of its own grammar too, such as `end`: ours begin otherwise. */
const idOf = (id: string): string => `step_${id}`;

/** Text within quotes: what Mermaid would read as HTML, as an entity or as the end of the text is an entity of its own form. */
const quoted = (lines: readonly string[]): string =>
  `"${lines.map((line) => line.replace(/[#&<>"`\\]/g, (sign) => `#${sign.codePointAt(0)};`)).join('<br/>')}"`;

const shapes: Readonly<Record<GraphNode['kind'], readonly [string, string]>> = {
  call: ['[', ']'],
  poll: ['[', ']'],
  sweep: ['[[', ']]'],
  gate: ['{{', '}}'],
  loop: ['[', ']'],
  pipeline: ['([', '])'],
};

/** Colours that are read on light and on dark pages. */
const colours: Readonly<Record<Mark['status'], string>> = {
  waiting: 'stroke-dasharray:4 3',
  running: 'stroke:#1f6f8b,stroke-width:2px',
  approval: 'stroke:#a86a12,stroke-width:2px',
  done: 'stroke:#2e7d4f,stroke-width:2px',
  tolerated: 'stroke:#a86a12,stroke-width:2px',
  failed: 'stroke:#b3372f,stroke-width:3px',
  cancelled: 'stroke:#a86a12,stroke-dasharray:4 3',
  skipped: 'stroke-dasharray:2 4',
};

/** A graph as the text of a Mermaid flowchart. */
export function mermaid(graph: GraphBlock): string {
  const used = new Set<Mark['status']>();
  const body = blockLines(graph, '  ', used);
  const classes = [...used].map((status) => `  classDef ${status} ${colours[status]}`);
  return `${['flowchart TD', ...body, ...classes].join('\n')}\n`;
}

function blockLines({ nodes, edges }: GraphBlock, indent: string, used: Set<Mark['status']>): string[] {
  return [
    ...nodes.flatMap((node) => nodeLines(node, indent, used)),
    ...edges.map(({ from, to, label }) => `${indent}${idOf(from)} -->${label === undefined ? '' : `|${quoted([label])}|`} ${idOf(to)}`),
  ];
}

function nodeLines({ id, kind, lines, mark, blocks }: GraphNode, indent: string, used: Set<Mark['status']>): string[] {
  if (mark) used.add(mark.status);
  const name = mark ? `${signs[mark.status]} ${id}` : id;
  const text = quoted([name, ...lines, ...(mark?.note === undefined ? [] : [mark.note])]);
  if (blocks.length === 0) {
    const [open, close] = shapes[kind];
    return [`${indent}${idOf(id)}${open}${text}${close}${mark ? `:::${mark.status}` : ''}`];
  }
  return [
    `${indent}subgraph ${idOf(id)}[${text}]`,
    ...blocks.flatMap((block, at) =>
      blocks.length === 1 && kind === 'loop'
        ? blockLines(block, `${indent}  `, used)
        : [
            `${indent}  subgraph ${idOf(id)}_${at}[${quoted([block.title ?? ''])}]`,
            ...blockLines(block, `${indent}    `, used),
            `${indent}  end`,
          ],
    ),
    `${indent}end`,
    ...(mark ? [`${indent}class ${idOf(id)} ${mark.status}`] : []),
  ];
}
