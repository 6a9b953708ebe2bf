import { checkConnections } from './check-connections.ts';
import { missingFor, refuseMissing } from './check-missing.ts';
import { refuseMistakes } from './check-mistakes.ts';
import { CommandError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { followToEnd } from './follow-to-end.ts';
import { startCompiled, type Start } from './start-compiled.ts';
import { whoIs, type Project } from '../project/project.ts';
import type { VerbContext, VerbOption } from '../frame/verb.ts';

/** Options of every verb that starts a run. */
export const launchOptions = {
  detach: { type: 'boolean', short: 'd', description: 'Start it and return.' },
  accept: {
    type: 'string',
    value: 'STEP',
    multiple: true,
    description: 'Approve what the step may do that cannot be taken back, where no gate does.',
  },
  as: { type: 'string', value: 'NAME', description: 'Who starts it (default PORTOLAN_USER, else user@host).' },
  'no-check': {
    type: 'boolean',
    description:
      'Do not ask the service first whether it is there and takes the key, nor whether the files are on this host, and fetch no source here.',
  },
  json: { type: 'boolean', description: 'One JSON object per event.' },
} as const satisfies Record<string, VerbOption>;

/** Starts a compiled file, follows it to its end and returns the exit code. */
export async function launch(context: VerbContext<typeof launchOptions>, project: Project, start: Omit<Start, 'who'>): Promise<number> {
  const { options, terminal } = context;
  const { id, compiled } = start;
  if (!options['no-check']) {
    refuseMissing(missingFor(compiled, project.config));
    await checkConnections(project.config, compiled.reached);
    // What an earlier run has compared is not compared again.
    if (!start.reuse) await refuseMistakes(compiled, project.config, context.signal);
  }
  if (context.signal.aborted) throw new CommandError('interrupted: nothing was started', { code: exit.interrupted });
  const location = await startCompiled(project, { ...start, who: whoIs(context) });
  const { workflowId, firstRunId } = location;
  const temporal = project.temporalLink(workflowId, firstRunId);
  if (options.detach) {
    if (options.json) terminal.document('result', { type: 'result', run: id, state: 'running', workflowId, links: { temporal } });
    else terminal.out(`${id} runs\n  status    portolan status ${id}\n  temporal  ${temporal}\n`);
    return exit.done;
  }
  return followToEnd(context, project, location);
}
