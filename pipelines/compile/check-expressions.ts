import { checkExpression, references } from '../expressions/references.ts';
import type { FindingCode } from '../file/finding-codes.ts';
import { formatPath, type Finding, type Locate, type Path } from '../file/findings.ts';
import type { PipelineFile } from '../file/schema.ts';
import { suggestion } from '../../text/nearest.ts';
import { unknownName } from '../file/schema-fields.ts';
import type { Step } from '../step.ts';
import { expressionsIn } from '../file/embedded-expressions.ts';

/** What the run itself is called in expressions. */
const runFields = ['id', 'pipeline'];

/** What an expression may name: declared parameters, and steps with their definitions where those are known. */
export type Names = { params: PipelineFile['params']; steps: ReadonlyMap<string, Step | undefined> };

/** Findings of every expression in a value, and the steps that it refers to, each once. */
export function checkExpressions(value: unknown, base: Path, names: Names, locate: Locate): { findings: Finding[]; needs: string[] } {
  const findings: Finding[] = [];
  const needs = new Set<string>();
  for (const { text, path } of expressionsIn(value)) {
    const full = [...base, ...path];
    const report = (code: FindingCode, message: string, offset: number): void =>
      void findings.push({ code, message, path: formatPath(full), ...locate.value(full, offset) });
    const error = checkExpression(text);
    if (error) {
      report('bad-expression', error.message, error.offset);
      continue;
    }
    const { steps, params, run } = references(text);
    for (const { name, offset } of params) {
      if (name !== undefined && !Object.hasOwn(names.params, name))
        report('no-such-param', `there is no parameter '${name}'${suggestion(name, Object.keys(names.params))}`, offset);
    }
    for (const {
      path: [field],
      offset,
    } of run) {
      if (field !== undefined && !runFields.includes(field))
        report('no-such-field', `run has no field '${field}'; it has ${runFields.join(', ')}`, offset);
    }
    for (const { id, path: output, offset } of steps) {
      if (!names.steps.has(id)) {
        report('no-such-step', `there is no step '${id}'${suggestion(id, [...names.steps.keys()])}`, offset);
        continue;
      }
      needs.add(id);
      const step = names.steps.get(id);
      const unknown = step && unknownName(step.output, output);
      if (unknown)
        report(
          'no-such-output',
          `steps.${[id, ...output.slice(0, unknown.index)].join('.')} has no output '${output[unknown.index]}'; it has ${unknown.known.join(', ')}`,
          offset,
        );
    }
  }
  return { findings, needs: [...needs] };
}
