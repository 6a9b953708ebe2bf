import { defineVerb } from '../frame/verb.ts';

export const demo = defineVerb({
  name: 'demo',
  summary: 'Run a real pipeline here, with a kill, a lost answer and a 429 on the way.',
  usage: '',
  details:
    'Starts Temporal, the local service and a worker under .portolan/, runs pipelines/ingest.yaml on 3,000 nouns of WordNet (outside a\ncheckout copies in demo/), kills the worker once, loses one answer, closes one limit, and shows from the service’s journal that nothing happened twice. Again: ends at once.\nWhere it fails, what it started is stopped.',
  options: {
    'temporal-source': {
      type: 'string',
      value: 'SOURCE',
      description: 'Where the Temporal server comes from: cluster, path, kept, download, pypi.',
    },
  },
  examples: ['portolan demo'],
  async run(context) {
    const { runDemo } = await import('../demo/demo.ts');
    return runDemo(context);
  },
});
