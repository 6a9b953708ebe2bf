import { Field, Float64, List, Utf8 } from 'apache-arrow';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { z } from 'zod';
import type { maps } from '../../../contracts/maps/index.ts';
import type { byId } from '../../../contracts/maps/neighbors.ts';
import type { Dataset, DatasetState } from '../../engine/datasets/dataset.ts';
import { locate } from '../../engine/datasets/ids.ts';
import { readyMap } from '../../engine/datasets/indices.ts';
import { nearestRows, placedRow, similaritiesIn, vectorsOfRows } from '../../engine/datasets/neighbors.ts';
import type { Neighbors } from '../../engine/datasets/neighbors.ts';
import { topicsOfPoints } from '../../engine/datasets/topic-features.ts';
import { readNpy } from '../../engine/datasets/npy.ts';
import type { IndexRow } from '../../engine/datasets/schema.ts';
import { fileOf, valuesOf } from '../../engine/tiles/arrow.ts';
import { tixOf } from '../../engine/projection/quadtree.ts';
import { HttpError, invalid, notFound, unknownIds } from '../../core/errors.ts';
import type { Handlers } from '../../http/handlers.ts';
import { buildOf } from '../../core/records/projects.ts';
import { checkCap } from './caps.ts';
import type { MapsState } from './state.ts';

type OnIndex = { dataset: Dataset; connection: DuckDBConnection; facts: DatasetState; index: IndexRow };

/** The `k` nearest but the point itself. */
const without = ({ ids, distances }: Neighbors, self: string, k: number): Neighbors => {
  const others = ids.flatMap((id, at) => (id === self ? [] : [at])).slice(0, k);
  return { ids: others.map((at) => ids[at]!), distances: others.map((at) => distances[at]!) };
};

/** No map has tiles so deep; the numbers of those below would be no whole numbers of 64 bits. */
const noLevel = 30;

/** Number of a tile that is named by z/x/y; that of none for an address beyond its level. */
const tixOfKey = (key: string): number => {
  const [z, x, y] = key.split('/').map(Number) as [number, number, number];
  return z < noLevel && x < 2 ** z && y < 2 ** z ? tixOf({ z, x, y }) : -1;
};

