import { createStack, type Stack } from '../support/stack.ts';
import { line, type Proof } from './proof.ts';
import { createBundle } from './support-bundle.ts';
import { writeConnections } from '../support/connections.ts';
import { flightsFile } from './support-flights.ts';
import { naiveClient } from './support-naive.ts';
import { outputOf, startText } from './support-run.ts';

const limitClass = 'maps/tag';
const long = { count: 60, seconds: 60, tags: 90 };
/** What a gate has time for. */
const brief = { count: 4, seconds: 8, tags: 16 };

const map = (tags: number, name = 't'): string => `
name: tags
params:
  source: { type: path }
steps:
  dataset: { use: dataset.ensure, with: { slug: tags } }
  rows: { use: dataset.append, with: { dataset: "\${{ steps.dataset.id }}", source: "\${{ params.source }}", id: { row: true } } }
  map: { use: index.build, with: { dataset: "\${{ steps.rows.dataset }}" } }
  far: { use: points.select, with: { map: "\${{ steps.map.id }}", where: { range: distance, from: 2000 } } }
${Array.from({ length: tags }, (_, at) => `  tag${at}: { use: points.tag, with: { map: "\${{ steps.map.id }}", points: "\${{ steps.far.points }}", add: ${name}${at} } }`).join('\n')}
`;

/** Requests of the class, by the service's log. */
const sent = async (stack: Stack) => (await stack.control.requests()).rows.filter((row) => row.limit_class === limitClass);

export const proof: Proof = {
  name: 'limits',
  sets: ['short', 'shape'],
  what: `two worker processes, ${long.tags} tag calls, ${long.count} a minute: none is sent before its Retry-After`,
  async run({ note, short }) {
    const { count: allowed, seconds, tags } = short ? brief : long;
    await using bundle = await createBundle();
    await using stack = await createStack({ bundle: bundle.path, workers: 2 });
    await stack.control.limit(limitClass, allowed, seconds);
    const started = Date.now();
    const run = await startText(stack, map(tags), { source: flightsFile('2k') });
    const view = await run.ended(300_000);
    const tagged = outputOf(view, 'tag0')['count'];
    const rows = await sent(stack);
    const { summary } = await stack.control.journal();
    const count = (rows_: typeof rows, key: 'early_same_call' | 'early_same_process'): number =>
      rows_.reduce((sum, row) => sum + row[key], 0);
    const refused = rows.filter((row) => row.retry_after !== null);
    const processes = new Set(rows.map((row) => row.process));
    note(`${rows.length} tag requests in ${((Date.now() - started) / 1_000).toFixed(0)} s, ${tagged} points each`);

    await stack.control.limit(limitClass, 1, 2);
    const before = rows.length;
    await naiveClient(stack, outputOf(view, 'map')['id']);
    const naive = (await sent(stack)).slice(before);
    const named = await knownLimit(stack, short ? brief : long);
    return [
      line('processes that sent tag calls', processes.size, '2', processes.size === 2),
      line('refusals with Retry-After', refused.length, '> 0', refused.length > 0),
      line(
        'tag calls that took effect',
        rows.filter((row) => row.status === 200).length,
        `${tags}`,
        rows.filter((row) => row.status === 200).length === tags,
      ),
      line('refused calls sent again before their Retry-After', count(rows, 'early_same_call'), '0', count(rows, 'early_same_call') === 0),
      line(
        'calls sent by a process before the latest Retry-After it had seen',
        count(rows, 'early_same_process'),
        '0',
        count(rows, 'early_same_process') === 0,
      ),
      line('journal', `repeated ${summary.repeated}`, 'repeated 0', summary.repeated === 0),
      line(
        'control, a client that does not wait',
        `${naive.length} sent, early by call ${count(naive, 'early_same_call')}, by process ${count(naive, 'early_same_process')}`,
        'both > 0',
        count(naive, 'early_same_call') > 0 && count(naive, 'early_same_process') > 0,
      ),
      line('a limit that the connection names: refusals', named.refused, '0', named.refused === 0),
      line('tag calls that took effect under it', named.effective, `${named.tags}`, named.effective === named.tags),
      line(
        'time from the first to the last, of what the limit allows',
        `${named.seconds.toFixed(1)} s of ${named.least} s`,
        '≤ 1.3 ×',
        named.seconds <= 1.3 * named.least,
      ),
    ];
  },
};

/** One worker whose connection names the limit: it keeps to it without being refused, and uses all of it. */
async function knownLimit(stack: Stack, { tags }: { tags: number }) {
  const seconds = 10;
  const limit = { count: Math.ceil(tags / 4), seconds };
  await writeConnections(stack, { known: { limits: { [limitClass]: limit } } });
  await Promise.all([stack.worker.stop(0), stack.worker.stop(1)]);
  // What the workers before it sent is out of every window.
  await stack.control.limit(limitClass, limit.count, seconds);
  await stack.worker.start(0);
  const before = (await sent(stack)).length;
  const run = await startText(stack, map(tags, 'k'), { source: flightsFile('2k') }, { connection: 'known' });
  await run.ended(300_000);
  const rows = (await sent(stack)).slice(before);
  return {
    tags,
    refused: rows.filter((row) => row.retry_after !== null).length,
    effective: rows.filter((row) => row.status === 200).length,
    seconds: (rows.at(-1)!.monotonic - rows[0]!.monotonic) / 1_000,
    least: (Math.ceil(tags / limit.count) - 1) * seconds,
  };
}
