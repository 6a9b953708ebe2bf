import { z } from 'zod';
import { hasExpression } from '../expressions/scan.ts';
import { formatPath, type Finding, type Locate, type Path } from '../file/findings.ts';
import type { FlatStep } from '../file/flat-steps.ts';
import { lenient } from '../file/lenient.ts';
import type { UsedFile, UsedFiles } from '../file/parse.ts';
import type { PipelineFile } from '../file/schema.ts';
import { resolvePath } from '../resolve-path.ts';
import type { StepOrLoop } from '../step.ts';
import type { Json } from '../../text/json.ts';
import type { Analysis } from './analysis.ts';
import { schemaOfParam } from './names.ts';

type Loaded = Extract<UsedFile, { value: unknown }>;
type Unusable = Extract<UsedFile, { problem: string }>;

/** A pipeline as a step of another one: its parameters are the input, its outputs what it gives. Without `analysis` it has findings of its own. */
export type PipelineStep = StepOrLoop & { readonly pipeline: { loaded: Loaded; analysis?: Analysis } };

export const isPipeline = (definition: StepOrLoop | undefined): definition is PipelineStep =>
  definition !== undefined && 'pipeline' in definition;

/** Checks a pipeline that a step names: with these values of its parameters and these open, the others by their defaults; or with all of them open. */
export type Check = (
  loaded: Loaded,
  given: { values: { [name: string]: Json }; open: string[] } | 'open',
) => { findings: Finding[]; analysis?: Analysis };

/** The pipelines that the steps of a file name, by what stands under `use`, and why others cannot be used. */
export type Pipelines = {
  table: Readonly<Record<string, PipelineStep>>;
  unusable: ReadonlyMap<string, Unusable>;
};

/** What the steps of a file name as pipelines, each read as a step. Findings in them are those of the first step that names them. */
export function pipelinesOf(
  uses: UsedFiles = {},
  steps: readonly FlatStep[],
  check: Check,
  locate: Locate,
): Pipelines & { findings: Finding[] } {
  const table: Record<string, PipelineStep> = {};
  const unusable = new Map<string, Unusable>();
  const findings: Finding[] = [];
  for (const [use, used] of Object.entries(uses)) {
    const first = steps.find(({ file }) => file.use === use);
    if (!first) continue;
    if ('problem' in used) {
      unusable.set(use, used);
      continue;
    }
    const { findings: inside, analysis } = check(used, 'open');
    table[use] = asStep(use, used, analysis);
    findings.push(...inside.map((each) => inPipeline({ path: first.path, use }, each, locate)));
  }
  return { table, unusable, findings };
}

/** A finding of a pipeline, at the step that names it. */
export function inPipeline(
  step: { path: Path; use: string },
  { code, message, line, column, corrected, remedy }: Finding,
  locate: Locate,
): Finding {
  const { use } = step;
  const path = [...step.path, 'use'];
  const help = corrected === undefined ? remedy : `line ${line} of ${use}: ${corrected.trim()}`;
  return {
    code: 'in-pipeline',
    message: `${use}:${line}:${column}: ${message} (${code})`,
    path: formatPath(path),
    ...locate.value(path),
    ...(help === undefined ? {} : { remedy: help }),
  };
}

/** What is wrong with a pipeline for the values that a step gives it, as far as they are written out. */
export function checkGiven(
  { step, folded, folder }: { step: FlatStep; folded: Json; folder: string },
  definition: PipelineStep,
  check: Check,
  locate: Locate,
): Finding[] {
  const { pipeline } = definition;
  if (!pipeline.analysis) return [];
  const { params } = pipeline.analysis.file;
  const given = Object.entries(folded as { [name: string]: Json });
  const isOpen = ([, value]: (typeof given)[number]): boolean => hasExpression(JSON.stringify(value));
  const values = given
    .filter((each) => !isOpen(each))
    .map(([name, value]) => [name, params[name]?.type === 'path' && typeof value === 'string' ? resolvePath(value, folder) : value]);
  const open = given.filter(isOpen).map(([name]) => name);
  return check(pipeline.loaded, { values: Object.fromEntries(values), open }).findings.map((each) =>
    inPipeline({ path: step.path, use: step.file.use }, each, locate),
  );
}

function asStep(use: string, loaded: Loaded, analysis: Analysis | undefined): PipelineStep {
  const file = analysis?.file ?? lenient(loaded.value ?? null);
  const steps = analysis?.steps ?? [];
  return {
    name: use,
    summary: file.description ?? `Run the pipeline ${file.name}.`,
    kind: 'pipeline',
    effect: steps.every(({ definition }) => definition.effect === 'safe') ? 'safe' : 'reconcile',
    // One that names its connection does not take that of the file above it.
    operations: analysis?.connection === undefined ? [...new Set(steps.flatMap(({ definition }) => definition.operations))] : [],
    timeouts: { attemptMs: 0, deadlineMs: 0 },
    paths: Object.entries(file.params).flatMap(([name, { type }]) => (type === 'path' ? [name] : [])),
    input: z.strictObject(Object.fromEntries(Object.entries(file.params).map(([name, param]) => [name, taken(param)]))),
    output: z.object(analysis?.gives ?? Object.fromEntries(Object.keys(file.outputs).map((name) => [name, z.unknown()]))),
    forecast: () => ({ does: `run the pipeline ${file.name}`, calls: [] }),
    example: {},
    pipeline: { loaded, ...(analysis && { analysis }) },
  };
}

/** What a step may give to a parameter; its default is the pipeline's own, so that a path in it means the folder of that. */
function taken({ type, default: preset, description }: PipelineFile['params'][string]): z.ZodType {
  const schema = description === undefined ? schemaOfParam[type] : schemaOfParam[type].describe(description);
  return preset === undefined ? schema : schema.optional();
}
