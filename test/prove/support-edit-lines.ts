import type { World } from '../support/world.ts';
import { line, type Line } from './proof.ts';
import { edits } from './support-edits.ts';

/** What becomes of a run that goes on while its file is edited and applied. */
export async function editLines(world: World): Promise<Line[]> {
  const made = await edits(world);
  const wrong = made.filter(({ held, wrong: other, lost, besides, doubled }) => held !== 'first' || other + lost + besides + doubled > 0);
  const seen = made.map(({ freshness, listed }) => `${freshness.join(' ')}${listed ? ', listed as older' : ''}`);
  return made
    .map((each) =>
      line(
        `edited while a run goes on, overlap ${each.overlap}, ${each.runs} runs: lost, besides, doubled, of the wrong plan; plan of the run that went on`,
        `${each.lost}, ${each.besides}, ${each.doubled}, ${each.wrong}; ${each.held}`,
        '0, 0, 0, 0; first',
        !wrong.includes(each),
      ),
    )
    .concat(
      line(
        'the file against the schedule: applied, edited, applied again',
        [...new Set(seen)].join(' | '),
        'same edited same, listed as older',
        seen.every((text) => text === 'same edited same, listed as older'),
      ),
      line(
        'control, runs after the edit that the old plan would have given otherwise',
        made.reduce((all, { second }) => all + second, 0),
        '> 0',
        made.every(({ second }) => second > 0),
      ),
    );
}
