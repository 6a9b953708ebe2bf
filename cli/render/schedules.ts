import type { Change } from '../../runs/schedule/changes.ts';
import { clockWords, instant } from '../../runs/schedule/clock-words.ts';
import type { ClockEffect, SchedulePreview } from '../../runs/schedule/preview.ts';
import type { Schedule } from '../../pipelines/file/schedule.ts';
import type { RunTime } from '../../pipelines/window.ts';
import type { Json } from '../../text/json.ts';
import type { Paint } from './paint.ts';
import { plain } from '../../text/controls.ts';
import { table } from './table.ts';

/** Times as they are due, with what the runs look at. */
export const renderTimes = (times: readonly RunTime[], zone: string): string =>
  table(
    times.map(({ scheduledAt, window }) => [
      instant(zone, scheduledAt),
      ...(window ? [`window ${instant(zone, window.from)} to ${instant(zone, window.to)}`] : []),
    ]),
    [],
    '  ',
  );

function clockLine(effect: ClockEffect, zone: string, paint: Paint): string {
  const { day, change, effects, harmless } = clockWords(effect, zone);
  return `  ${day} clocks go ${change}: ${harmless ? effects : paint.yellow(effects)}\n`;
}

/** The next runs, and what the next changes of the clocks do. */
export const renderPreview = ({ next, clocks }: SchedulePreview, schedule: Schedule, paint: Paint): string =>
  [
    'next runs\n',
    renderTimes(next, schedule.timezone),
    ...(schedule.jitter === undefined ? [] : [`  each up to ${schedule.jitter} later\n`]),
    ...clocks.map((effect) => clockLine(effect, schedule.timezone, paint)),
  ].join('');

const longest = 60;

const shown = (value: Json | undefined): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return plain(text.length > longest ? `${text.slice(0, longest - 1)}…` : text);
};

/** What differs, a line for each place. */
export const renderChanges = (changes: readonly Change[], paint: Paint): string =>
  changes
    .map(({ at, from, to }) => {
      if (from === undefined) return paint.green(`  + ${plain(at)}: ${shown(to)}\n`);
      if (to === undefined) return paint.red(`  - ${plain(at)}: ${shown(from)}\n`);
      return paint.yellow(`  ~ ${plain(at)}: ${shown(from)} → ${shown(to)}\n`);
    })
    .join('');
