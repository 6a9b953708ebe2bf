import { z } from 'zod';
import type { AnalyseOptions } from '../../pipelines/compile/analysis.ts';
import { compile, validate, type CompileOptions } from '../../pipelines/compile/compile.ts';
import { renderFindings } from '../../cli/render/findings.ts';
import type { Finding } from '../../pipelines/file/findings.ts';
import { toStep } from '../../pipelines/own/single.ts';
import { parse } from '../../pipelines/file/parse.ts';
import type { OwnStep } from '../../pipelines/own/define.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { Step } from '../../pipelines/step.ts';
import { withOwn } from '../../pipelines/steps/table.ts';

/** An own step as its file would make it. */
export const ownStep = (code: OwnStep): Step => toStep({ file: '/project/steps/own.mts', version: '1', code });

/** A step with one field of each common type, beside the built-in ones. */
export const sample = ownStep({
  name: 'acme.sample',
  summary: 'Take one of each',
  input: z.strictObject({
    text: z.string().optional(),
    count: z.int().min(1).optional(),
    flag: z.boolean().default(false),
    list: z.array(z.string()).optional(),
    nested: z.strictObject({ deep: z.number(), other: z.string().optional() }).optional(),
  }),
  output: z.object({
    text: z.string(),
    count: z.int(),
    list: z.array(z.object({ id: z.string() })),
    inner: z.object({ deep: z.string() }),
  }),
  effect: 'idempotent',
  operations: ['maps.user.get'],
  run: () => ({ text: '', count: 0, list: [], inner: { deep: '' } }),
});

export const wipe = ownStep({
  name: 'acme.wipe',
  summary: 'Remove all',
  input: z.strictObject({}),
  output: z.object({}),
  effect: 'never',
  acts: { wipe: 1 },
  run: () => ({}),
});

export const options: AnalyseOptions = { steps: withOwn([sample, wipe]), baseDir: '/base' };

export const findings = (text: string, given: Partial<AnalyseOptions> = {}): Finding[] => validate(parse(text), { ...options, ...given });

/** `code line:column` of each finding. */
export const brief = (found: readonly Finding[]): string[] => found.map(({ code, line, column }) => `${code} ${line}:${column}`);

export function planOf(text: string, given: Partial<CompileOptions> = {}): Plan {
  const result = compile(parse(text), { ...options, connection: 'local', ...given });
  if ('findings' in result) throw new Error(renderFindings('file', result.findings));
  return result.plan;
}
