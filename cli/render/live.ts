import { hasEnd } from '../../pipelines/ends.ts';
import { isOver, type RunSnapshot } from '../../runs/view.ts';
import { limitingNow, type Waited } from '../../runs/limiting.ts';
import type { StepStatus } from '../../workflows/messages.ts';
import { foldedSteps, type StepLine } from './folded.ts';
import { fit, padEnd, padStart, type Paint } from './paint.ts';
import { cells } from '../../text/cells.ts';
import { plain } from '../../text/controls.ts';
import type { Rates } from './rates.ts';
import { stepDetail, stepTime } from './step-detail.ts';
import { counted, duration } from '../../text/units.ts';

export type LiveOptions = {
  rates: Rates;
  now: number;
  columns: number;
  /** What limits the run is said to its end, however wide. */
  whole?: boolean;
  /** Lines that the terminal shows; absent: all steps are drawn. */ rows?: number;
  paint: Paint;
  connections: string;
  /** Milliseconds waited in all, by cause. */
  waited?: Waited;
};

const marks: Record<StepStatus, [string, keyof Paint | undefined]> = {
  waiting: [' ', undefined],
  running: ['●', 'cyan'],
  approval: ['?', 'yellow'],
  done: ['✓', 'green'],
  tolerated: ['✗', 'yellow'],
  failed: ['✗', 'red'],
  cancelled: ['–', 'dim'],
  skipped: ['–', 'dim'],
};

export const mark = (status: StepStatus, paint: Paint): string => {
  const [sign, color] = marks[status];
  return color ? paint[color](sign) : sign;
};

/** The line that says what limits the run. */
const nowLine = (snapshot: RunSnapshot, now: number, waited: Waited = new Map()): string => {
  const limiting = limitingNow(snapshot, now, waited);
  const causes = limiting.map(({ text }) => text);
  const over = [...waited].filter(([cause, ms]) => ms >= 1_000 && !limiting.some(({ limit }) => limit === cause));
  const sofar = over.map(([cause, ms]) => `waited ${duration(ms)} for ${plain(cause)} so far`);
  return `now: ${[...(causes.length === 0 ? ['nothing limits this run'] : causes), ...sofar].join(' · ')}`;
};

type Shown = { before: number; lines: readonly StepLine[]; after: number };

/**
 * The steps that fit: a block taller than the terminal cannot be drawn over itself. The first step that has not
 * ended stays in sight, with a few before it.
 */
const linesInSight = (lines: readonly StepLine[], rows: number | undefined): Shown => {
  const room = Math.max(3, (rows ?? Infinity) - 5);
  if (lines.length <= room) return { before: 0, lines, after: 0 };
  const current = lines.findIndex((line) => 'step' in line && !hasEnd(line.step.status));
  const from = Math.max(0, Math.min((current < 0 ? lines.length : current) - Math.floor(room / 3), lines.length - room));
  return { before: from, lines: lines.slice(from, from + room), after: lines.length - from - room };
};

/** The live view as lines, each at most `columns` wide. */
export const renderLive = (
  snapshot: RunSnapshot,
  { rates, now, columns, rows, whole, paint, connections, waited }: LiveOptions,
): string[] => {
  const { view } = snapshot;
  const width = Math.min(columns, 110);
  const all = foldedSteps(view.steps);
  const names = Math.max(4, ...all.map((line) => ('name' in line ? cells(line.name) : 0)));
  const head = `${paint.bold(view.pipeline)}  run ${view.run}   ${connections}`;
  const steer = paint.dim(`portolan pause|cancel ${view.run}`);
  const over = isOver(view);
  const room = over ? 0 : width - cells(head) - cells(steer);
  const lines = room >= 2 ? [head + ' '.repeat(room) + steer] : [head];
  const shown = linesInSight(all, rows);
  if (shown.before > 0) lines.push(paint.dim(`  … ${counted(shown.before, 'step')} above`));
  for (const line of shown.lines) {
    if ('more' in line) {
      lines.push(paint.dim(`    … ${line.more} more under way`));
      continue;
    }
    const { name, step } = line;
    const took = stepTime(step, now);
    const time = took === undefined || step.status === 'running' ? '' : duration(took);
    const detail = stepDetail(step, view, rates[step.id], now);
    const text = fit(
      `${mark(step.status, paint)} ${padEnd(name, names)}  ${step.status === 'waiting' ? paint.dim(detail) : detail}`,
      width - (time ? time.length + 1 : 0),
    );
    lines.push(time ? padEnd(text, width - time.length - 1) + ' ' + paint.dim(padStart(time, time.length)) : text);
  }
  if (shown.after > 0) lines.push(paint.dim(`  … ${counted(shown.after, 'step')} below`));
  if (!over) lines.push(nowLine(snapshot, now, waited));
  return whole ? lines : lines.map((line) => fit(line, columns));
};
