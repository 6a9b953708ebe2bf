import { createEventTail } from '../../runs/event-tail.ts';
import type { RunLocation } from '../../runs/find.ts';
import type { RunSnapshot } from '../../runs/view.ts';
import { waitedOf } from '../../runs/waits.ts';
import { watchRun } from '../../runs/watch.ts';
import { createRunStore } from '../../store/create-run-store.ts';
import type { RunEvent } from '../../store/run-store.ts';
import type { Project } from '../project/project.ts';
import { connectionsLine } from '../render/connections.ts';
import { happeningLine, nextHappenings, nothingReported } from '../render/happenings.ts';
import { renderLive } from '../render/live.ts';
import { createPaint } from '../render/paint.ts';
import { nextRates, type Rates } from '../render/rates.ts';
import { createScreen } from '../frame/screen.ts';
import type { Terminal } from '../frame/terminal.ts';

export type FollowOptions = {
  terminal: Terminal;
  signal: AbortSignal;
  /** One JSON object per happening. */
  json?: boolean;
  /** Nothing is shown. */
  quiet?: boolean;
};

type Shown = { show(snapshot: RunSnapshot): void | Promise<void>; end(): void };

const unshown: Shown = { show() {}, end() {} };

/** Between two looks the clock goes on: elapsed and remaining times are drawn anew this often. */
const redrawMs = 500;

const onScreen = (project: Project, terminal: Terminal, store: string): Shown => {
  const screen = createScreen(terminal);
  const paint = createPaint(terminal.color);
  let rates: Rates = {};
  let latest: RunSnapshot | undefined;
  const tail = createEventTail(createRunStore(store).path('events'));
  const waits: RunEvent[] = [];
  const draw = (): void => {
    if (latest)
      screen.draw(
        renderLive(latest, {
          rates,
          now: Date.now(),
          waited: waitedOf(waits, Date.now()),
          ...terminal.size(),
          paint,
          connections: connectionsLine(latest.connections, project.connections),
        }),
      );
  };
  const timer = setInterval(draw, redrawMs);
  return {
    async show(snapshot) {
      waits.push(...(await tail()).filter(({ kind }) => kind === 'wait'));
      latest = snapshot;
      rates = nextRates(rates, snapshot.view, Date.now());
      draw();
    },
    end() {
      clearInterval(timer);
      screen.end();
    },
  };
};

const asLines = (project: Project, terminal: Terminal, json: boolean): Shown => {
  let reported = nothingReported;
  return {
    show(snapshot) {
      const next = nextHappenings(reported, snapshot, Date.now());
      reported = next.reported;
      for (const happening of next.happenings)
        if (json) terminal.document('event', happening);
        else terminal.out(`${happeningLine(happening, project.connections)}\n`);
    },
    end() {},
  };
};

/**
 * Shows a run until it is over, interrupted, or (without a terminal, where nobody can answer) until it can only wait for
 * a person. Returns the last snapshot; undefined where none was seen.
 */
export const followRun = async (
  project: Project,
  location: RunLocation,
  { terminal, signal, json = false, quiet = false }: FollowOptions,
): Promise<RunSnapshot | undefined> => {
  const view: Shown = quiet
    ? unshown
    : terminal.tty && !json
      ? onScreen(project, terminal, location.store)
      : asLines(project, terminal, json);
  let last: RunSnapshot | undefined;
  try {
    for await (const snapshot of watchRun(project.place, location, { signal })) {
      last = snapshot;
      await view.show(snapshot);
      if (snapshot.view.state === 'approval' && (quiet || json || !terminal.tty)) break;
    }
  } finally {
    view.end();
  }
  return last;
};
