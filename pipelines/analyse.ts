import type { z } from 'zod';
import { before, order } from './order.ts';
import { checkExpressions, type Names } from './check-expressions.ts';
import { evaluateTree, ExpressionError } from './expressions/evaluate.ts';
import { references } from './expressions/references.ts';
import { param, pipelineFile, step as stepSchema, type PipelineFile } from './file.ts';
import { byPosition, formatPath, type Finding, type Path } from './findings.ts';
import { check } from './issues.ts';
import { suggestion } from './nearest.ts';
import { checkOperation, typed } from './operation-step.ts';
import type { Parsed } from './parse.ts';
import { resolveParams } from './params.ts';
import type { Json } from './plan.ts';
import type { Step } from './step.ts';
import { known, mapExpressions } from './strings.ts';
import { withDefaults } from './shape.ts';

export type AnalyseOptions = {
  /** Built-in steps by name. */
  steps: Readonly<Record<string, Step>>;
  ownSteps?: readonly Step[];
  /** Values of parameters by name; text is read by the type of the parameter. */
  params?: Readonly<Record<string, unknown>>;
  /** Folder that relative paths resolve against. */
  baseDir: string;
};

type FileStep = z.output<typeof stepSchema>;

/** A step of the file with its definition; `with` has parameters put in and defaults added. */
export type AnalysedStep = { id: string; file: FileStep; definition: Step; with: Json; needs: string[] };

export type Analysis = { file: PipelineFile; steps: AnalysedStep[]; params: { [name: string]: Json }; required: string[]; outputs: { [name: string]: Json }; concurrency: string | null | undefined };

/** Checks a file as a whole. `analysis` is there where nothing was found; every part that can be checked is. */
export function analyse(parsed: Parsed, options: AnalyseOptions): { findings: Finding[]; analysis?: Analysis } {
  if (parsed.value === undefined) return { findings: parsed.findings };
  const { locate } = parsed;
  const findings = check({ value: parsed.value, schema: pipelineFile, base: [], of: 'a pipeline', locate });
  const file = lenient(parsed.value);
  const params = resolveParams(file.params, options.params ?? {}, options.baseDir, locate);
  findings.push(...params.findings);

  const table: Readonly<Record<string, Step>> = { ...options.steps, ...Object.fromEntries((options.ownSteps ?? []).map((step) => [step.name, step])) };
  const definitions = new Map(Object.entries(file.steps).map(([id, { use, with: input }]) => [id, Object.hasOwn(table, use) ? typed(table[use]!, input) : undefined]));
  const names: Names = { params: file.params, steps: definitions };
  const fold = (value: Json, base: Path): Json => mapExpressions(value, (text, path) => foldText(text, [...base, ...path]));
  const foldText = (text: string, path: Path): Json => {
    try {
      const { steps, params: used, run } = references(text);
      if (steps.length > 0 || run.length > 0 || used.some(({ name }) => name === undefined || !Object.hasOwn(params.values, name))) return text;
      return evaluateTree(text, { params: params.values, steps: {}, run: {} });
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      // Wrong syntax has its finding already, at its column.
      if (error.type !== 'expression-syntax') findings.push({ code: 'bad-expression', message: error.message, path: formatPath(path), ...locate.value(path) });
      return text;
    }
  };

  const steps: AnalysedStep[] = [];
  for (const [id, step] of Object.entries(file.steps)) {
    const definition = definitions.get(id);
    const base = ['steps', id, 'with'];
    const expressions = checkExpressions(step.with, base, names, locate);
    findings.push(...expressions.findings);
    for (const [index, needed] of (step.needs ?? []).entries()) {
      if (!definitions.has(needed)) findings.push({ code: 'no-such-step', message: `there is no step '${needed}'${suggestion(needed, [...definitions.keys()])}`, path: `steps.${id}.needs[${index}]`, ...locate.value(['steps', id, 'needs', index]) });
    }
    if (definition === undefined) {
      findings.push({ code: 'unknown-step', message: `there is no step type '${step.use}'${suggestion(step.use, Object.keys(table))}`, path: `steps.${id}.use`, ...locate.value(['steps', id, 'use']) });
      continue;
    }
    const folded = fold(step.with as Json, base);
    const operation = checkOperation(definition, folded, base, locate);
    findings.push(...operation, ...(operation.length > 0 ? [] : check({ value: folded, schema: definition.input, base, of: step.use, locate })));
    if (step.window !== undefined && definition.kind !== 'sweep') findings.push({ code: 'invalid-value', message: `'window' is for steps that work in chunks; ${step.use} does not`, path: `steps.${id}.window`, ...locate.key(['steps', id, 'window']) });
    const needs = [...new Set([...expressions.needs, ...(step.needs ?? [])])].filter((needed) => definitions.has(needed));
    steps.push({ id, file: step, definition, with: withDefaults(definition.input, folded as Record<string, unknown>) as Json, needs });
  }
  followWriters(steps);

  const outputs = checkExpressions(file.outputs, ['outputs'], names, locate);
  findings.push(...outputs.findings);
  const concurrency = typeof file.concurrency === 'string' ? fold(file.concurrency, ['concurrency']) : file.concurrency;
  if (typeof file.concurrency === 'string') {
    findings.push(...checkExpressions(file.concurrency, ['concurrency'], names, locate).findings);
    if (typeof concurrency !== 'string' || (concurrency.includes('${{') && !(params.required.length > 0))) findings.push({ code: 'invalid-value', message: "'concurrency' is a text known before the run: it may refer to params only", path: 'concurrency', ...locate.value(['concurrency']) });
  }

  findings.push(...checkOrder(steps, parsed));
  findings.push(...checkApprovals(steps, parsed));
  // What cannot be read is no value: a second finding at its place would be about that.
  const unread = new Set(parsed.findings.map(({ line, column }) => `${line}:${column}`));
  const all = [...parsed.findings, ...findings.filter(({ line, column }) => !unread.has(`${line}:${column}`))].sort(byPosition);
  if (all.length > 0) return { findings: all };
  return { findings, analysis: { file, steps, params: params.values, required: params.required, outputs: fold(file.outputs as Json, ['outputs']) as { [name: string]: Json }, concurrency: concurrency as string | null | undefined } };
}

