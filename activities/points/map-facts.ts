import type { DataColumn } from '../../child/data-column.ts';
import { automaticIdField } from '../../contracts/maps/unique-id.ts';
import { stampOf } from '../../contracts/maps/coverage.ts';
import { schemaColumns } from '../../child/schema-columns.ts';
import type { StepContext } from '../frame/context.ts';

/** What a step on points knows of its map. */
export type MapFacts = {
  dataset: string;
  index: string;
  /** Column of the unique ids. */
  idField: string;
  /** Columns without the id, by name; empty where the service does not report them. */
  columns: Map<string, DataColumn['type']>;
  /** Points of the map; undefined where the service does not count them. */
  points: number | undefined;
  /** When it was last built or updated: changes whenever its points may have. */
  version: string;
};

export async function mapFacts(context: StepContext, map: string): Promise<MapFacts> {
  const { dataset_id, index_id } = await context.maps.projections.dataset({ map_id: map }, { signal: context.signal });
  const project = await context.maps.projects.get({ project_id: dataset_id }, { signal: context.signal });
  const idField = project.unique_id_field ?? automaticIdField;
  const projection = project.atlas_indices.flatMap(({ projections }) => projections).find(({ id }) => id === map);
  const view = project.maps.find(({ projection_id }) => projection_id === map);
  return {
    dataset: dataset_id,
    index: index_id,
    idField,
    columns: new Map((project.schema ? schemaColumns(project.schema, idField) : []).map(({ name, type }) => [name, type])),
    points: view?.total_data_points ?? undefined,
    version: projection ? stampOf(projection) : '',
  };
}
