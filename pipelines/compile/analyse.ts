import { checkExpressions, type Names } from './check-expressions.ts';
import { references } from '../expressions/references.ts';
import { createFold, type Fold } from './fold.ts';
import { checkApprovals, followGates } from './approvals.ts';
import { checkOrder, followWriters } from './dependencies.ts';
import { pipelineFile, type PipelineFile } from '../file/schema.ts';
import { lenient } from '../file/lenient.ts';
import { byPosition, type Finding, type Locate } from '../file/findings.ts';
import { check } from '../file/schema-findings.ts';
import { suggestion } from '../../text/nearest.ts';
import { checkOperation, typed } from '../own/operation-step.ts';
import type { Parsed } from '../file/parse.ts';
import { resolveParams } from './params.ts';
import type { Json } from '../../text/json.ts';
import type { Step } from '../step.ts';
import { withDefaults } from '../file/schema-fields.ts';
import type { AnalysedStep } from './analysed-step.ts';

export type AnalyseOptions = {
  /** Built-in steps by name. */
  steps: Readonly<Record<string, Step>>;
  ownSteps?: readonly Step[];
  /** Values of parameters by name; text is read by the type of the parameter. */
  params?: Readonly<Record<string, unknown>>;
  /** Folder that relative paths resolve against. */
  baseDir: string;
};

export type Analysis = {
  file: PipelineFile;
  steps: AnalysedStep[];
  params: { [name: string]: Json };
  required: string[];
  outputs: { [name: string]: Json };
  concurrency: string | null | undefined;
};

type World = { table: Readonly<Record<string, Step>>; names: Names; fold: Fold; locate: Locate };

/** Checks a file as a whole. `analysis` is there where nothing was found; every part that can be checked is. */
export function analyse(parsed: Parsed, options: AnalyseOptions): { findings: Finding[]; analysis?: Analysis } {
  if (parsed.value === undefined) return { findings: parsed.findings };
  const { locate } = parsed;
  const findings = check({ value: parsed.value, schema: pipelineFile, base: [], of: 'a pipeline', locate });
  const file = lenient(parsed.value);
  const params = resolveParams(file.params, options.params ?? {}, options.baseDir, locate);
  const table: World['table'] = { ...options.steps, ...Object.fromEntries((options.ownSteps ?? []).map((step) => [step.name, step])) };
  const definitions = new Map(
    Object.entries(file.steps).map(([id, { use, with: input }]) => [id, Object.hasOwn(table, use) ? typed(table[use]!, input) : undefined]),
  );
  const names: Names = { params: file.params, steps: definitions };
  const fold = createFold(params.values, locate, (finding) => findings.push(finding));

  const analysed = Object.entries(file.steps).map(([id, step]) => analyseStep(id, step, { table, names, fold, locate }));
  const steps = analysed.flatMap(({ step }) => step ?? []);
  followWriters(steps);
  followGates(steps);
  findings.push(
    ...params.findings,
    ...analysed.flatMap((each) => each.findings),
    ...checkExpressions(file.outputs, ['outputs'], names, locate).findings,
    ...checkConcurrency(file, names, locate),
    ...checkOrder(steps, parsed),
    ...checkApprovals(steps, parsed),
  );
  const outputs = fold(file.outputs as Json, ['outputs']) as Analysis['outputs'];
  const key = typeof file.concurrency === 'string' ? fold(file.concurrency, ['concurrency']) : file.concurrency;
  const concurrency = key === undefined || key === null || typeof key === 'string' ? key : JSON.stringify(key);

  // What cannot be read is no value: a second finding at its place would be about that.
  const unread = new Set(parsed.findings.map(({ line, column }) => `${line}:${column}`));
  const all = [...parsed.findings, ...findings.filter(({ line, column }) => !unread.has(`${line}:${column}`))].sort(byPosition);
  return all.length > 0
    ? { findings: all }
    : { findings: all, analysis: { file, steps, params: params.values, required: params.required, outputs, concurrency } };
}

/** One step against its definition; without a `step` where its type is unknown. */
function analyseStep(
  id: string,
  step: AnalysedStep['file'],
  { table, names, fold, locate }: World,
): { findings: Finding[]; step?: AnalysedStep } {
  const definition = names.steps.get(id);
  const base = ['steps', id, 'with'];
  const { findings, needs: referred } = checkExpressions(step.with, base, names, locate);
  for (const [index, needed] of (step.needs ?? []).entries()) {
    if (!names.steps.has(needed))
      findings.push({
        code: 'no-such-step',
        message: `there is no step '${needed}'${suggestion(needed, [...names.steps.keys()])}`,
        path: `steps.${id}.needs[${index}]`,
        ...locate.value(['steps', id, 'needs', index]),
      });
  }
  if (definition === undefined) {
    findings.push({
      code: 'unknown-step',
      message: `there is no step type '${step.use}'${suggestion(step.use, Object.keys(table))}`,
      path: `steps.${id}.use`,
      ...locate.value(['steps', id, 'use']),
    });
    return { findings };
  }
  const folded = fold(step.with as Json, base) as { [name: string]: Json };
  const operation = checkOperation(definition, folded, base, locate);
  findings.push(...(operation.length > 0 ? operation : check({ value: folded, schema: definition.input, base, of: step.use, locate })));
  if (step.window !== undefined && definition.kind !== 'sweep')
    findings.push({
      code: 'invalid-value',
      message: `'window' is for steps that work in chunks; ${step.use} does not`,
      path: `steps.${id}.window`,
      ...locate.key(['steps', id, 'window']),
    });
  const needs = [...new Set([...referred, ...(step.needs ?? [])])].filter((needed) => names.steps.has(needed));
  return {
    findings,
    step: { id, file: step, definition: typed(definition, folded), with: withDefaults(definition.input, folded) as Json, needs },
  };
}

/** The key is taken before the first step: only parameters are known then. */
function checkConcurrency({ concurrency }: PipelineFile, names: Names, locate: Locate): Finding[] {
  if (typeof concurrency !== 'string') return [];
  const { findings } = checkExpressions(concurrency, ['concurrency'], names, locate);
  if (findings.length > 0) return findings;
  const { steps, run } = references(concurrency);
  return steps.length === 0 && run.length === 0
    ? []
    : [
        {
          code: 'invalid-value',
          message: "'concurrency' is a text known before the run: it may refer to params only",
          path: 'concurrency',
          ...locate.value(['concurrency']),
        },
      ];
}
