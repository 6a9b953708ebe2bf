import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { expect, test } from 'vitest';
import { graphOf, type DrawnStep, type GraphBlock, type GraphNode } from '../../pipelines/graph/graph.ts';
import { layOut, type Box, type PlacedBlock } from '../../pipelines/graph/layout.ts';
import { mermaid } from '../../pipelines/graph/mermaid.ts';
import { svg } from '../../pipelines/graph/svg.ts';

const call = (id: string, needs: string[] = [], more: Partial<DrawnStep> = {}): DrawnStep => ({
  id,
  use: 'acme.do',
  kind: 'call',
  needs,
  with: {},
  ...more,
});

/** Steps in blocks: each needs some of those before it in its own block, and may stand in a loop or react to a failure. */
const programs: fc.Arbitrary<DrawnStep[]> = fc
  .array(
    fc.record({
      needs: fc.array(fc.nat(8), { maxLength: 3 }),
      into: fc.option(fc.nat(8), { nil: undefined }),
      of: fc.nat(3),
      text: fc.string(),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((drawn) => {
    const steps: DrawnStep[] = [];
    for (const [at, { needs, into, of, text }] of drawn.entries()) {
      const around = into === undefined ? undefined : steps[into % Math.max(1, steps.length)];
      const on = around && (around.kind !== 'loop' || of === 3) ? ('refused' as const) : undefined;
      if (around && on) around.onError = { [on]: { does: 'steps' } };
      const beside = steps.filter((step) => step.in === around?.id && step.on === on);
      const needed = [...new Set(needs.flatMap((need) => beside[need]?.id ?? []))];
      const kind = of === 0 ? 'loop' : of === 1 ? 'gate' : 'call';
      steps.push({
        ...call(`s${at}`, needed, { kind, with: { items: text }, when: text }),
        ...(around && { in: around.id }),
        ...(on && { on }),
      });
    }
    return steps;
  });

const nodesOf = ({ nodes }: GraphBlock): GraphNode[] => nodes.flatMap((node) => [node, ...node.blocks.flatMap(nodesOf)]);
const blocksOf = (block: GraphBlock): GraphBlock[] => [block, ...block.nodes.flatMap(({ blocks }) => blocks.flatMap(blocksOf))];
const placedBlocks = (block: PlacedBlock): PlacedBlock[] => [block, ...block.nodes.flatMap(({ blocks }) => blocks.flatMap(placedBlocks))];

/** All that a node comes behind, by the edges drawn. */
function reached({ edges }: GraphBlock, to: string): Set<string> {
  const found = new Set<string>();
  const look = (id: string): void => {
    for (const { from } of edges.filter((edge) => edge.to === id)) if (!found.has(from)) look((found.add(from), from));
  };
  look(to);
  return found;
}

test('every step is drawn once, in its own block, behind all that it needs and nothing else; no edge follows from others', () => {
  fc.assert(
    fc.property(programs, (steps) => {
      const graph = graphOf(steps);
      expect(
        nodesOf(graph)
          .map(({ id }) => id)
          .sort(),
      ).toEqual(steps.map(({ id }) => id).sort());
      const needed = (id: string): string[] => steps.find((step) => step.id === id)!.needs.flatMap((need) => [need, ...needed(need)]);
      for (const block of blocksOf(graph)) {
        for (const { id } of block.nodes) expect([...reached(block, id)].sort()).toEqual([...new Set(needed(id))].sort());
        for (const edge of block.edges)
          expect(reached({ ...block, edges: block.edges.filter((other) => other !== edge) }, edge.to).has(edge.from)).toBe(false);
      }
    }),
  );
});

const apart = (a: Box, b: Box): boolean => a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
const holds = (inside: Box, { width, height }: Pick<Box, 'width' | 'height'>): boolean =>
  inside.x >= 0 && inside.y >= 0 && inside.x + inside.width <= width + 0.01 && inside.y + inside.height <= height + 0.01;

test('no two boxes of a picture overlap, each stands within the one around it, and what needs another stands below it', () => {
  fc.assert(
    fc.property(programs, (steps) => {
      for (const { nodes, edges, box } of placedBlocks(layOut(graphOf(steps)))) {
        for (const [at, node] of nodes.entries()) {
          expect(holds(node.box, box)).toBe(true);
          for (const other of nodes.slice(0, at)) expect(apart(node.box, other.box)).toBe(true);
          for (const [place, block] of node.blocks.entries()) {
            expect(holds(block.box, node.box)).toBe(true);
            for (const beside of node.blocks.slice(0, place)) expect(apart(block.box, beside.box)).toBe(true);
          }
        }
        const placeOf = (id: string): Box => nodes.find(({ node }) => node.id === id)!.box;
        for (const { edge } of edges) expect(placeOf(edge.from).y + placeOf(edge.from).height).toBeLessThan(placeOf(edge.to).y);
      }
    }),
    { numRuns: 50 },
  );
});

test('a picture is XML whatever its texts are, and has nothing from outside', () => {
  fc.assert(
    fc.property(programs, fc.string(), (steps, title) => {
      const picture = svg(graphOf(steps), title.replace(/[^\P{Cc}\t\n\r]|[\ud800-\udfff\ufffe\uffff]/gu, ''));
      const parser = new SaxesParser({ fragment: false });
      parser.on('error', (error) => {
        throw error;
      });
      parser.write(picture).close();
      expect(picture).not.toMatch(/<script|href|url\(|@import/);
    }),
    { numRuns: 50 },
  );
});

test('a text ends no text of Mermaid and begins none of its own marks', () => {
  fc.assert(
    fc.property(programs, (steps) => {
      for (const line of mermaid(graphOf(steps)).split('\n').slice(1, -1))
        expect(line).toMatch(
          /^ +(?:step_\w+(?:\[\[|\{\{|\[)"[^"#]*(?:#\d+;[^"#]*)*"(?:\]\]|\}\}|\])|subgraph step_\w+\["[^"#]*(?:#\d+;[^"#]*)*"\]|end|step_\w+ -->(?:\|"[\w ,]+"\|)? step_\w+)$/,
        );
    }),
  );
});

test('a graph says when a step starts, which ends of a need it takes, and what is done about failures', () => {
  const graph = graphOf(
    [
      call('first', [], { onError: { transient: { does: 'fail', retry: { times: 3, everyMs: 1 } }, refused: { does: 'steps' } } }),
      call('say', [], { in: 'first', on: 'refused' }),
      call('sorry', ['first'], { accepts: { first: ['failed'] } }),
      call('next', ['first'], { when: '${{ params.full }}', accepts: { first: ['done', 'tolerated', 'skipped'] } }),
      call('last', ['first', 'next', 'sorry'], { finally: true, accepts: {} }),
    ],
    new Map([['next', { status: 'skipped', note: 'its `when` gave false' }]]),
  );
  expect(mermaid(graph)).toBe(`flowchart TD
  subgraph step_first["first<br/>acme.do<br/>transient: tried again 3 times, then fails"]
    subgraph step_first_0["on a failure: refused"]
      step_say["say<br/>acme.do"]
    end
  end
  step_sorry["sorry<br/>acme.do"]
  step_next["– next<br/>acme.do<br/>when params.full<br/>its #96;when#96; gave false"]:::skipped
  step_last["last<br/>acme.do<br/>finally"]
  step_first -->|"failed"| step_sorry
  step_first --> step_next
  step_next --> step_last
  step_sorry --> step_last
  classDef skipped stroke-dasharray:2 4
`);
});
