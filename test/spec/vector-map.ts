import { beforeAll } from 'vitest';
import { Field, FixedSizeList, Float32, Utf8 } from 'apache-arrow';
import { arrowFile, built, createProject, indexOrder } from '../service/world.ts';
import type { Place } from './place.ts';

/** Points of the map: point n lies n degrees from the direction [1, 0], and comes in another order. */
const points = Array.from({ length: 40 }, (_, at) => (at * 7) % 40);

/** A vector of two numbers that lies so many degrees from [1, 0]. */
export const towards = (degrees: number): [number, number] => [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];

/** One map of own vectors, of a length of two, for all tests of a file: `p0` to `p39`, of kind `even` or `odd`. */
export const useVectorMap = (place: () => Place): (() => { map: string }) => {
  let map = '';
  beforeAll(async () => {
    const { api } = place();
    const { project_id } = await createProject(place(), 'own vectors');
    const file = arrowFile(
      { project_id },
      {
        id: { type: new Utf8(), values: points.map((point) => `p${point}`) },
        kind: { type: new Utf8(), values: points.map((point) => (point % 2 === 0 ? 'even' : 'odd')) },
        _embeddings: { type: new FixedSizeList(2, new Field('item', new Float32(), true)), values: points.map(towards) },
      },
    );
    const added = await api.post('/v1/project/data/add/arrow', file);
    if (added.status !== 200) throw new Error(`add: ${added.status} ${JSON.stringify(added.body)}`);
    const { body } = await api.post('/v1/project/index/create', indexOrder(project_id, { indexed_field: null, model: null }));
    const stage = await built(api, body.job_id);
    if (stage !== 'Completed') throw new Error(`the map ended at ${stage}`);
    map = body.projection_id;
  });
  return () => ({ map });
};
