import { limits } from '../../contracts/limits.ts';
import { createStack } from '../support/stack.ts';
import { naiveLaunches } from './support-naive.ts';
import { line, type Proof } from './proof.ts';
import { agentPipeline, writeNotes } from './support-agents.ts';
import { createBundle } from './support-bundle.ts';
import { startText } from './support-run.ts';

const limitClass = 'instance/heavy';

const narrow = { count: 6, seconds: 4 };

export const proof: Proof = {
  name: 'agent-limits',
  sets: ['agents'],
  what: '8 processes launch agents under one user’s limit: none before the Retry-After that it knows of',
  async run({ note, short }) {
    // At full size every limit is the published one; a gate has not the minutes for that, and a narrower one of seconds.
    const size = short ? { workers: 3, runs: 3, items: 8, ...narrow } : { workers: 8, runs: 16, items: 12, ...limits[limitClass] };
    await using bundle = await createBundle();
    await using stack = await createStack({ bundle: bundle.path, workers: size.workers });
    const { control } = stack;
    await control.agents({ pace: { from: 0, to: 1 } });
    if (short) {
      await control.limit('instance/standard', 10_000_000, 60);
      await control.limit(limitClass, size.count, size.seconds);
    }
    const started = performance.now();
    const runs = [];
    for (let at = 0; at < size.runs; at++)
      runs.push(
        await startText(stack, agentPipeline(await writeNotes(stack, `notes-${at}`, size.items), short ? {} : { everySeconds: 15 })),
      );
    const views = await Promise.all(runs.map((run) => run.ended(1_800_000)));
    const seconds = (performance.now() - started) / 1_000;
    const all = (await control.requests()).rows.filter((row) => row.limit_class.startsWith('instance/'));
    const sent = all.filter((row) => row.limit_class === limitClass);
    const early = all.reduce((sum, row) => sum + row.early_same_call + row.early_same_process, 0);
    const processes = new Set(sent.map((row) => row.process)).size;
    const refused = sent.filter(({ status }) => status === 429).length;
    const items = size.runs * size.items;
    const launched = sent.filter(({ operation, status }) => operation === 'instance.agents.launch' && status === 201).length;
    const room = size.count * Math.ceil(seconds / size.seconds);
    note(
      `${items} launches of ${size.count} in ${size.seconds} s took ${seconds.toFixed(0)} s: ${launched} of the ${room} that the limit had room for (${Math.round((100 * launched) / room)} % of the quota); ${all.length} requests of all limits, ${sent.length} of this one, ${refused} of them refused`,
    );
    await control.limit(limitClass, 1, 2);
    const before = (await control.requests()).rows.length;
    await naiveLaunches(stack);
    const naive = (await control.requests()).rows.slice(before).reduce((sum, row) => sum + row.early_same_process, 0);
    return [
      line('processes that launched', processes, `${size.workers}`, processes === size.workers),
      line(
        'runs that are done',
        views.filter(({ state }) => state === 'done').length,
        `${size.runs}`,
        views.every(({ state }) => state === 'done'),
      ),
      line('agents launched', launched, `${items}`, launched === items),
      line('refusals with Retry-After', refused, '> 0', refused > 0),
      line('sent before a Retry-After that the process knew', early, '0', early === 0),
      line('control, a client that does not wait: sent early', naive, '> 0', naive > 0),
    ];
  },
};
