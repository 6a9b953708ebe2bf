import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { definition } from '../../pipelines/steps/points/neighbors.ts';
import { writeParquet } from '../../store/columnar.ts';
import { distinctTexts } from '../../store/distinct-texts.ts';
import { inBatches } from '../../client/in-batches.ts';
import { checkAllDone } from '../items/all-done.ts';
import { idsOfChunk } from '../items/ids-of-chunk.ts';
import type { ActivityOf } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';

/** A chunk is the state's, not the code's: a newer worker may take the next one. */
type State = { index: string; perChunk: number };

const pairColumns = {
  point: { type: 'UTF8' },
  neighbor: { type: 'UTF8' },
  rank: { type: 'INT32' },
  distance: { type: 'DOUBLE' },
} as const;

type Pair = { point: string; neighbor: string | null; distance: number | null; rank: number };

const folder = (context: StepContext): string => context.store.path('neighbors', context.step);

const activity: ActivityOf<typeof definition> = {
  async prepare({ map, points: { count } }, context) {
    const { index_id } = await context.maps.projections.dataset({ map_id: map }, { signal: context.signal });
    // An exact search reads every vector once for each point: a chunk is one call.
    const { neighbors: perChunk } = context.connection('maps').batch;
    const state: State = { index: index_id, perChunk };
    return { chunks: Math.ceil(count / perChunk), items: count, state };
  },

  async chunk({ points, k }, { index: atlas_index_id, perChunk }: State, index, context) {
    const ids = await idsOfChunk(context.store, points, perChunk, index);
    const pairs: Pair[] = [];
    await inBatches(ids, ids.length, async (datum_ids) => {
      // One more than asked for: the point itself may be among its neighbours.
      const answer = await context.maps.neighbors.byId({ atlas_index_id, datum_ids, k: k + 1 }, { signal: context.signal });
      for (const [at, point] of datum_ids.entries()) {
        const near = answer.neighbors[at]!.map((neighbor, place) => ({ point, neighbor, distance: answer.distances[at]![place]! }));
        const others = near.filter(({ neighbor }) => neighbor !== point).slice(0, k);
        pairs.push(...others.map((pair, place) => ({ ...pair, rank: place + 1 })));
      }
    });
    await writeParquet(join(folder(context), `${String(index).padStart(5, '0')}.parquet`), pairColumns, pairs);
    return { done: ids.length };
  },

  async finish({ map, points: { count } }, _, { done = 0 }, context) {
    checkAllDone(done, count);
    const points = await context.store.writeIds(`${context.step}/${context.attemptId}`, async (add) => {
      // Without a point there is no file to read.
      if (count > 0) for await (const ids of distinctTexts(join(folder(context), '*.parquet'), 'neighbor')) await add(ids);
    });
    return { points, count: points.count, pairs: pathToFileURL(folder(context)).href, map };
  },
};
export default activity;
