import type { RunLine } from '../../runs/list.ts';
import { approvedActs } from '../../runs/asks.ts';
import type { Paint } from './paint.ts';
import { plain } from '../../text/controls.ts';
import { table } from './table.ts';
import { duration, stamp } from '../../text/units.ts';
import { undoWords } from '../../runs/undo-words.ts';

const colors: Record<RunLine['state'], keyof Paint> = {
  done: 'green',
  failed: 'red',
  running: 'cyan',
  queued: 'yellow',
  paused: 'yellow',
  approval: 'yellow',
  cancelled: 'yellow',
  refused: 'yellow',
  forgotten: 'dim',
};
const askWords = ({ step, approves }: NonNullable<RunLine['asks']>[number]): string =>
  approves.length === 0 ? step : `${step} lets ${approvedActs({ approves }).join(', ')}`;

/** What stands behind who started a run: nothing of a command. */
const originWords = (origin: NonNullable<RunLine['origin']>): string =>
  'schedule' in origin
    ? ` by ${origin.schedule} ${stamp(origin.at).slice(0, -3)}`
    : 'run' in origin
      ? ` by ${origin.run} ${origin.step}`
      : '';

/** How far it is taken back; of a run that takes another one back its id says so. */
const undoneWords = ({ undone }: RunLine): string => (undone ? `, ${undoWords(undone)}` : '');

const windowWords = ({ time }: RunLine): string =>
  time?.window ? `, window ${stamp(time.window.from).slice(0, -3)} to ${stamp(time.window.to).slice(0, -3)}` : '';

/** Table of `portolan runs`. */
export const renderRuns = (lines: readonly RunLine[], paint: Paint, now: number = Date.now()): string =>
  table(
    lines.map((line) => [
      line.run,
      paint[colors[line.state]](line.asks ? `${line.state}: ${plain(line.asks.map(askWords).join(', '))}` : line.state),
      // The seconds would make a usual line wider than 80 columns.
      stamp(line.startedAt).slice(0, -3),
      line.state === 'forgotten' ? '' : duration((line.endedAt ? Date.parse(line.endedAt) : now) - Date.parse(line.startedAt)),
      Object.entries(line.connections)
        .map(([service, name]) => `${service}: ${name}`)
        .join(', '),
      `${line.startedBy}${line.origin ? originWords(line.origin) : ''}${windowWords(line)}${undoneWords(line)}${line.damaged === undefined ? '' : `, ${plain(line.damaged)}`}`,
    ]),
    ['left', 'left', 'left', 'right'],
  );
