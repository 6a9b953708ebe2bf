import type { maps } from '../../../contracts/maps/index.ts';
import type { Handlers } from '../../http/handlers.ts';
import { buildOf } from '../../core/records/projects.ts';
import type { MapsState } from './state.ts';

export const createProjections = ({ records }: MapsState): Handlers<typeof maps>['projections'] => ({
  dataset({ map_id }, { userId }) {
    const { project_id, index_id } = buildOf(records, userId, 'projection_id', map_id, 'read');
    return { dataset_id: project_id, index_id };
  },
});
