import type { Config } from '../../config/load.ts';
import { secretProblem } from '../../config/named-secret.ts';
import { thatMayBegin } from '../../pipelines/ends.ts';
import { CommandError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { needsOf, type Need } from '../../landing/needs.ts';
import { sourceOf } from '../../pipelines/source-name.ts';
import type { Plan } from '../../pipelines/plan.ts';
import { missingForEmbedding, type Missing } from './check-embedding.ts';
import type { Launched } from './compile-file.ts';

/** Secrets that own steps of a plan list, or its sources name, and that cannot be read here; places of sources that nothing is known of. */
const missingSecrets = ({ plan, open: { steps } }: Launched, config: Config): Missing[] =>
  [plan, ...Object.values(plan.pipelines ?? {}).map((sub) => ({ ...sub.plan, sources: [] }))].flatMap((each) =>
    missingIn(each, steps, config),
  );

const missingIn = (
  { steps: planned, sources, undo }: Pick<Plan, 'steps' | 'sources' | 'undo'>,
  steps: Launched['open']['steps'],
  config: Config,
): Missing[] =>
  [...thatMayBegin(planned), ...(undo?.steps ?? [])].flatMap(({ id, use }) =>
    [
      ...(steps[use]?.own?.code.secrets ?? []).map((secret): Need => ({ secret })),
      ...[...sources, ...(undo?.sources ?? [])].flatMap((source) =>
        source.step === id && !source.raw ? needsOf(sourceOf(source), config.sources) : [],
      ),
    ].flatMap((need) => {
      if ('problem' in need) return [{ step: id, says: `steps.${id}: ${need.problem}`, remedy: need.remedy }];
      const problem = secretProblem(config, need.secret);
      if (!problem) return [];
      return [{ step: id, says: `steps.${id} needs the secret '${need.secret}': ${problem.message}`, remedy: problem.remedy }];
    }),
  );

/** What is known before a run that its steps lack here, in the order of the plan's steps. */
export const missingFor = (compiled: Launched, config: Config): Missing[] => [
  ...missingForEmbedding(compiled, config),
  ...missingSecrets(compiled, config),
];

/** Refuses a run that lacks something, before it sends anything. */
export function refuseMissing(missing: readonly Missing[]): void {
  if (missing.length > 0)
    throw new CommandError(missing.map(({ says }) => says).join('\n'), {
      remedy: [...new Set(missing.map(({ remedy }) => remedy))].join('\n'),
      code: exit.usage,
    });
}
