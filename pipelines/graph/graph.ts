import { acceptedOf } from '../ends.ts';
import type { FailureName, Reaction } from '../error-classes.ts';
import { endStatuses, usualEnds, type EndStatus, type PlannedUndo, type PlanStep } from '../plan.ts';
import type { Json } from '../../text/json.ts';
import { counted, number } from '../../text/units.ts';
import { isQuery, pathOf } from '../source-name.ts';
import type { SourceSpec } from '../source-spec.ts';

/** What is drawn of a step: it stands in a plan, or in a file whose parameters are not known yet. */
export type DrawnStep = Pick<
  PlanStep,
  'id' | 'use' | 'kind' | 'needs' | 'accepts' | 'when' | 'onError' | 'with' | 'window' | 'each' | 'finally' | 'in' | 'on'
>;

/** How far a step of a run is. `note`: what else is known of it, in a few words. */
export type Mark = { status: EndStatus | 'waiting' | 'running' | 'approval'; note?: string };

export type GraphNode = {
  id: string;
  kind: PlanStep['kind'];
  /** Below its name: what it does, and when. */
  lines: string[];
  mark?: Mark;
  /** What stands in it: the steps of a loop, or those that are done about its failures. */
  blocks: GraphBlock[];
};

export type GraphEdge = {
  from: string;
  to: string;
  /** After which ends it is taken, where they are not the usual ones. */
  label?: string;
};

export type GraphBlock = { title?: string; nodes: GraphNode[]; edges: GraphEdge[] };

/** Steps as nodes in blocks. An edge that follows from others is left out; marks are by the id of the step. */
export function graphOf(steps: readonly DrawnStep[], marks: ReadonlyMap<string, Mark> = new Map(), undo?: PlannedUndo): GraphBlock {
  const { nodes, edges } = block(steps, marks, {});
  return { nodes: nodes.map((node) => ({ ...node, lines: [...node.lines, ...undoLines(node.id, undo)] })), edges };
}

/** How a step is taken back. */
const undoLines = (id: string, { steps, none }: PlannedUndo = { steps: [], none: [], sources: [] }): string[] =>
  none.includes(id) ? ['undo: none'] : steps.flatMap(({ undoes, use }) => (undoes === id ? [`undo: ${use}`] : []));

function block(all: readonly DrawnStep[], marks: ReadonlyMap<string, Mark>, of: Pick<DrawnStep, 'in' | 'on'>, title?: string): GraphBlock {
  const steps = all.filter((step) => step.in === of.in && step.on === of.on);
  return {
    ...(title === undefined ? {} : { title }),
    nodes: steps.map((step) => {
      const mark = marks.get(step.id);
      const reactions = Object.entries(step.onError ?? {}).filter(([, { does }]) => does === 'steps');
      return {
        id: step.id,
        kind: isLoop(step) ? 'loop' : step.kind,
        lines: linesOf(step),
        ...(mark && { mark }),
        blocks: [
          ...(isLoop(step) ? [block(all, marks, { in: step.id }, `each ${step.each?.as ?? 'item'}`)] : []),
          ...reactions.map(([on]) => block(all, marks, { in: step.id, on: on as FailureName }, failureWords(on))),
        ],
      };
    }),
    edges: edgesOf(steps),
  };
}

const failureWords = (on: string): string => (on === 'else' ? 'on any other failure' : `on a failure: ${on}`);

/** Also one over the rows of a table, which is a sweep to whoever carries it out. */
const isLoop = ({ kind, each }: DrawnStep): boolean => kind === 'loop' || each !== undefined;

function linesOf(step: DrawnStep): string[] {
  const { use, kind, when, onError, window, each } = step;
  const atOnce = window === undefined ? undefined : window * (each?.atOnce ?? 1);
  const does = isLoop(step)
    ? `for each of ${overWords(step.with)}${atOnce === undefined ? '' : `, ${number(atOnce)} at once`}`
    : kind === 'gate'
      ? `${use}: waits for a person`
      : use;
  return [
    does,
    ...(step.finally ? ['finally'] : []),
    ...(when === undefined ? [] : [`when ${bare(String(when))}`]),
    // Steps alone are drawn.
    ...Object.entries(onError ?? {})
      .filter(([, { does, retry }]) => does !== 'steps' || retry !== undefined)
      .map(([on, reaction]) => `${on === 'else' ? 'failure' : on}: ${reactionWords(reaction)}`),
  ];
}

/** What a loop goes over: a list by its length or its expression, rows by their file, else by its form, such as `matrix`. */
function overWords(input: Json): string {
  const { key: _, ...forms } = input as { [form: string]: Json };
  const [[form, over]] = Object.entries(forms) as [[string, Json]];
  if (form === 'rows') {
    const source = over as SourceSpec;
    return isQuery(source) ? 'the rows of a query' : bare(pathOf(source));
  }
  if (Array.isArray(over)) return counted(over.length, 'item');
  if (typeof over === 'string') return bare(over);
  return over !== null && typeof over === 'object' ? `${form} ${Object.keys(over).join(' × ')}` : form;
}

/** An expression without the signs around it, cut where it is long. */
const bare = (text: string): string => {
  const inner = text.replace(/^\$\{\{\s*|\s*\}\}$/g, '').replace(/\s+/g, ' ');
  return inner.length > longest ? `${inner.slice(0, longest - 1)}…` : inner;
};

/** Signs of a line that do not make a node wider than its neighbours need. */
const longest = 48;

function reactionWords({ does, retry }: Reaction): string {
  const then = does === 'steps' ? 'steps' : does === 'tolerate' ? 'tolerated' : 'fails';
  return retry === undefined ? then : `tried again ${counted(retry.times, 'time')}, then ${then}`;
}

/** Needs of steps that stand side by side, without those that follow from others. */
function edgesOf(steps: readonly DrawnStep[]): GraphEdge[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const behind = new Map<string, ReadonlySet<string>>();
  const allBehind = (id: string): ReadonlySet<string> => {
    const known = behind.get(id);
    if (known) return known;
    const needs = (byId.get(id)?.needs ?? []).filter((need) => byId.has(need));
    const found = new Set([...needs, ...needs.flatMap((need) => [...allBehind(need)])]);
    behind.set(id, found);
    return found;
  };
  return steps.flatMap((step) => {
    const needs = step.needs.filter((need) => byId.has(need));
    const follows = (need: string): boolean => needs.some((other) => other !== need && allBehind(other).has(need));
    return needs
      .map((need) => ({ need, label: step.finally ? undefined : labelOf(step, need) }))
      .filter(({ need, label }) => label !== undefined || !follows(need))
      .map(({ need, label }): GraphEdge => ({ from: need, to: step.id, ...(label === undefined ? {} : { label }) }));
  });
}

/** Undefined of the usual ends, also where the step comes behind another for the order alone. */
function labelOf(step: DrawnStep, need: string): string | undefined {
  const accepted = acceptedOf(step, need);
  if (accepted.length === endStatuses.length) return 'however it ends';
  const others = accepted.filter((end) => !usualEnds.includes(end) && end !== 'skipped');
  const usual = usualEnds.every((end) => accepted.includes(end));
  if (usual) return others.length === 0 ? undefined : `also ${others.join(', ')}`;
  return accepted.join(', ');
}
