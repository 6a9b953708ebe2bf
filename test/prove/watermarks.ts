import { createHash } from 'node:crypto';
import { createWorld } from '../support/world.ts';
import { line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { createFeed, type Feed, type Moment } from './support-feed.ts';
import { sameRows, shownUnlike, unlike } from './support-held-rows.ts';

/** Firings of a round, which follow those of the one before; fifteen are 210. A worker is killed in every other one, so that each kind comes with a kill and without. */
const firings = 14;

/** The newest row less so much is beyond the overlap: only a mark that is set back brings a later row. */
const dayMinutes = 1_440;

const drawn = (seed: string): number => createHash('sha256').update(seed).digest().readUInt32BE(0) / 2 ** 32;

/** Where a kill comes. An undisturbed run takes about as long as the longest of `ms`. */
function drawMoment(at: number): Moment {
  const moments: Moment[] = [
    { operation: 'maps.projects.get', hold: 'before' },
    { operation: 'maps.data.addArrow', hold: 'before' },
    { operation: 'maps.data.addArrow', hold: 'after' },
    { ms: drawn(`${at}/ms`) * 1_500 },
    { ms: drawn(`${at}/ms`) * 4_000 },
  ];
  return moments[Math.floor(drawn(`${at}/moment`) * moments.length)]!;
}

type Kind = (feed: Feed, moment: Moment | undefined) => Promise<unknown>;

/** What comes with a firing: each brings rows, and what may go wrong. A setting of a person is not what is lost: it would be set again. */
const kinds: Readonly<Record<string, Kind>> = {
  async plain(feed, moment) {
    return feed.fire(await feed.file(), { moment });
  },
  async 'late rows'(feed, moment) {
    feed.add(3, 50);
    return feed.fire(await feed.file(), { moment });
  },
  async 'doubled trigger'(feed, moment) {
    return feed.fire(await feed.file(), { runs: 2, moment });
  },
  async 'two at once'(feed, moment) {
    const slow = await feed.holdRows(await feed.file());
    feed.grow();
    if (moment) await feed.kill();
    await feed.fire(await feed.file());
    await slow.release();
    return feed.ended(slow.run);
  },
  async 'lost commit'(feed, moment) {
    await feed.loseMark();
    return feed.fire(await feed.file(), { moment });
  },
  async backfill(feed, moment) {
    feed.add(3, dayMinutes);
    await feed.setBack(dayMinutes);
    return feed.fire(await feed.file(), { moment });
  },
  async 'backfill while a run reads'(feed, moment) {
    const reading = await feed.holdRows(await feed.file());
    feed.add(3, dayMinutes);
    await feed.setBack(dayMinutes);
    if (moment) await feed.kill();
    await reading.release();
    return feed.ended(reading.run);
  },
};

/** At the end of a row the source is read until a run ends well. */
async function settle(feed: Feed): Promise<void> {
  feed.grow();
  for (let tries = 0; tries < 3; tries++) if ((await feed.fire(await feed.file()))[0] === 'done') return;
  throw new Error(`the last firing does not end well: ${feed.strange.at(-1) ?? JSON.stringify(feed.ends)}`);
}

export const proof: Proof = {
  name: 'watermarks',
  sets: ['time'],
  rounds: 15,
  what: 'a source that grows, read since its mark through kills, overlaps, backfills, late rows, doubled triggers and lost commits: every row exactly once',
  async run({ note, rounds }) {
    await using bundle = await createBundle();
    const held = async (feed: Feed, world: Parameters<typeof unlike>[0]) =>
      unlike(world, feed.project, new Map([...feed.rows].map(([key, { n }]) => [key, n])));

    await using world = await createWorld({ bundle: bundle.path });
    const feed = await createFeed(world, 'feed');
    const count = firings * rounds;
    const names = Object.keys(kinds);
    for (let at = 0; at < count; at++) {
      const began = performance.now();
      const kind = names[at % names.length]!;
      const moment = at % 2 === 1 ? drawMoment(at) : undefined;
      feed.grow();
      const end = await kinds[kind]!(feed, moment);
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      note(`${at + 1} of ${count}, ${seconds} s: ${kind}${moment ? `, kill ${JSON.stringify(moment)}` : ''}: ${String(end)}`);
    }
    await settle(feed);
    const found = await held(feed, world);
    const { rows, repeated } = await world.control.journal(feed.project);
    const additions = rows.filter(({ operation }) => operation === 'maps.data.addArrow');
    const changed = additions.reduce((sum, row) => sum + row.changed, 0);

    await using blind = await createWorld({ bundle: bundle.path, without: ['marks'] });
    const naive = await createFeed(blind, 'blind');
    for (const kind of ['plain', 'backfill while a run reads', 'plain'] as const) {
      naive.grow();
      await kinds[kind]!(naive, undefined);
    }
    await settle(naive);
    const lost = await held(naive, blind);
    return [
      line(
        `${count} firings, ${feed.kills()} kills, ${feed.rows.size} rows of the source: what the dataset holds otherwise`,
        shownUnlike(found),
        'nothing',
        sameRows(found),
      ),
      line(
        'rows added by the journal, and effects repeated',
        `${changed}, ${repeated.length}`,
        `${feed.rows.size}, 0`,
        changed === feed.rows.size && repeated.length === 0,
      ),
      line('workers killed', feed.kills(), String(count / 2), feed.kills() === count / 2),
      line(
        'ends of runs other than done, MarkMoved and Inconclusive',
        `${feed.strange.length} (${Object.entries(feed.ends)
          .map(([end, times]) => `${end} ${times}`)
          .join(', ')})${feed.strange.slice(0, 2).join('; ')}`,
        '0',
        feed.strange.length === 0,
      ),
      line(
        'control, the same backfill while a run reads, without compare-and-set: rows that no run has read',
        shownUnlike(lost),
        'missing 3',
        lost.missing === 3,
      ),
    ];
  },
};
