import { Int32, Schema, Field, Table, Utf8, tableFromIPC, tableToIPC, vectorFromArray } from 'apache-arrow';
import { line } from '../test/prove/proof.ts';
import { inPairs, type Bench } from './bench.ts';
import { startService } from './support-service.ts';

const ROWS = 1_000_000;
const SHARD = 10_000;
/** Bytes of a viewer's first screen: what it loads before a person has moved the map. */
const most = 500_000;

const shard = (project: string, from: number): Uint8Array => {
  const rows = Array.from({ length: SHARD }, (_, at) => from + at);
  const schema = new Schema(
    [new Field('id', new Utf8(), false), new Field('year', new Int32(), false)],
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
  };
  return tableToIPC(new Table(schema, columns), 'file');
};

export const bench: Bench = {
  name: 'tiles',
  what: `the tiles of a map of ${ROWS.toLocaleString('en')} points: a viewer's first screen, and all of them one by one against the places in one answer`,
  async run({ note, pairs }) {
    await using service = await startService();
    const project = await service.dataset('points');
    for (let from = 0; from < ROWS; from += SHARD) await service.call('/v1/project/data/add/arrow', shard(project, from));
    const ordered = performance.now();
    const { map } = await service.index(project, { projection: 'SvcProject', projection_hyperparameters: '{"model":"random"}' });
    const built = (performance.now() - ordered) / 1_000;
    note(`map of ${ROWS.toLocaleString('en')} points at random places built in ${built.toFixed(1)} s`);

    const get = async (path: string): Promise<Uint8Array> => {
      const answer = await fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${service.adminKeys.maps}` } });
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
      return new Uint8Array(await answer.arrayBuffer());
    };
    const quadtree = `/v1/project/${project}/index/projection/${map}/quadtree`;
    const manifest = await get(`${quadtree}/manifest.feather`);
    const keys = [...tableFromIPC(manifest).getChild('key')!] as string[];

    const first = performance.now();
    const screen = [
      await get(`/v1/project/${project}/index/projection/${map}`),
      await get(`/v1/project/projection/${map}/schema`),
      await get(`${quadtree}/manifest.feather`),
      ...(await Promise.all(keys.filter((key) => /^[01]\//.test(key)).map((key) => get(`${quadtree}/${key}.feather`)))),
    ];
    const firstMs = performance.now() - first;
    const bytes = screen.reduce((sum, each) => sum + each.byteLength, 0);
    const seen = screen.slice(3).reduce((sum, each) => sum + tableFromIPC(each).numRows, 0);

    let points = 0;
    const timed = async (work: () => Promise<void>): Promise<number> => {
      const from = performance.now();
      await work();
      return performance.now() - from;
    };
    const { ours, baseline, ratio } = await inPairs(
      pairs,
      () =>
        timed(async () => {
          points = 0;
          for (const key of keys) points += tableFromIPC(await get(`${quadtree}/${key}.feather`)).numRows;
        }),
      () => timed(async () => void (await get(`/pages/maps/${map}/points`))),
      note,
    );
    return {
      lines: [
        line(
          'first screen: map, schema, manifest, the tiles of the first two levels',
          `${bytes} bytes, ${seen} points`,
          `≤ ${most}`,
          bytes <= most,
        ),
        line('first screen, time', `${firstMs.toFixed(0)} ms`, '', true),
        line('points in all tiles', String(points), String(ROWS), points === ROWS),
        line(
          `${keys.length} tiles, one by one / all places in one answer`,
          `${ratio.toFixed(1)} (${ours.toFixed(0)} / ${baseline.toFixed(0)} ms)`,
          '≤ 25',
          ratio <= 25,
        ),
      ],
      figures: { built_s: built, first_screen_bytes: bytes, first_screen_ms: firstMs, all_tiles_ms: ours, one_answer_ms: baseline, ratio },
    };
  },
};
