import { createWorld } from '../support/world.ts';
import type { Line, Proof } from './proof.ts';
import { backfillLines } from './support-backfills.ts';
import { createBundle } from './support-bundle.ts';
import { editLines } from './support-edit-lines.ts';
import { outage } from './support-outage.ts';
import { outageLines } from './support-outage-lines.ts';
import { previewLines } from './support-previews.ts';

export const proof: Proof = {
  name: 'schedules',
  sets: ['time'],
  what: 'schedules of the real server: on time, through an outage by overlap and catchUp, across changes of the clocks, edited and made anew while runs go on: no window lost or doubled but as declared',
  async run({ note, rounds }) {
    await using bundle = await createBundle();
    await using world = await createWorld({ bundle: bundle.path });
    const lines: Line[] = [];
    for (let round = 1; round <= rounds; round++) lines.push(...outageLines(await outage(world, round, note)));
    return [...lines, ...(await editLines(world)), ...(await previewLines(world, rounds)), ...(await backfillLines(world))];
  },
};
