import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '../../contracts/index.ts';
import { partOperation } from '../../contracts/maps/uploads.ts';
import { tail } from '../../dev/processes.ts';
import { openLimits } from '../support/lifted-limits.ts';
import { line, type Proof } from './proof.ts';
import { createOwnService } from './support-service.ts';
import { createWriter, prepareWrites, writers, type Write } from './support-writes.ts';

/** Kills of one run of the proof (`--rounds` multiplies). */
const kills = 20;

/** The kill comes after so many acknowledged writes, and a moment: drawn between these. */
const acknowledgedBefore = { least: 15, most: 100 };
const longestMs = 120;

/** Rare among so many small writes. As drawn, half of the rounds wait for one of them before the kill. */
const rare: readonly Write['operation'][] = ['maps.uploads.complete', 'maps.indices.update'];

/** Every operation that changes something, and the PUT of a part. */
const writing: readonly string[] = [
  ...Object.entries(operations).flatMap(([name, { effect }]) => (effect === 'safe' ? [] : [name])),
  'maps.uploads.start',
  partOperation,
];

type Round = {
  acknowledged: Record<string, number>;
  inFlight: number;
  /** Acknowledged writes that are not there, and writes that are there by half. */
  lost: string[];
  half: string[];
  /** Acknowledged ones without a row in the journal. */
  unjournaled: string[];
  /** In flight when the kill came, and not there. */
  unborn: number;
  repeated: number;
  seconds: number;
};

const drawn = (seed: string, at: number): number => createHash('sha256').update(`${seed}/${at}`).digest().readUInt32BE(0) / 2 ** 32;

/** Starting an upload and its parts are no effects of their own: the completion is. */
const journaled = ({ operation }: Write): boolean => operation !== partOperation && operations[operation].effect !== 'safe';

/**
 * One service, every writer at once, one kill -9, one restart. `eager`: a write counts as acknowledged when it is sent,
 * which is the mistake that the proof must find.
 */
async function round(seed: string, { eager = false } = {}): Promise<Round> {
  const started = performance.now();
  await using service = await createOwnService();
  // A round sends more in a minute than the published limits let through, and is not about them.
  await openLimits(service.control);
  const own = await prepareWrites(service);
  const writer = createWriter();
  // With one write held for certain, the mistake cannot hide behind luck.
  const held = eager ? await service.control.fault('maps.data.addArrow', 3, { hold: 'before' }) : undefined;
  const ended = Promise.all(writers(service, own, writer).map((act) => act().catch(() => undefined)));
  const { least, most } = acknowledgedBefore;
  const enough = least + Math.floor(drawn(seed, 0) * (most - least));
  const awaited = eager ? undefined : rare[Math.floor(drawn(seed, 2) * 2 * rare.length)];
  const isAnswered = (asked: Write['operation']): boolean =>
    writer.writes.some(({ operation, answered }) => answered && operation === asked);
  while (writer.writes.filter(({ answered }) => answered).length < enough || (awaited && !isAnswered(awaited))) await sleep(1);
  if (held) await service.control.held(held.id);
  await sleep(drawn(seed, 1) * longestMs);
  const writes = [...writer.writes];
  const answeredBefore = new Set(writes.filter(({ answered }) => answered));
  await service.kill();
  await ended;
  // An answer may still have been on its way when the service died: it counts.
  const acknowledged = writer.writes.filter((each) => each.answered || (eager && writes.includes(each) && !answeredBefore.has(each)));
  const inFlight = writer.writes.filter((each) => !each.answered);
  await service.start();
  await openLimits(service.control);

  const journal = await service.control.journal().catch((error: unknown) => {
    throw new Error(`the journal cannot be read: ${String(error)}\nlog of the service: ${tail(service.log, 20)}`, { cause: error });
  });
  const lost: string[] = [];
  const half: string[] = [];
  let unborn = 0;
  for (const each of writer.writes) {
    const found = await each.find();
    if (typeof found === 'object') half.push(`${each.operation}: ${found.half}`);
    else if (found === 'none' && acknowledged.includes(each)) lost.push(each.operation);
    if (found === 'none') unborn += Number(inFlight.includes(each));
  }
  if (half.length > 0) half.push(`log of the service: ${tail(service.log, 3)}`);
  const known = new Set(journal.rows.map((row) => row.request_id));
  const counts: Record<string, number> = {};
  for (const { operation, answered } of writer.writes) if (answered) counts[operation] = (counts[operation] ?? 0) + 1;
  return {
    acknowledged: counts,
    inFlight: inFlight.length,
    lost,
    half,
    unjournaled: acknowledged
      .filter((each) => each.requestId !== undefined && journaled(each) && !known.has(each.requestId))
      .map((each) => each.operation),
    unborn,
    repeated: journal.repeated.length,
    seconds: (performance.now() - started) / 1_000,
  };
}

