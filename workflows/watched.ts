import type { Notify } from '../pipelines/notify-rule.ts';
import type { RunEnd, ScheduleNews, Watched } from '../pipelines/notify.ts';

/** What a watch knows once a run has ended. */
export function whenEnded(knows: Watched | undefined, end: RunEnd): Watched {
  const failed = end.state === 'failed';
  // Where there is a schedule no more, what somebody starts is expected as it is without one.
  const schedule = knows?.schedule?.is === 'gone' ? undefined : knows?.schedule;
  return {
    notify: end.notify,
    failed,
    since: failed ? (knows?.since ?? end) : end,
    late: failed ? (knows?.late ?? false) : false,
    ...(schedule && { schedule }),
  };
}

/** What it knows once something has become of the schedule. */
export function whenScheduled(knows: Watched | undefined, news: ScheduleNews): Watched {
  // Applied again it is as due as it was: whoever applies it each day puts nothing off.
  const goesOn = knows?.schedule?.is === 'due' && news.is === 'due';
  return {
    failed: knows?.failed ?? false,
    ...(knows?.since && { since: knows.since }),
    notify: news.is === 'due' ? news.notify : (knows?.notify ?? news.notify),
    late: goesOn ? knows.late : false,
    schedule: goesOn ? { ...news, at: knows.schedule!.at } : news,
  };
}

/** From when on a run is expected to be done: since the last one that was, or since its schedule is due, whichever came last. Undefined: none is. */
export function expectedFrom({ since, schedule }: Watched): RunEnd | ScheduleNews | undefined {
  if (schedule && schedule.is !== 'due') return undefined;
  return schedule && !(since?.state === 'done' && since.at > schedule.at) ? schedule : since;
}

/** What says when a run is late: the schedule that starts them, where it does, because a run by hand without `late` takes nothing from it. */
export const lateRule = ({ notify, schedule }: Watched): Notify =>
  schedule && schedule.is !== 'gone' && schedule.notify.lateMs !== undefined ? schedule.notify : notify;

/** True while there is something to alert to, or a schedule that may go on. */
export const waits = (knows: Watched): boolean =>
  (lateRule(knows).lateMs !== undefined && knows.schedule?.is !== 'gone') || (knows.failed && knows.notify.on.includes('recovered'));
