import type { Config } from '../../config/load.ts';
import { secretProblem } from '../../config/named-secret.ts';
import { thatMayBegin } from '../../pipelines/ends.ts';
import { CommandError } from '../frame/errors.ts';
import { secretsOf, sourceOf } from '../../pipelines/source-name.ts';
import { missingForEmbedding, type Missing } from './check-embedding.ts';
import type { CompiledFile } from './compile-file.ts';

/** Secrets that own steps of a plan list, or its sources name, and that cannot be read here. */
const missingSecrets = ({ plan, open: { steps } }: CompiledFile, config: Config): Missing[] =>
  thatMayBegin(plan.steps).flatMap(({ id, use }) =>
    [
      ...(steps[use]?.own?.code.secrets ?? []),
      ...plan.sources.flatMap((source) => (source.step === id && !source.raw ? secretsOf(sourceOf(source)) : [])),
    ].flatMap((name) => {
      const problem = secretProblem(config, name);
      if (!problem) return [];
      return [{ step: id, says: `steps.${id} needs the secret '${name}': ${problem.message}`, remedy: problem.remedy }];
    }),
  );

/** What is known before a run that its steps lack here, in the order of the plan's steps. */
export const missingFor = (compiled: CompiledFile, config: Config): Missing[] => [
  ...missingForEmbedding(compiled, config),
  ...missingSecrets(compiled, config),
];

/** Refuses a run that lacks something, before it sends anything. */
export function refuseMissing(missing: readonly Missing[]): void {
  if (missing.length > 0)
    throw new CommandError(missing.map(({ says }) => says).join('\n'), {
      remedy: [...new Set(missing.map(({ remedy }) => remedy))].join('\n'),
    });
}
