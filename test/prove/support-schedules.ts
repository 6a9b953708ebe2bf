import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { Document } from '../../cli/json/documents.ts';
import type { World } from '../support/world.ts';

/** A pipeline that a schedule runs: one call, and the word by which its plan is known. */
export type Scheduled = { name: string; schedule: string; operation?: string; plan?: string };

export const textOf = ({ name, schedule, operation = 'maps.user.get', plan = 'first' }: Scheduled): string => `name: ${name}
connection: local
params: { plan: { type: string, default: ${plan} } }
schedule: ${schedule}
steps:
  look: { use: api.call, with: { operation: ${operation}, input: {} } }
outputs: { plan: "\${{ params.plan }}" }
`;

/** One command of `portolan schedule`; fails where it does. */
export async function command(world: World, ...argv: string[]): Promise<string> {
  const { code, out, err } = await world.portolan(['schedule', ...argv]);
  if (code !== 0) throw new Error(`portolan schedule ${argv.slice(0, 2).join(' ')} ended ${code}: ${err}${out}`);
  return out;
}

/** The same under `--json`: the documents that it writes. */
export const documents = async <N extends 'applied' | 'schedule' | 'steered'>(world: World, ...argv: string[]): Promise<Document<N>[]> =>
  (await command(world, ...argv, '--json'))
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text) as Document<N>);

/** Writes pipelines and gives them to the server by `schedule apply --yes`. */
export async function apply(world: World, ...pipelines: Scheduled[]): Promise<Document<'applied'>[]> {
  const files = await Promise.all(pipelines.map((each) => world.write(`pipelines/${each.name}.yaml`, textOf(each))));
  return documents<'applied'>(world, 'apply', ...files, '--yes');
}

/** A run that a schedule has started, as the Temporal server lists it. Times in milliseconds. */
export type Fired = { schedule: string; at: number; startedAt: number; endedAt: number | undefined; state: string; workflowId: string };

/** Every run of every schedule that is named, by when it was due. */
export async function firedOf({ client }: World, names: readonly string[]): Promise<Fired[]> {
  const found: Fired[] = [];
  for await (const { workflowId, startTime, closeTime, status, searchAttributes } of client.workflow.list({
    query: 'TemporalScheduledById IS NOT NULL',
  })) {
    const schedule = nameOf(searchAttributes, 'TemporalScheduledById').split('/').at(-1)!;
    if (!names.includes(schedule)) continue;
    const at = new Date(nameOf(searchAttributes, 'TemporalScheduledStartTime')).getTime();
    found.push({ schedule, at, startedAt: startTime.getTime(), endedAt: closeTime?.getTime(), state: status.name, workflowId });
  }
  return found.toSorted((a, b) => a.at - b.at);
}

const nameOf = (attributes: WorkflowExecutionInfo['searchAttributes'], name: string): string => {
  const [value] = (attributes[name] ?? []) as (string | Date)[];
  if (value === undefined) throw new Error(`a run of a schedule has no ${name}`);
  return value instanceof Date ? value.toISOString() : value;
};

/** Times that two lists do not share: those that only the first has, those that only the second has, and those that the second has more than once. */
export function difference(due: readonly number[], ran: readonly number[]): { lost: number[]; besides: number[]; doubled: number[] } {
  return {
    lost: due.filter((at) => !ran.includes(at)),
    besides: [...new Set(ran)].filter((at) => !due.includes(at)),
    doubled: [...new Set(ran.filter((at, index) => ran.indexOf(at) !== index))],
  };
}
