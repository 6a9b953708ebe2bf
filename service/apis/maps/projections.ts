import type { maps } from '../../../contracts/maps/index.ts';
import { topicModelsOf } from '../../engine/datasets/topic-features.ts';
import { isBuilding } from '../../engine/datasets/schema.ts';
import { notFound } from '../../core/errors.ts';
import type { Handlers } from '../../http/handlers.ts';
import { buildOf } from '../../core/records/projects.ts';
import { algorithmOf } from './project-view.ts';
import type { MapsState } from './state.ts';

export const createProjections = ({ records, datasets }: MapsState): Handlers<typeof maps>['projections'] => ({
  dataset({ map_id }, { userId }) {
    const { project_id, index_id } = buildOf(records, userId, 'projection_id', map_id, 'read');
    return { dataset_id: project_id, index_id };
  },
  get({ project_id, projection_id }, { userId }) {
    const build = buildOf(records, userId, 'projection_id', projection_id, 'read');
    if (build.project_id !== project_id) throw notFound('map', projection_id);
    return datasets.use(project_id, (dataset) =>
      dataset.read(async (connection, factsHere) => {
        const index = (await factsHere()).indices.find((each) => each.projection_id === projection_id);
        if (!index) throw notFound('map', projection_id);
        return {
          topic_models: isBuilding(index) ? [] : await topicModelsOf(connection, index),
          topic_model_metadatas: null,
          resources: [],
          embedding_field: index.indexed_field,
          embedding_model: index.model,
          primary_projection_algorithm: algorithmOf(index),
          total_data_points: isBuilding(index) ? null : index.rows,
        };
      }),
    );
  },
});
