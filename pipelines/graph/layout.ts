import { graphlib, layout as arrange } from '@dagrejs/dagre';
import type { GraphBlock, GraphEdge, GraphNode } from './graph.ts';

export type Box = { x: number; y: number; width: number; height: number };
export type Point = { x: number; y: number };

/** A node with its place in the block around it, from its upper left corner; `text`: where its lines begin. */
export type PlacedNode = { node: GraphNode; box: Box; blocks: PlacedBlock[] };
export type PlacedEdge = { edge: GraphEdge; points: Point[]; label?: Box };
export type PlacedBlock = { block: GraphBlock; box: Box; nodes: PlacedNode[]; edges: PlacedEdge[] };

/** Pixels: of a sign in the fixed font, of a line, and around what stands in a box. */
export const sizes = { sign: 7.3, line: 17, pad: 11, gap: 14 } as const;

const widthOf = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => [...text].length)) * sizes.sign;

/** Text of a node, line by line: its name first. */
export const textOf = ({ id, lines, mark }: GraphNode): string[] => [
  mark ? `  ${id}` : id,
  ...lines,
  ...(mark?.note === undefined ? [] : [mark.note]),
];

/** Gives every node of a block its place. Blocks within a node are laid out first: around them it is a box like any other. */
export function layOut(block: GraphBlock): PlacedBlock {
  const top = block.title === undefined ? 0 : sizes.line;
  const inner = block.nodes.map((node) => ({ node, blocks: node.blocks.map(layOut) }));
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: 'TB', nodesep: 26, ranksep: 34, edgesep: 14, marginx: sizes.pad, marginy: sizes.pad });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { node, blocks } of inner) graph.setNode(node.id, sizeOf(node, blocks));
  for (const { from, to, label } of block.edges)
    graph.setEdge(from, to, label === undefined ? {} : { width: widthOf([label]), height: sizes.line, labelpos: 'c' });
  // Without nodes the library gives sizes that are none.
  if (inner.length > 0) arrange(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const across = Math.max(width, widthOf([block.title ?? '']) + 2 * sizes.pad);
  const nodes = inner.map(({ node, blocks }): PlacedNode => {
    const { x, y, ...size } = graph.node(node.id) as Box;
    return { node, box: { x: x - size.width / 2, y: y - size.height / 2 + top, ...size }, blocks: placed(blocks, node) };
  });
  const edges = block.edges.map((edge): PlacedEdge => {
    const found = graph.edge(edge.from, edge.to) as { points: Point[] } & Box;
    const points = found.points.map(({ x, y }) => ({ x, y: y + top }));
    if (edge.label === undefined) return { edge, points };
    return { edge, points, label: { x: found.x, y: found.y + top, width: found.width, height: found.height } };
  });
  return { block, box: { x: 0, y: 0, width: across, height: height + top }, nodes, edges };
}

const heightOfText = (node: GraphNode): number => textOf(node).length * sizes.line + 2 * sizes.pad;

function sizeOf(node: GraphNode, blocks: readonly PlacedBlock[]): { width: number; height: number } {
  const text = widthOf(textOf(node)) + 2 * sizes.pad;
  if (blocks.length === 0) return { width: text, height: heightOfText(node) };
  const inside = blocks.reduce<number>((sum, { box }) => sum + box.width + sizes.gap, sizes.gap);
  return { width: Math.max(text, inside), height: heightOfText(node) + Math.max(...blocks.map(({ box }) => box.height)) + sizes.gap };
}

/** Blocks side by side, below the text of their node. */
function placed(blocks: readonly PlacedBlock[], node: GraphNode): PlacedBlock[] {
  let x: number = sizes.gap;
  return blocks.map((block) => {
    const box = { ...block.box, x, y: heightOfText(node) };
    x += box.width + sizes.gap;
    return { ...block, box };
  });
}
