import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../client/errors.ts';
import { line, type Line } from '../test/prove/proof.ts';
import { createBundle } from '../test/prove/support-bundle.ts';
import { flightsFile } from '../test/prove/support-flights.ts';
import { createStack, type Stack } from '../test/support/stack.ts';
import type { Bench } from './bench.ts';
import { linesOf, ways, type Started, type Way } from './hand-written/start.ts';

const rows = 100_000;
const limit = { class: 'maps/tag', count: 4, seconds: 2 };

type Outcome = {
  seconds: number;
  repeated: number;
  harmless: number;
  early: number;
  requests: number;
  lost: number;
  maps: number;
  lines: number;
};

/** Lost answers, refusals and errors, the same for every way, by operation and number of the call. */
async function makeTrouble({ control }: Stack): Promise<{ append: string; tag: string }> {
  await control.limit(limit.class, limit.count, limit.seconds);
  const append = 'maps.data.addArrow';
  const tag = 'maps.tags.update';
  await control.fault(append, 3, { lose: 'answer' });
  await control.fault(append, 5, { status: 500 });
  await control.fault(append, 8, { status: 429, retryAfter: 2 });
  await control.fault('maps.indices.create', 1, { lose: 'answer' });
  await control.fault(tag, 2, { status: 500 });
  await control.fault(tag, 7, { lose: 'answer' });
  return {
    append: (await control.fault(append, 7, { hold: 'after' })).id,
    tag: (await control.fault(tag, 10, { hold: 'after' })).id,
  };
}

/** Killed while a call is held whose effect has happened and whose answer has not come. */
async function killAt({ control }: Stack, started: Started, fault: string): Promise<number> {
  if (!(await control.held(fault, 120_000))) throw new Error('the call that was to be held never came');
  const at = Date.now();
  await started.kill();
  await control.release(fault);
  await started.restart();
  return at;
}

async function measure(way: Way, bundle: string): Promise<Outcome> {
  await using stack = await createStack({ bundle });
  const file = join(stack.dir, 'flights.json');
  await writeFile(file, JSON.stringify((JSON.parse(readFileSync(flightsFile('200k'), 'utf8')) as unknown[]).slice(0, rows)));
  const holds = await makeTrouble(stack);
  const begun = performance.now();
  const started = await way.start(stack, { url: stack.url, key: stack.adminKeys.maps, file, slug: 'flights' }, rows);
  try {
    const kill = async (): Promise<number[]> => [await killAt(stack, started, holds.append), await killAt(stack, started, holds.tag)];
    const [kills] = await Promise.all([kill(), started.ended]);
    const seconds = (performance.now() - begun) / 1_000;
    return { seconds, ...(await countOutcome(stack, kills)), lines: await linesOf(way) };
  } finally {
    await started.stop();
  }
}

/** By the service's own journal and log, and by what it holds. */
async function countOutcome(stack: Stack, kills: readonly number[]): Promise<Omit<Outcome, 'seconds' | 'lines'>> {
  const { summary } = await stack.control.journal();
  const { rows: requests } = await stack.control.requests();
  await stack.control.limit(limit.class, 1_000, 1);
  const { projects } = await stack.api.projects.list({});
  const datasets = await Promise.all(projects.map(({ id }) => stack.api.projects.get({ project_id: id })));
  const there = datasets.reduce((sum, { total_datums_in_project: count }) => sum + count, 0);
  const maps = datasets.flatMap(({ atlas_indices }) => atlas_indices.flatMap(({ projections }) => projections));
  let tagged = 0;
  for (const { id } of maps) tagged = Math.max(tagged, await taggedOf(stack, id));
  return {
    repeated: summary.repeated,
    harmless: summary.harmless,
    early: earlyOf(requests, kills),
    requests: requests.length,
    lost: Math.abs(rows - there) + Math.abs(rows - tagged),
    maps: maps.length,
  };
}

/** Taking the tag from every point shows how many had it. */
async function taggedOf(stack: Stack, projection_id: string): Promise<number> {
  const answer = await stack.api.query.select({ projection_id, selection: { method: 'composition', conjunctor: 'ALL', filters: [] } });
  const ids = (Array.isArray(answer) ? answer : answer.data).map(String);
  for (let at = 0; at < ids.length; at += 10_000) {
    const part = { projection_id, tag_name: 'far', ids: ids.slice(at, at + 10_000), operation: 'remove' as const, id_field: 'id' };
    try {
      await stack.api.tags.update(part);
    } catch (error) {
      // A map that was built a second time has no such tag.
      if (error instanceof ApiError && error.status === 404) return 0;
      throw error;
    }
  }
  const { rows: journal } = await stack.control.journal();
  return journal
    .filter(({ subject, act }) => subject === `tag/${projection_id}/far` && act === 'remove')
    .reduce((sum, { changed }) => sum + changed, 0);
}

/** A refusal has been read so long after it was sent; what was under way before does not count. */
const readWithinMs = 250;
const slackMs = 5;

/** Requests of a class that came before a Retry-After of that class; every way is one client. One that was killed before the refusal came had not read it. */
function earlyOf(
  requests: readonly { at: number; ms: number; limit_class: string; retry_after: number | null }[],
  kills: readonly number[],
): number {
  const unread = ({ at, ms }: { at: number; ms: number }): boolean => kills.some((kill) => kill >= at && kill < at + ms + readWithinMs);
  const refusals = requests.filter((each) => each.retry_after !== null && !unread(each));
  return requests.filter(({ at, limit_class: of }) =>
    refusals.some(
      (refusal) =>
        refusal.limit_class === of &&
        at > refusal.at + refusal.ms + readWithinMs &&
        at + slackMs < refusal.at + refusal.ms + refusal.retry_after! * 1_000,
    ),
  ).length;
}

export const bench: Bench = {
  name: 'hand-written',
  what: `${rows} rows to a dataset, a map and a tag, with the same faults, limits and two kills: by a p-limit script, by Temporal by hand, by a pipeline`,
  async run({ note }) {
    await using bundle = await createBundle();
    const outcomes: { way: string; outcome: Outcome }[] = [];
    for (const way of ways) {
      const outcome = await measure(way, bundle.path);
      outcomes.push({ way: way.name, outcome });
      const { seconds, repeated, harmless, early, requests, lost, maps, lines } = outcome;
      note(
        `${way.name.padEnd(17)} ${seconds.toFixed(1).padStart(6)} s  repeated ${repeated}  sent again without effect ${harmless}  early ${early} of ${requests} requests  lost ${lost}  maps ${maps}  lines ${lines}`,
      );
    }
    const ours = outcomes.at(-1)!.outcome;
    const lineOf = ({ way, outcome }: (typeof outcomes)[number]): Line =>
      line(
        way,
        `${outcome.seconds.toFixed(1)} s, repeated ${outcome.repeated}, early ${outcome.early}, lost ${outcome.lost}, lines ${outcome.lines}`,
        'shown',
        true,
      );
    return {
      lines: [
        ...outcomes.slice(0, -1).map(lineOf),
        line(
          'pipeline',
          `${ours.seconds.toFixed(1)} s, repeated ${ours.repeated}, early ${ours.early}, lost ${ours.lost}, lines ${ours.lines}`,
          'repeated 0, early 0, lost 0',
          ours.repeated === 0 && ours.early === 0 && ours.lost === 0,
        ),
      ],
      figures: Object.fromEntries(
        outcomes.flatMap(({ way, outcome }) => Object.entries(outcome).map(([name, value]) => [`${way}: ${name}`, value])),
      ),
    };
  },
};