export const createNeighbors = ({ records, datasets, readings }: MapsState): Handlers<typeof maps>['neighbors'] => {
  const answer = (found: Neighbors[]) => ({
    neighbors: found.map(({ ids }) => ids),
    distances: found.map(({ distances }) =>
      readings.of('distance') === 'squared' ? distances.map((distance) => distance * distance) : distances,
    ),
  });
  const onIndex = <T>(userId: string, indexId: string, work: (on: OnIndex) => Promise<T>): Promise<T> => {
    const build = buildOf(records, userId, 'index_id', indexId, 'read');
    return datasets.use(build.project_id, (dataset) =>
      dataset.read(async (connection, factsHere) => {
        const facts = await factsHere();
        const index = readyMap(facts, build.projection_id);
        if (index.dimensions === null)
          throw new HttpError(400, 'this map has random coordinates and no vectors; build one with a model to search it');
        return work({ dataset, connection, facts, index });
      }),
    );
  };

  const ofPoints = ({ atlas_index_id, datum_ids, atom_ids, k }: z.output<typeof byId.input>, userId: string): Promise<Neighbors[]> => {
    const given = datum_ids ?? atom_ids;
    // Every row is one atom, so both lists hold the same ids.
    if (!given || (datum_ids && atom_ids)) throw invalid('datum_ids', 'send either datum_ids or atom_ids');
    checkCap(readings, 'queries', datum_ids ? 'datum_ids' : 'atom_ids', given.length);
    checkCap(readings, 'k', 'k', k);
    return onIndex(userId, atlas_index_id, async ({ dataset, connection, facts, index }) => {
      const idField = facts.idField!;
      const { rows } = await locate(dataset, connection, idField, [...new Set(given)]);
      const rowOf = new Map(rows.filter(({ row }) => row < index.next_row).map(({ id, row }) => [id, row]));
      const unknown = given.filter((id) => !rowOf.has(id));
      if (unknown.length > 0) throw unknownIds('datum ids', unknown);
      const vectors = await vectorsOfRows(
        connection,
        index,
        given.map((id) => rowOf.get(id)!),
      );
      const found: Neighbors[] = [];
      const own = readings.of('own-neighbor') === 'among';
      for (const [at, vector] of vectors.entries()) {
        const nearest = await nearestRows(connection, index, idField, vector, own ? k : k + 1);
        found.push(own ? nearest : without(nearest, given[at]!, k));
      }
      return found;
    });
  };

  const vectorsOf = (queries: string | number[][], index: IndexRow): number[][] => {
    const vectors = typeof queries === 'string' ? readNpy('queries', queries) : queries;
    checkCap(readings, 'queries', 'queries', vectors.length);
    const wrong = vectors.find((vector) => vector.length !== index.dimensions);
    if (wrong) throw invalid('queries', `a vector of ${wrong.length} numbers; this index's have ${index.dimensions}`);
    if (vectors.some((vector) => vector.some((value) => !Number.isFinite(Math.fround(value)))))
      throw invalid('queries', 'a vector holds NaN, infinity or a number beyond float32');
    return vectors;
  };

  return {
    byId: async (asked, { userId }) => answer(await ofPoints(asked, userId)),
    byIdArrow: async (asked, { userId }) => {
      const { neighbors, distances } = answer(await ofPoints(asked, userId));
      return fileOf([
        valuesOf('neighbors', new List(new Field('item', new Utf8(), true)), neighbors),
        valuesOf('distances', new List(new Field('item', new Float64(), true)), distances),
      ]);
    },
    byEmbedding: ({ atlas_index_id, queries, k }, { userId }) => {
      checkCap(readings, 'k', 'k', k);
      return onIndex(userId, atlas_index_id, async ({ connection, facts, index }) => {
        const vectors = vectorsOf(queries, index);
        const found: Neighbors[] = [];
        for (const vector of vectors) found.push(await nearestRows(connection, index, facts.idField!, vector, k));
        return answer(found);
      });
    },
    topics: ({ atlas_index_id, queries, k, depth }, { userId }) => {
      checkCap(readings, 'k', 'k', k);
      return onIndex(userId, atlas_index_id, async ({ connection, facts, index }) => {
        const depths = facts.labelled.find(({ index_id }) => index_id === index.index_id)?.topic_depths ?? 0;
        if (depths === 0) throw new HttpError(400, 'this map has no topics: build one with topic_model_hyperparameters');
        const shares: Record<string, number>[] = [];
        for (const vector of vectorsOf(queries, index)) {
          const { ids } = await nearestRows(connection, index, facts.idField!, vector, k);
          const names = await topicsOfPoints(connection, index, facts.idField!, ids, Math.min(depth, depths));
          shares.push(Object.fromEntries(names.map(({ topic, points }) => [topic, points / ids.length])));
        }
        return shares;
      });
    },
    inTiles: ({ project_id, projection_id, tiles, tix, rix }, { userId }) => {
      const build = buildOf(records, userId, 'projection_id', projection_id, 'read');
      if (build.project_id !== project_id) throw notFound('map', projection_id);
      return onIndex(userId, build.index_id, async ({ connection, index }) => {
        const row = await placedRow(connection, index, tix, rix);
        if (row === undefined) throw unknownIds('points', [`${tix}-${rix}`]);
        const [vector] = await vectorsOfRows(connection, index, [row]);
        const data: Record<string, number[]> = {};
        for (const tile of new Set(tiles)) {
          data[tile] = await similaritiesIn(connection, index, tixOfKey(tile), vector!);
          if (data[tile].length === 0) throw unknownIds('tiles', [tile]);
        }
        return { data };
      });
    },
  };
};
