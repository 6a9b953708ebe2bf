import { BadInput } from '../../errors/classes.ts';
import type { StepContext } from '../frame/context.ts';

/** The organization that new datasets go to: the connection's, else the user's default, else the user's own, else any. */
export async function findOrganization({ maps, connection: connectionOf, signal }: StepContext): Promise<{ id: string; slug: string }> {
  const connection = connectionOf('maps');
  const user = await maps.user.get({}, { signal });
  const all = user.organizations;
  const wanted = connection.organization;
  const chosen = wanted
    ? all.find((each) => [each.organization_id, each.slug, each.nickname].includes(wanted))
    : (all.find((each) => each.organization_id === user.default_organization) ??
      all.find((each) => each.access_role === 'OWNER') ??
      all[0]);
  if (!chosen) {
    throw new BadInput(
      'bad_input',
      wanted
        ? `connection '${connection.name}' names organization '${wanted}', but its key belongs to: ${all.map((each) => each.slug ?? each.organization_id).join(', ') || 'none'}`
        : `the key of connection '${connection.name}' belongs to no organization`,
    );
  }
  return { id: chosen.organization_id, slug: chosen.slug ?? chosen.organization_id };
}
