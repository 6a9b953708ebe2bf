import type { Schedule } from '../../pipelines/file/schedule.ts';
import type { Plan } from '../../pipelines/plan.ts';
import type { RunStart } from '../../pipelines/run-start.ts';
import { canonical } from '../../text/canonical-json.ts';
import { isFields, type Json } from '../../text/json.ts';

/** A place in which what is scheduled differs: what was there, what is to be there. Absent: nothing. */
export type Change = { at: string; from?: Json; to?: Json };

/** All that a schedule carries out, and when. */
export type Scheduled = { schedule: Schedule; plan: Plan; start: Pick<RunStart, 'store' | 'connections' | 'file'> };

/** What differs between two states of a schedule, by place (`steps.rows.with.source`). None: what is scheduled is the same. */
export function changesBetween(before: Scheduled, after: Scheduled): Change[] {
  return differences(shownOf(before), shownOf(after), '');
}

/** What a person compares: hashes, what follows from the rest and who applied it where are left out. Steps go by their ids. */
function shownOf({ schedule, plan, start: { store, connections, file } }: Scheduled): Json {
  const { hash: _hash, version: _version, window: _window, sources: _sources, params, steps, outputs, ...rest } = plan;
  const byId = Object.fromEntries(steps.map(({ id, ...step }) => [id, step]));
  // In the order of a file.
  return json({ store, file, schedule, connections, ...rest, params, steps: byId, outputs });
}

/** As JSON has it: without what is undefined. */
const json = (value: object): Json => JSON.parse(JSON.stringify(value)) as Json;

function differences(from: Json | undefined, to: Json | undefined, at: string): Change[] {
  if (isFields(from) && isFields(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return names.flatMap((name) => differences(from[name], to[name], at === '' ? name : `${at}.${name}`));
  }
  if (from !== undefined && to !== undefined && canonical(from) === canonical(to)) return [];
  return [{ at, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
}
