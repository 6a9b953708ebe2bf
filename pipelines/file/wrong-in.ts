import type { Json } from '../../text/json.ts';
import { pipelineFile, step } from './schema.ts';
import { onlyDocument } from './yaml/compose.ts';
import { toValue } from './yaml/values.ts';

/** How much is wrong with a text as a pipeline file, as far as one look shows it; undefined where it cannot be read. */
export function wrongIn(text: string): number | undefined {
  const document = onlyDocument(text);
  if (document === undefined) return undefined;
  const { value, errors } = toValue(document);
  const issues = pipelineFile.safeParse(value).error?.issues ?? [];
  const wrong = issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
  return errors.length + wrong + tooDeep(value);
}

/** Fields of steps that stand in the input of one. */
function tooDeep(value: Json | undefined): number {
  const members = (of: unknown): [string, unknown][] =>
    of !== null && typeof of === 'object' && !Array.isArray(of) ? Object.entries(of) : [];
  const of = (from: unknown, name: string): unknown => members(from).find(([each]) => each === name)?.[1];
  return members(of(value, 'steps'))
    .flatMap(([, each]) => members(of(each, 'with')))
    .filter(([name]) => Object.hasOwn(step.shape, name)).length;
}
