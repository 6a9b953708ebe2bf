import { createStack } from '../support/stack.ts';
import { naiveLaunches } from './support-naive.ts';
import { line, type Proof } from './proof.ts';
import { agentPipeline, writeNotes } from './support-agents.ts';
import { createBundle } from './support-bundle.ts';
import { startText } from './support-run.ts';

const limitClass = 'instance/heavy';

export const proof: Proof = {
  name: 'agent-limits',
  sets: ['agents'],
  what: '8 processes launch agents under one user’s limit: none before the Retry-After that it knows of',
  async run({ note, short }) {
    const size = short
      ? { workers: 3, runs: 3, items: 8, count: 6, seconds: 4 }
      : { workers: 8, runs: 16, items: 12, count: 30, seconds: 20 };
    await using bundle = await createBundle();
    await using stack = await createStack({ bundle: bundle.path, workers: size.workers });
    const { control } = stack;
    await control.limit('instance/standard', 10_000_000, 60);
    await control.agents({ pace: { from: 0, to: 1 } });
    await control.limit(limitClass, size.count, size.seconds);
    const started = performance.now();
    const runs = [];
    for (let at = 0; at < size.runs; at++)
      runs.push(await startText(stack, agentPipeline(await writeNotes(stack, `notes-${at}`, size.items))));
    const views = await Promise.all(runs.map((run) => run.ended(1_800_000)));
    const seconds = (performance.now() - started) / 1_000;
    const sent = (await control.requests()).rows.filter((row) => row.limit_class === limitClass);
    const early = sent.reduce((sum, row) => sum + row.early_same_call + row.early_same_process, 0);
    const processes = new Set(sent.map((row) => row.process)).size;
    const refused = sent.filter(({ status }) => status === 429).length;
    const all = size.runs * size.items;
    const launched = sent.filter(({ operation, status }) => operation === 'instance.agents.launch' && status === 201).length;
    note(`${all} launches of ${size.count} in ${size.seconds} s took ${seconds.toFixed(0)} s; ${sent.length} requests, ${refused} refused`);
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
      line('agents launched', launched, `${all}`, launched === all),
      line('refusals with Retry-After', refused, '> 0', refused > 0),
      line('sent before a Retry-After that the process knew', early, '0', early === 0),
      line('control, a client that does not wait: sent early', naive, '> 0', naive > 0),
    ];
  },
};
