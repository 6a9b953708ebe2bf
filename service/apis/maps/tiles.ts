import { tileFileOf } from '../../../contracts/maps/tiles.ts';
import type { maps } from '../../../contracts/maps/index.ts';
import type { DuckDBConnection } from '@duckdb/node-api';
import { readyMap } from '../../engine/datasets/indices.ts';
import type { IndexRow } from '../../engine/datasets/schema.ts';
import { manifestFile, schemaFile, sidecarFile, tileFile } from '../../engine/tiles/files.ts';
import { layersOf } from '../../engine/tiles/layers.ts';
import type { Layer } from '../../engine/tiles/layers.ts';
import { tagFile, tagSidecar, tagsOf } from '../../engine/tiles/tags.ts';
import { keyOf, tilesOf } from '../../engine/tiles/tree.ts';
import { tixOf } from '../../engine/projection/quadtree.ts';
import { notFound } from '../../core/errors.ts';
import { buildOf, projectOf } from '../../core/records/projects.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { MapsState } from './state.ts';

type OnMap = { connection: DuckDBConnection; index: IndexRow; layers: Layer[] };

/** What public viewers of a map load: its columns, its tiles and their sidecars, made of the map's places as they are asked for. */
export const createTiles = ({ records, datasets, readings }: MapsState): Handlers<typeof maps>['tiles'] => {
  /** `projectId`: the dataset that the address names, which must be the map's. */
  const onMap = (
    userId: string,
    projectId: string | undefined,
    mapId: string,
    work: (map: OnMap) => Promise<Uint8Array>,
  ): Promise<Uint8Array> => {
    const { project_id } = buildOf(records, userId, 'projection_id', mapId, 'read');
    if (projectId !== undefined && projectId !== project_id) throw notFound('map', mapId);
    const project = projectOf(records, userId, project_id, 'read');
    return datasets.use(project_id, (dataset) =>
      dataset.read(async (connection, factsHere) => {
        const facts = await factsHere();
        const index = readyMap(facts, mapId);
        return work({ connection, index, layers: layersOf(facts, index, project.unique_id_field !== null) });
      }),
    );
  };

  return {
    schema: ({ projection_id }, { userId }) => onMap(userId, undefined, projection_id, async ({ layers }) => schemaFile(layers)),
    manifest: ({ project_id, projection_id }, { userId }) =>
      onMap(userId, project_id, projection_id, async ({ connection, index, layers }) =>
        manifestFile(await tilesOf(connection, index), layers),
      ),
    get: ({ project_id, projection_id, z, x, file }, { userId }) =>
      onMap(userId, project_id, projection_id, async ({ connection, index, layers }) => {
        const { y, sidecar } = tileFileOf(file)!;
        const asked = { z: Number(z), x: Number(x), y };
        const tiles = await tilesOf(connection, index);
        const tile = tiles.find(({ tix, ...each }) => tix === tixOf(asked) && keyOf(each) === keyOf(asked));
        if (!tile) throw notFound('tile', keyOf(asked));
        if (sidecar === '') return tileFile(connection, index, tile, tiles, layers);
        if (sidecar.startsWith(tagSidecar)) {
          if (readings.of('tag-points') === 'none') throw notFound('sidecar', sidecar);
          const tag = (await tagsOf(connection, projection_id)).find(({ definition_id }) => `${tagSidecar}${definition_id}` === sidecar);
          if (!tag) throw notFound('tag', sidecar.slice(tagSidecar.length));
          return tagFile(connection, index, tile, tag.tag_id);
        }
        const layer = layers.find((each) => each.sidecar === sidecar);
        if (!layer) throw notFound('sidecar', sidecar);
        return sidecarFile(connection, index, tile, layer);
      }),
  };
};
