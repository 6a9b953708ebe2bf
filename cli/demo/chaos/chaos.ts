import { setTimeout as sleep } from 'node:timers/promises';
import type { TemporalSource } from '../../../dev/temporal/binary.ts';
import { exit } from '../../frame/exit.ts';
import { withNotes } from '../../frame/notes.ts';
import { createScreen } from '../../frame/screen.ts';
import type { VerbContext } from '../../frame/verb.ts';
import { createPaint } from '../../render/paint.ts';
import { columns, outcome, standingLine } from './columns.ts';
import { figuresOf, standing, type Running } from './figures.ts';
import { setStage } from './stage.ts';
import { makeTrouble, troubleFor } from './trouble.ts';

export type ChaosOptions = { items: number; json: boolean; source: TemporalSource | undefined };

const redrawMs = 500;
const lineMs = 10_000;

/**
 * The same batch of agents by a script and by the pipeline, each on a service of its own that makes the same trouble: processes are killed,
 * answers are lost, limits close. What the services have recorded is the outcome.
 */
export async function runChaos(context: VerbContext, { items, json, source }: ChaosOptions): Promise<number> {
  const { signal } = context;
  const { terminal, note, flush } = withNotes(context.terminal);
  const paint = createPaint(terminal.color);
  const say = (line: string): void => {
    if (!json) terminal.out(`${line}\n`);
  };
  say('starting a Temporal server, a worker and two local services …');
  await using stage = await setStage(context, { items, source, report: () => undefined });
  const started = Date.now();
  const report = (side: string, line: string): void => {
    if (!json) note(paint.yellow(`! ${((Date.now() - started) / 1_000).toFixed(0)} s  ${side}: ${line}`));
  };
  const sides = await Promise.all(
    stage.sides.map(async (side): Promise<Running> => ({
      side,
      trouble: await makeTrouble(
        side.control,
        { items, ...troubleFor(items) },
        () => side.kill(),
        (line) => report(side.name, line),
      ),
      begun: Date.now(),
      ended: undefined,
    })),
  );
  say(`${items} notes, an agent for each, a follow-up for every second; processes are killed, answers are lost, limits close\n`);

  const screen = createScreen(terminal);
  const show = async (): Promise<void> => {
    const now = await Promise.all(sides.map(standing));
    if (terminal.tty) screen.draw(columns(now, { items, width: terminal.size().columns, paint }));
    else terminal.out(`${standingLine(now, items)}\n`);
  };
  const over = new AbortController();
  const showing = json
    ? Promise.resolve()
    : (async () => {
        while (!over.signal.aborted) {
          await show();
          await sleep(terminal.tty ? redrawMs : lineMs, undefined, { signal: over.signal }).catch(() => undefined);
        }
        await show();
        flush();
      })();
  showing.catch(() => undefined);
  try {
    await Promise.all(
      sides.map(async (each) => {
        each.begun = Date.now();
        await each.side.run(signal);
        each.ended = Date.now();
      }),
    );
  } catch (error) {
    if (signal.aborted) return exit.interrupted;
    throw error;
  } finally {
    over.abort();
    await showing.catch(() => undefined);
    screen.end();
  }
  const figures = await Promise.all(sides.map((each) => figuresOf(each, items)));
  if (json) terminal.document('chaos', { items, sides: figures });
  else terminal.out(`\nwhat the services have recorded\n${outcome(figures, paint)}`);
  const pipeline = figures.find(({ side }) => side === 'pipeline')!;
  return pipeline.launchedTwice + pipeline.followUpsTwice + pipeline.lost === 0 ? exit.done : exit.failed;
}
