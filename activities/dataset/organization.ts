import { organizationOf, slugOfOrganization } from '../../contracts/maps/user.ts';
import { BadInput } from '../../errors/classes.ts';
import type { StepContext } from '../frame/context.ts';

/** The organization that new datasets go to: the connection's, else the user's default, else the user's own, else any. */
export async function findOrganization({ maps, connection: connectionOf, signal }: StepContext): Promise<{ id: string; slug: string }> {
  const connection = connectionOf('maps');
  const user = await maps.user.get({}, { signal });
  const wanted = connection.organization;
  const chosen = organizationOf(user, wanted);
  if (!chosen) {
    throw new BadInput(
      'bad_input',
      wanted
        ? `connection '${connection.name}' names organization '${wanted}', but its key belongs to: ${user.organizations.map(slugOfOrganization).join(', ') || 'none'}`
        : `the key of connection '${connection.name}' belongs to no organization`,
    );
  }
  return { id: chosen.organization_id, slug: slugOfOrganization(chosen) };
}
