import { checkExpression } from '../expressions/references.ts';
import { expressionsIn } from '../file/embedded-expressions.ts';
import type { AnalysedStep } from './analysed-step.ts';
import type { PipelineStep } from './sub-pipelines.ts';

export type ById = ReadonlyMap<string, AnalysedStep>;

/**
 * What a value of a step names, a dataset or a key. `connection`: undefined is that of the file; `in`: the loop whose item it reads, which is
 * another one in another loop.
 */
export type Named = { of: unknown; connection: string | undefined; in?: string };

/** The name as one text: what is written differently and means the same is no difference. */
export const textOf = ({ of, connection, in: loop }: Named): string =>
  JSON.stringify([of, connection ?? null, loop ?? null]).replaceAll(/\s+/g, '');

const param = /\$\{\{\s*params\.(\w+)\s*\}\}/g;
const idOfStep = /^\$\{\{\s*steps\.(\w+)\.id\s*\}\}$/;

/** What a value names as a dataset: by the slug of the step that finds or makes it, else as it is written. */
export function datasetOf(value: unknown, byId: ById): unknown {
  const finder = typeof value === 'string' ? byId.get(idOfStep.exec(value)?.[1] ?? '') : undefined;
  const slug = finder?.definition.concurrency ? (finder.with as { slug?: unknown }).slug : undefined;
  return slug === undefined ? value : { slug };
}

const outermost = (step: AnalysedStep, byId: ById): string | undefined => {
  const loop = step.in === undefined ? undefined : byId.get(step.in);
  return loop ? (outermost(loop, byId) ?? loop.id) : undefined;
};

/** An expression that only its loop knows, or nobody. */
const readsItem = (value: unknown): boolean => expressionsIn(value).some(({ text }) => checkExpression(text) !== undefined);

/** What a value of a step names, where it stands. */
export function namedAt(of: unknown, step: AnalysedStep, byId: ById, connection: string | undefined): Named {
  const loop = readsItem(of) ? outermost(step, byId) : undefined;
  return { of, connection, ...(loop === undefined ? {} : { in: loop }) };
}

/**
 * What is named inside a pipeline, as the step that runs it names it: a parameter is what the step gives for it. What only the steps inside
 * know is nobody else's.
 */
export function outside<N extends Named>(names: readonly N[], step: AnalysedStep & { definition: PipelineStep }, byId: ById): N[] {
  const given = step.with as { [name: string]: unknown };
  const defaults: { [name: string]: unknown } = step.definition.pipeline.analysis?.params ?? {};
  const valueOf = (name: string): unknown => given[name] ?? defaults[name];
  const raised = (value: unknown): unknown => {
    if (typeof value !== 'string' || !value.includes('${{')) return value;
    const [whole] = [...value.matchAll(param)];
    if (whole?.[0] === value) return datasetOf(valueOf(whole[1]!), byId);
    const text = value.replaceAll(param, (written, name: string) => {
      const known = valueOf(name);
      return typeof known === 'string' || typeof known === 'number' || typeof known === 'boolean' ? String(known) : written;
    });
    return text.includes('params.') || text.includes('steps.') ? undefined : text;
  };
  const raisedIn = (of: unknown): unknown => {
    if (typeof of !== 'object' || of === null) return raised(of);
    const parts = Object.entries(of).map(([part, value]) => [part, raised(value)] as const);
    return parts.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(parts);
  };
  return names.flatMap((name) => {
    const value = name.in === undefined ? raisedIn(name.of) : undefined;
    return value === undefined ? [] : [{ ...name, ...namedAt(value, step, byId, name.connection) }];
  });
}