export const proof: Proof = {
  name: 'durable',
  sets: ['fire'],
  what: 'kill -9 of the service while every writing operation is written: what was acknowledged is there, nothing is there by half',
  async run({ note, rounds, kept }) {
    const made: Round[] = [];
    for (let at = 0; at < kills * rounds; at++) {
      const each = await kept.round(`kill-${at}`, () => round(`kill-${at}`));
      const acknowledged = Object.values(each.acknowledged).reduce((sum, count) => sum + count, 0);
      note(
        `kill ${at + 1}: ${acknowledged} acknowledged, ${each.inFlight} in flight (${each.unborn} of them not there), lost ${each.lost.length}, half ${each.half.length}, ${each.seconds.toFixed(1)} s${[...each.lost, ...each.half].map((what) => `; ${what}`).join('')}`,
      );
      made.push(each);
    }
    const eager = await kept.round('eager', () => round('eager', { eager: true }));
    const totals = writing.map(
      (operation) => [operation, made.reduce((sum, each) => sum + (each.acknowledged[operation] ?? 0), 0)] as const,
    );
    const all = totals.reduce((sum, [, count]) => sum + count, 0);
    const lost = made.flatMap((each) => each.lost);
    const half = made.flatMap((each) => each.half);
    const unjournaled = made.flatMap((each) => each.unjournaled);
    const inFlight = made.reduce((sum, each) => sum + each.inFlight, 0);
    const unborn = made.reduce((sum, each) => sum + each.unborn, 0);
    const shown = (some: readonly string[]): string =>
      `${some.length}${some
        .slice(0, 5)
        .map((what) => `; ${what}`)
        .join('')}`;
    return [
      line(
        'writing operations, and acknowledged writes of the rarest',
        `${writing.length}; ${totals.toSorted(([, a], [, b]) => a - b)[0]!.join(' ')} of ${all}`,
        '> 0 of each',
        totals.every(([, count]) => count > 0),
      ),
      line(`acknowledged writes lost by ${made.length} kills`, `${shown(lost)} of ${all}`, '0', lost.length === 0),
      line('acknowledged effects without their row in the journal', shown(unjournaled), '0', unjournaled.length === 0),
      line(
        'writes that are there by half',
        `${shown(half)}; of ${inFlight} in flight ${inFlight - unborn} had happened, ${unborn} had not`,
        '0',
        half.length === 0,
      ),
      line(
        'kills with writes in flight',
        `${made.filter((each) => each.inFlight > 0).length} of ${made.length}`,
        'all',
        made.every((each) => each.inFlight > 0),
      ),
      line(
        'effects repeated, by the journals',
        made.reduce((sum, each) => sum + each.repeated, 0),
        '0',
        made.every((each) => each.repeated === 0),
      ),
      line('control, a write counted as acknowledged when it is sent: found lost', shown(eager.lost), '> 0', eager.lost.length > 0),
    ];
  },
};
