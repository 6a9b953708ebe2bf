import { tableFromIPC } from 'apache-arrow';
import { line } from '../test/prove/proof.ts';
import { createTiledMap } from '../test/prove/support-tiles.ts';
import { inPairs, type Bench } from './bench.ts';

const ROWS = 1_000_000;

export const bench: Bench = {
  name: 'tiles',
  what: `the tiles of a map of ${ROWS.toLocaleString('en')} points, one by one, against the places of all in one answer`,
  async run({ note, pairs }) {
    await using made = await createTiledMap(ROWS);
    const timed = async (work: () => Promise<unknown>): Promise<number> => {
      const from = performance.now();
      await work();
      return performance.now() - from;
    };
    const { ours, baseline, ratio } = await inPairs(
      pairs,
      () =>
        timed(async () => {
          for (const key of made.keys) tableFromIPC(await made.tile(key));
        }),
      () => timed(() => made.get(`/pages/maps/${made.map}/points`)),
      note,
    );
    return {
      lines: [
        line(
          `${made.keys.length} tiles, one by one / all places in one answer`,
          `${ratio.toFixed(1)} (${ours.toFixed(0)} / ${baseline.toFixed(0)} ms)`,
          '≤ 25',
          ratio <= 25,
        ),
      ],
      figures: { all_tiles_ms: ours, one_answer_ms: baseline, ratio },
    };
  },
};
