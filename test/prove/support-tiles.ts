import {
  Field,
  FixedSizeList,
  Float32,
  Int32,
  Schema,
  Table,
  Utf8,
  makeData,
  makeVector,
  tableFromIPC,
  tableToIPC,
  vectorFromArray,
} from 'apache-arrow';
import { startService } from '../../bench/support-service.ts';
import { createRandom } from '../../service/engine/projection/random.ts';

/** Rows of one addition. */
const perShard = 10_000;
const dimensions = 8;
const clusters = 40;

/** Levels of the tree that a viewer loads before a person has moved the map: the root and the four tiles below it. */
const firstLevels = 2;

/** Vectors around some centres, so that the map has crowds and empty places. */
function vectorsOf(from: number, count: number): Float32Array {
  const values = new Float32Array(count * dimensions);
  for (let row = 0; row < count; row += 1) {
    const centre = createRandom(`centre ${(from + row) % clusters}`);
    const random = createRandom(`row ${from + row}`);
    for (let at = 0; at < dimensions; at += 1) values[row * dimensions + at] = 4 * centre() + random() + random();
  }
  return values;
}

function shard(project: string, from: number, count: number): Uint8Array {
  const list = new FixedSizeList(dimensions, new Field('item', new Float32(), false));
  const child = makeData({ type: new Float32(), data: vectorsOf(from, count) });
  const rows = Array.from({ length: count }, (_, at) => from + at);
  const schema = new Schema(
    [new Field('id', new Utf8(), false), new Field('year', new Int32(), false), new Field('_embeddings', list, false)],
    new Map([['project_id', project]]),
  );
  const columns = {
    id: vectorFromArray(
      rows.map((row) => `row-${row}`),
      new Utf8(),
    ),
    year: vectorFromArray(
      rows.map((row) => row % 100),
      new Int32(),
    ),
    _embeddings: makeVector(makeData({ type: list, length: count, nullCount: 0, child })),
  };
  return tableToIPC(new Table(schema, columns), 'file');
}

export type Screen = { bytes: number; tiles: Table[] };

/** A map of many points in a service of its own, and what a public viewer reads of it. */
export async function createTiledMap(count: number) {
  await using made = new AsyncDisposableStack();
  const service = made.use(await startService());
  const project = await service.dataset('points');
  for (let from = 0; from < count; from += perShard)
    await service.call('/v1/project/data/add/arrow', shard(project, from, Math.min(perShard, count - from)));
  const ordered = performance.now();
  const { map } = await service.index(project, {});
  const builtMs = performance.now() - ordered;

  const get = async (path: string): Promise<Uint8Array> => {
    const answer = await fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${service.adminKeys.maps}` } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return new Uint8Array(await answer.arrayBuffer());
  };
  const place = `/v1/project/${project}/index/projection/${map}`;
  const keys = [...tableFromIPC(await get(`${place}/quadtree/manifest.feather`)).getChild('key')!] as string[];
  const tile = (key: string): Promise<Uint8Array> => get(`${place}/quadtree/${key}.feather`);
  const kept = made.move();
  return {
    map,
    /** From the order until the map is ready. */
    builtMs,
    /** Names of its tiles, from the root down. */
    keys,
    get,
    tile,
    /** What a viewer loads until it shows the first levels of the tree. */
    async screen(levels = firstLevels): Promise<Screen> {
      const about = [await get(place), await get(`/v1/project/projection/${map}/schema`), await get(`${place}/quadtree/manifest.feather`)];
      const files = await Promise.all(keys.filter((key) => Number(key.split('/')[0]) < levels).map(tile));
      return {
        bytes: [...about, ...files].reduce((sum, each) => sum + each.byteLength, 0),
        tiles: files.map((each) => tableFromIPC(each)),
      };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
