import { nearest, suggestion } from '../../text/nearest.ts';
import { formatPath, help, type Finding, type Locate } from '../file/findings.ts';
import type { Parsed } from '../file/parse.ts';
import { actsOf } from '../acts.ts';
import type { Approved } from '../plan.ts';
import type { AnalysedStep } from './analysed-step.ts';
import { readerOf } from './lift-needs.ts';
import { before } from './order.ts';

type Acts = { always: string[]; perhaps: string[] };

/** What a step does that cannot be taken back, as far as its input is known. */
function actsBy({ definition, with: input }: AnalysedStep): Acts {
  const acts = actsOf(definition, input);
  const says = (perhaps: boolean): string[] => acts.filter((act) => (act.perhaps ?? false) === perhaps).map((act) => act.says);
  return { always: says(false), perhaps: says(true) };
}

/** May a step do what cannot be taken back? */
export const mayAct = (step: AnalysedStep): boolean => {
  const { always, perhaps } = actsBy(step);
  return always.length + perhaps.length > 0;
};

/** One that takes a step back itself lets nothing happen: it asks a person to do so. */
const isGate = ({ definition, undoes }: AnalysedStep): boolean => definition.kind === 'gate' && undoes === undefined;

/** Steps that a gate names in `approves`; undefined where it names none. */
const named = ({ with: input }: AnalysedStep): string[] | undefined => {
  const { approves } = input as { approves?: unknown };
  return Array.isArray(approves) ? approves.filter((id) => typeof id === 'string') : undefined;
};

/** A step waits for the gate that names it; in a loop, the loop does where the gate stands outside of it. */
export function followGates(steps: readonly AnalysedStep[]): void {
  const byId = new Map(steps.map((step) => [step.id, step]));
  for (const gate of steps.filter(isGate))
    for (const id of named(gate) ?? []) {
      const approved = byId.get(id);
      // What takes a step back was approved before the step was done.
      const step = approved?.undoes === undefined ? approved : byId.get(approved.undoes);
      const waiting = step && readerOf(step, gate.id, byId);
      if (waiting && !waiting.needs.includes(gate.id)) waiting.needs.push(gate.id);
    }
}

/** A step with the loops around it. */
const around = (step: AnalysedStep, steps: readonly AnalysedStep[]): AnalysedStep[] => {
  const loop = steps.find(({ id }) => id === step.in);
  return [step, ...(loop ? around(loop, steps) : [])];
};

/** The steps that a gate approves: those it names, else those that need it, with all that stands in them. What is done finally waits for all. */
export const approvedBy = (gate: AnalysedStep, steps: readonly AnalysedStep[]): Approved[] =>
  steps
    .filter(
      (step) =>
        step.loop === undefined &&
        around(step, steps).some(({ id, needs, final }) => named(gate)?.includes(id) ?? (!final && needs.includes(gate.id))),
    )
    .map((step) => {
      const { always, perhaps } = actsBy(step);
      return { step: step.id, use: step.definition.name, acts: [...always, ...perhaps] };
    });

/** Ids of all steps that some gate approves. */
export const approvedSteps = (steps: readonly AnalysedStep[]): Set<string> =>
  new Set(steps.filter(isGate).flatMap((gate) => approvedBy(gate, steps).map(({ step }) => step)));

/** What a gate approves is done after its approval alone. */
function checkPassedGates(steps: readonly AnalysedStep[], locate: Locate): Finding[] {
  return steps.filter(isGate).flatMap((gate) => {
    const passed = approvedBy(gate, steps).flatMap(({ step: id }) =>
      around(
        steps.find((step) => step.id === id)!,
        steps,
      ).filter((step) => step.accepts[gate.id]?.some((end) => end !== 'done')),
    );
    return [...new Set(passed)].map((step): Finding => {
      const path = [...step.path, 'needs', gate.id];
      return {
        code: 'invalid-value',
        message: `${gate.id} approves this step, so it starts after the approval alone`,
        path: formatPath(path),
        ...locate.value(path),
        remedy: `write ${gate.id}: done; or, where it does nothing that is approved, name at ${gate.id} what is: approves: […]`,
      };
    });
  });
}

