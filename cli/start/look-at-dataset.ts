import { createClient } from '../../client/create-client.ts';
import { resolveService } from '../../config/connections.ts';
import { createGates } from '../../config/gates.ts';
import type { Config } from '../../config/load.ts';
import { known } from '../../pipelines/file/embedded-expressions.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { DatasetFacts, Step } from '../../pipelines/step.ts';

/** The first dataset that a step of a plan names by its slug, and the connection it is at. */
const namedDataset = (plan: Plan, steps: Readonly<Record<string, Step>>): { connection: string; slug: string } | undefined => {
  for (const { use, with: input, connections } of plan.steps) {
    const slug = steps[use]?.concurrency?.(known(input));
    const connection = connections['maps'];
    if (slug !== undefined && connection !== undefined) return { connection, slug };
  }
  return undefined;
};

/**
 * The dataset that a plan works on as it is at its service: two reads at most, so that `plan` can say what will be created
 * and how many rows an act can reach. Undefined where the plan names none or the service does not answer.
 */
export async function lookAtDataset(plan: Plan, steps: Readonly<Record<string, Step>>, config: Config): Promise<DatasetFacts | undefined> {
  const named = namedDataset(plan, steps);
  if (!named) return undefined;
  try {
    const connection = resolveService(config, 'maps', named.connection);
    const permits = createGates(config)(connection);
    const client = createClient('maps', { baseUrl: connection.url, token: connection.token, permits, timeoutMs: 5_000 });
    const { projects } = await client.projects.list({});
    const found = projects.find((project) => project.slug === named.slug);
    if (!found) return { exists: false, rows: 0 };
    const { total_datums_in_project } = await client.projects.get({ project_id: found.id });
    return { exists: true, rows: total_datums_in_project };
  } catch {
    return undefined;
  }
}
