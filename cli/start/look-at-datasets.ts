import { createClient } from '../../client/create-client.ts';
import { createCalls } from '../../client/invoke.ts';
import { ApiError } from '../../client/errors.ts';
import { resolveService } from '../../config/connections.ts';
import { createGates } from '../../config/gates.ts';
import type { Config } from '../../config/load.ts';
import { datasetsIn } from '../../contracts/maps/projects.ts';
import { organizationOf, slugOfOrganization } from '../../contracts/maps/user.ts';
import { known } from '../../pipelines/file/embedded-expressions.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { DatasetFacts, Step } from '../../pipelines/step.ts';
import type { Refused } from './not-asked.ts';

/**
 * The datasets that the steps of a plan name by their slugs, as they are at their services, by step, so that `plan` can say what will be
 * created and how many rows an act can reach. A read of each; once of an organization that it is there, and of all its datasets where one
 * of these is not. One that the service does not show is left out; `refused` gets the reason, where the service could not be asked.
 */
export async function lookAtDatasets(
  plan: Plan,
  steps: Readonly<Record<string, Step>>,
  config: Config,
  refused: Refused,
): Promise<ReadonlyMap<string, DatasetFacts>> {
  const found = new Map<string, DatasetFacts>();
  const named = plan.steps.flatMap(({ id, use, with: input, connections }) => {
    const slug = steps[use]?.concurrency?.(known(input));
    return slug === undefined ? [] : [{ id, slug, connection: connections['maps'] }];
  });
  const opened = new Map<string | undefined, Promise<Look>>();
  for (const { id, slug, connection } of named) {
    const look = opened.get(connection) ?? openOrganization(config, connection, named.length);
    opened.set(connection, look);
    const facts = await look.then((at) => at(slug)).catch((error: unknown) => refused('maps', connection, error));
    if (facts) found.set(id, facts);
  }
  return found;
}

type Look = (slug: string) => Promise<DatasetFacts | undefined>;

/** Looks in the organization that a run would take: slugs are those of an organization. */
async function openOrganization(config: Config, name: string | undefined, made: number): Promise<Look> {
  const connection = resolveService(config, 'maps', name);
  const permits = createGates(config)(connection);
  const transport = { baseUrl: connection.url, token: connection.token, permits, timeoutMs: 5_000 };
  const { user, projects } = createClient('maps', transport);
  const organization = organizationOf(await user.get({}), connection.organization);
  if (!organization) return async () => undefined;
  let listed: ReturnType<typeof datasetsIn> | undefined;
  return async (project_slug) => {
    try {
      const dataset = await projects.bySlug({ organization_slug: slugOfOrganization(organization), project_slug });
      const { id, total_datums_in_project: rows, unique_id_field: idField, schema } = dataset;
      return { exists: true, id, rows, ...(idField ? { idField } : {}), ...(schema ? { schema } : {}) };
    } catch (error) {
      // Another refusal may hide one that is there.
      if (!(error instanceof ApiError && error.status === 404)) throw error;
      listed ??= datasetsIn(organization.organization_id, createCalls(() => transport).call);
      return { exists: false, rows: 0, beside: { there: (await listed).size, made } };
    }
  };
}
