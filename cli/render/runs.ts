import type { RunLine } from '../../runs/list.ts';
import type { Paint } from './paint.ts';
import { table } from './table.ts';
import { duration, stamp } from './units.ts';

const colors: Record<string, keyof Paint> = {
  completed: 'green',
  failed: 'red',
  running: 'cyan',
  cancelled: 'yellow',
  terminated: 'yellow',
  timed_out: 'red',
  forgotten: 'dim',
};
const words: Record<string, string> = { completed: 'done', timed_out: 'timed out' };

/** Table of `portolan runs`. */
export const renderRuns = (lines: readonly RunLine[], paint: Paint, now: number = Date.now()): string =>
  table(
    lines.map((line) => [
      line.run,
      (colors[line.state] ? paint[colors[line.state]!] : (text: string) => text)(words[line.state] ?? line.state),
      stamp(line.startedAt),
      line.state === 'forgotten' ? '' : duration((line.endedAt ? Date.parse(line.endedAt) : now) - Date.parse(line.startedAt)),
      Object.entries(line.connections)
        .map(([service, name]) => `${service}: ${name}`)
        .join(', '),
      line.startedBy,
    ]),
    ['left', 'left', 'left', 'right'],
  );