/** The parts of a file that have the right shape, so that one wrong part does not hide what is wrong in the others. */
function lenient(value: Json): PipelineFile {
  const whole = pipelineFile.safeParse(value);
  if (whole.success) return whole.data;
  const given: Record<string, unknown> = value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
  const pick = <T>(part: unknown, read: (entry: unknown) => T | undefined): Record<string, T> =>
    part === null || typeof part !== 'object' || Array.isArray(part) ? {} : Object.fromEntries(Object.entries(part).flatMap(([name, entry]) => { const good = read(entry); return good === undefined ? [] : [[name, good]]; }));
  const looseStep = (entry: unknown): FileStep | undefined => {
    const strict = stepSchema.safeParse(entry);
    if (strict.success) return strict.data;
    const { use, with: input, needs } = (entry ?? {}) as Record<string, unknown>;
    return stepSchema.safeParse({ use: typeof use === 'string' ? use : undefined, ...(input !== null && typeof input === 'object' && !Array.isArray(input) ? { with: input } : {}), ...(Array.isArray(needs) && needs.every((need) => typeof need === 'string') ? { needs } : {}) }).data;
  };
  return {
    name: typeof given['name'] === 'string' ? given['name'] : '',
    params: pick(given['params'], (entry) => param.safeParse(entry).data),
    steps: pick(given['steps'], looseStep),
    outputs: pick(given['outputs'], (entry) => entry ?? null),
    ...(typeof given['concurrency'] === 'string' ? { concurrency: given['concurrency'] } : {}),
  };
}

/** A step that reads a dataset follows every step above it that writes the same one. */
function followWriters(steps: AnalysedStep[]): void {
  const same = (step: AnalysedStep): string | undefined => {
    const field = step.definition.dataset?.field;
    const value = field === undefined ? undefined : (step.with as { [name: string]: Json })[field];
    return value === undefined ? undefined : JSON.stringify(value).replaceAll(/\s+/g, '');
  };
  for (const [index, step] of steps.entries()) {
    if (step.definition.dataset?.as !== 'reads') continue;
    for (const above of steps.slice(0, index)) {
      if (above.definition.dataset?.as === 'writes' && same(above) === same(step) && !step.needs.includes(above.id)) step.needs.push(above.id);
    }
  }
}

const needsOf = (steps: readonly AnalysedStep[]): Map<string, string[]> => new Map(steps.map(({ id, needs }) => [id, needs]));

function checkOrder(steps: readonly AnalysedStep[], { locate }: Parsed): Finding[] {
  const sorted = order(needsOf(steps));
  if ('order' in sorted) return [];
  const path = ['steps', sorted.cycle[0]!];
  const message = sorted.cycle.length === 2 ? `step '${sorted.cycle[0]}' refers to itself` : `steps wait for each other: ${sorted.cycle.join(' → ')}`;
  return [{ code: 'cycle', message, path: formatPath(path), ...locate.key(path) }];
}

/** What a step does that cannot be taken back, as far as its input is known. */
export const irreversibleActs = ({ definition, with: input }: AnalysedStep): string[] =>
  definition.irreversible ? [`${definition.name}: ${definition.summary}`] : (definition.forecast(known(input) as never, { source: () => undefined, items: undefined }).irreversible ?? []);

function checkApprovals(steps: readonly AnalysedStep[], { locate }: Parsed): Finding[] {
  const needs = needsOf(steps);
  const gates = new Set(steps.filter(({ definition }) => definition.kind === 'gate').map(({ id }) => id));
  return steps.flatMap((step) => {
    const acts = irreversibleActs(step);
    if (acts.length === 0 || [...before(step.id, needs)].some((id) => gates.has(id))) return [];
    const path = ['steps', step.id, 'use'];
    const remedy = `add a step {use: gate.approve} and name it here: needs: [${[...gates][0] ?? 'approval'}]`;
    return [{ code: 'needs-approval', message: `this cannot be taken back (${acts.join('; ')}); it needs an approval first`, path: formatPath(path), remedy, ...locate.value(path) }];
  });
}