/** A person's no stands, also where a person was to take a step back by hand. */
const checkRejections = (steps: readonly AnalysedStep[], locate: Locate): Finding[] =>
  steps.flatMap(({ id, path: of, definition, onError, undoes }): Finding[] => {
    if (definition.kind !== 'gate' || onError === undefined) return [];
    const path = [...of, 'onError'];
    const then = undoes === undefined ? `what ${id} approves would be done all the same` : `${undoes} would count as taken back`;
    const message = `a rejection cannot be tolerated: ${then}`;
    return [{ code: 'invalid-value', message, path: formatPath(path), remedy: 'take the line out', ...locate.key(path) }];
  });

/**
 * Gates that name steps which are not there, and acts that no gate approves. `ids`: of every step of the file; `undone`: a failed run is
 * undone by itself, and otherwise whoever undoes it is asked.
 */
export function checkApprovals(steps: readonly AnalysedStep[], ids: readonly string[], { locate }: Parsed, undone: boolean): Finding[] {
  const unknown = steps.filter(isGate).flatMap((gate) =>
    (named(gate) ?? []).flatMap((id, index): Finding[] => {
      const path = [...gate.path, 'with', 'approves', index];
      return ids.includes(id)
        ? []
        : [
            {
              code: 'no-such-step',
              message: `there is no step '${id}'${suggestion(id, ids)}`,
              path: formatPath(path),
              ...locate.value(path),
              ...help(locate, path, { value: nearest(id.replace(/^steps\./, ''), ids) }, 'take the id of a step of this file'),
            },
          ];
    }),
  );
  const approved = approvedSteps(steps);
  const gate = steps.find(isGate)?.id;
  const bare = steps.flatMap((step): Finding[] => {
    const { always } = actsBy(step);
    if (always.length === 0 || approved.has(step.id) || (step.undoes !== undefined && !undone)) return [];
    const path = [...step.path, 'use'];
    return [
      {
        code: 'needs-approval',
        message: `this cannot be taken back (${always.join('; ')}); a gate must approve it`,
        path: formatPath(path),
        remedy: gate
          ? `name it there: ${gate}: { use: gate.approve, with: { approves: [${step.id}] } }${step.undoes === undefined ? `, or here: needs: [${gate}]` : ''}`
          : `add a step: approval: { use: gate.approve, with: { approves: [${step.id}] } }`,
        ...locate.value(path),
      },
    ];
  });
  return [...unknown, ...bare, ...checkPassedGates(steps, locate), ...checkRejections(steps, locate)];
}

/**
 * Gates that nothing waits for, although something was to: what cannot be taken back may be done beside the gate, or the gate stands
 * at the beginning and its decision is read nowhere. One at the end of a file signs off what was done. `read`: steps that the outputs read.
 */
export function checkIdleGates(steps: readonly AnalysedStep[], read: readonly string[], { locate }: Parsed): Finding[] {
  const approved = approvedSteps(steps);
  const all = new Map(steps.map(({ id, needs }) => [id, needs]));
  return steps.filter(isGate).flatMap((gate): Finding[] => {
    // A turn asks for itself, and what it is asked for stands beside it.
    if (gate.in !== undefined || steps.some(({ needs, final }) => !final && needs.includes(gate.id))) return [];
    const earlier = before(gate.id, all);
    const beside = steps.filter((step) => !earlier.has(step.id) && !isGate(step));
    const risky = beside.filter((step) => !approved.has(step.id) && actsBy(step).perhaps.length > 0);
    const first = gate.needs.length === 0 && !read.includes(gate.id);
    const [meant] = risky.length > 0 ? risky : first ? beside : [];
    if (meant === undefined) return [];
    const path = [...gate.path, ...(gate.file.with === undefined ? ['use'] : ['with'])];
    return [
      {
        code: 'idle-gate',
        message: `nothing waits for ${gate.id}: ${(risky.length > 0 ? risky : beside).map(({ id }) => id).join(', ')} would run without its approval`,
        path: formatPath(path),
        ...locate.value(path),
        remedy: `name there what it approves, such as approves: [${meant.id}]`,
      },
    ];
  });
}
