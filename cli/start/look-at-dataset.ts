import { createClient } from '../../client/create-client.ts';
import { createPermits } from '../../client/permits.ts';
import { resolveConnection } from '../../config/connections.ts';
import type { Config } from '../../config/load.ts';
import { maps } from '../../contracts/maps/index.ts';
import type { Plan } from '../../pipelines/plan.ts';

/**
 * Is the dataset that a plan works on new at its service: one read, so that `plan` can say exactly what will be
 * created. Undefined where the plan holds no dataset or the service does not answer.
 */
export async function isNewDataset(plan: Plan, config: Config): Promise<boolean | undefined> {
  const [connection, slug] = plan.concurrency?.split('/') ?? [];
  if (connection === undefined || slug === undefined) return undefined;
  try {
    const { maps: open } = resolveConnection(config, connection);
    const client = createClient('maps', maps, { baseUrl: open.url, token: open.token, permits: createPermits(), timeoutMs: 5_000 });
    const { projects } = await client.projects.list({});
    return !projects.some((project) => project.slug === slug);
  } catch {
    return undefined;
  }
}
