import type { maps } from '../../../contracts/maps/index.ts';
import type { Handlers } from '../../http/handlers.ts';
import { addOrganization } from '../../core/records/organizations.ts';
import type { MapsState } from './state.ts';

export const createOrganizations = ({ records }: Pick<MapsState, 'records'>): Handlers<typeof maps>['organizations'] => ({
  create: (input, { userId, requestId }) =>
    records.effect(
      {
        requestId,
        operation: 'maps.organizations.create',
        subject: `organization/${userId}/${input.nickname}`,
        content: { user: userId, nickname: input.nickname },
      },
      () => ({
        changed: 1,
        value: { organization_id: addOrganization(records, userId, input) },
      }),
    ),
});
