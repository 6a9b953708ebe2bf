import { suggestion } from '../../text/nearest.ts';
import { references } from '../expressions/references.ts';
import { expressionsIn } from '../file/embedded-expressions.ts';
import { formatPath, type Finding } from '../file/findings.ts';
import type { Parsed } from '../file/parse.ts';
import type { AnalysedStep } from './analysed-step.ts';
import { allSteps, type Analysis } from './analysis.ts';
import { mayAct } from './approvals.ts';
import { servicesOf } from './plan-step.ts';
import { isPipeline } from './sub-pipelines.ts';

/** What a command gives a run, beside its parameters. */
type Given = { accept?: readonly string[]; timed?: boolean };

/** Parameters without a default that have no value. */
export const missingParams = ({ required }: Analysis, { locate }: Parsed): Finding[] =>
  required.map((name) => ({
    code: 'missing-param',
    message: `parameter '${name}' has no default and no value: --param ${name}=…`,
    path: `params.${name}`,
    ...locate.key(['params', name]),
  }));

/** Steps that `--accept` names and the file has not, with those for which it says something. */
export const unknownAccepted = (analysis: Analysis, { accept = [] }: Given): Finding[] => {
  const all = allSteps(analysis);
  const ids = all.map(({ id }) => id);
  const acting = all.filter(mayAct).map(({ id }) => id);
  return accept
    .filter((id) => !ids.includes(id))
    .map((id) => ({
      code: 'no-such-step',
      message: `--accept: there is no step '${id}'${suggestion(id, ids)}`,
      path: 'steps',
      line: 1,
      column: 1,
      remedy:
        acting.length === 0
          ? 'leave it out: no step of this file does what cannot be taken back'
          : `what cannot be taken back is done by ${acting.join(', ')}`,
    }));
};

/** A run that is no schedule's is due at no time. */
export function missingTime(analysis: Analysis, { timed }: Given, { locate }: Parsed): Finding[] {
  if (timed) return [];
  const read = [analysis.outputs, ...allSteps(analysis).flatMap(({ with: input, when, loop }) => [input, when, loop?.outputs])]
    .flatMap((value) => expressionsIn(value))
    .flatMap(({ text }) => references(text).run)
    .find(({ path: [field], optional }) => (field === 'window' || field === 'scheduledAt') && !optional);
  if (read === undefined) return [];
  return [
    {
      code: 'missing-time',
      message: `run.${read.path.join('.')} is known of a run of the schedule, and of one that is given a time`,
      path: 'schedule',
      ...locate.key(['schedule']),
    },
  ];
}

/** The same in a pipeline that a step runs: its run is due when the run above it is. */
export const missingTimeIn = ({ definition, path }: AnalysedStep, options: Given, parsed: Parsed): Finding[] => {
  if (!isPipeline(definition) || !definition.pipeline.analysis) return [];
  const { analysis, loaded } = definition.pipeline;
  const inside = [...missingTime(analysis, options, loaded), ...allSteps(analysis).flatMap((step) => missingTimeIn(step, options, loaded))];
  const place = [...path, 'use'];
  return inside.slice(0, 1).map((each) => ({ ...each, path: formatPath(place), ...parsed.locate.value(place) }));
};

/** Where a step calls a service, and nothing says by which connection. */
export function missingConnection(analysis: Analysis, connection: string | undefined, { locate }: Parsed): Finding[] {
  const first = allSteps(analysis).find(({ definition }) => servicesOf(definition).length > 0);
  if (connection !== undefined || first === undefined) return [];
  return [
    {
      code: 'no-connection',
      message: `${first.definition.name} needs a connection: --connection NAME, or a line 'connection: NAME' in the file`,
      path: formatPath([...first.path, 'use']),
      ...locate.value([...first.path, 'use']),
    },
  ];
}
