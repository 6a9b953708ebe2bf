import type { RunSnapshot } from '../../runs/view.ts';
import { limitingNow } from '../../runs/limits.ts';
import type { StepStatus } from '../../workflows/messages.ts';
import { fit, padEnd, padStart, visibleLength, type Paint } from './paint.ts';
import type { Rates } from './rates.ts';
import { stepDetail, stepTime } from './step-detail.ts';
import { duration } from './units.ts';

export type LiveOptions = { rates: Rates; now: number; columns: number; paint: Paint; connections: string };

const marks: Record<StepStatus, [string, keyof Paint | undefined]> = {
  waiting: [' ', undefined],
  running: ['●', 'cyan'],
  approval: ['?', 'yellow'],
  done: ['✓', 'green'],
  failed: ['✗', 'red'],
  cancelled: ['–', 'dim'],
  skipped: ['–', 'dim'],
};

export const mark = (status: StepStatus, paint: Paint): string => {
  const [sign, color] = marks[status];
  return color ? paint[color](sign) : sign;
};

/** The line that says what limits the run. */
export const nowLine = (snapshot: RunSnapshot, now: number): string => {
  const causes = limitingNow(snapshot, now);
  return `now: ${causes.length === 0 ? 'nothing limits this run' : causes.map(({ text }) => text).join(' · ')}`;
};

/** The live view as lines, each at most `columns` wide. */
export const renderLive = (snapshot: RunSnapshot, { rates, now, columns, paint, connections }: LiveOptions): string[] => {
  const { view } = snapshot;
  const width = Math.min(columns, 110);
  const names = Math.max(4, ...view.steps.map((step) => step.id.length));
  const head = `${paint.bold(view.pipeline)}  run ${view.run}   ${connections}`;
  const steer = paint.dim(`portolan pause|cancel ${view.run}`);
  const room = width - visibleLength(head) - visibleLength(steer);
  const lines = room >= 2 ? [head + ' '.repeat(room) + steer] : [head];
  for (const step of view.steps) {
    const took = stepTime(step, now);
    const time = took === undefined || step.status === 'running' ? '' : duration(took);
    const detail = stepDetail(step, view, rates[step.id]);
    const text = fit(`${mark(step.status, paint)} ${padEnd(step.id, names)}  ${step.status === 'waiting' ? paint.dim(detail) : detail}`, width - (time ? time.length + 1 : 0));
    lines.push(time ? padEnd(text, width - time.length - 1) + ' ' + paint.dim(padStart(time, time.length)) : text);
  }
  lines.push(fit(nowLine(snapshot, now), columns));
  return lines.map((line) => fit(line, columns));
};
