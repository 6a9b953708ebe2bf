import { decide } from '../../runs/control.ts';
import { findRun } from '../../runs/find.ts';
import { exit } from '../frame/exit.ts';
import type { VerbContext, VerbOption } from '../frame/verb.ts';
import { actOptions, whoIs, withRuns } from './project.ts';

export const decisionOptions = {
  ...actOptions,
  json: { type: 'boolean', description: 'The decision as one JSON object.' },
} as const satisfies Record<string, VerbOption>;

/** A wait that is longer is said. */
const saidAfterMs = 2_000;

/** `approve RUN STEP` and `reject RUN STEP`. */
export const decideGate = (context: VerbContext<typeof decisionOptions>, approve: boolean): Promise<number> =>
  withRuns(context, async ({ place }) => {
    const [named, step] = context.args as [string, string];
    const { terminal, options, signal } = context;
    const { run, ...found } = await findRun(place, named);
    const decision = { step, approve, who: whoIs(context), note: options.note ?? '' };
    const waits = setTimeout(() => terminal.err('no worker has heard of it yet; Ctrl-C gives up\n'), saidAfterMs);
    await decide(place, { run, ...found }, decision, { signal }).finally(() => clearTimeout(waits));
    if (options.json) terminal.document('decision', { run, ...decision });
    else terminal.out(`${step} of ${run} ${approve ? 'approved' : 'rejected'} by ${decision.who}\n`);
    return exit.done;
  });
