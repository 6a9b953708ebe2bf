import { exit } from '../exit.ts';
import { defineVerb } from '../verb.ts';

export const worker = defineVerb({
  name: 'worker',
  summary: 'A worker for any Temporal cluster.',
  usage: '',
  details: 'The cluster is named by TEMPORAL_*, temporal.toml, portolan.config.mts, or a running portolan dev.\nSIGTERM or Ctrl-C drains: work in hand ends, nothing new is taken.',
  options: {},
  examples: ['TEMPORAL_ADDRESS=temporal.example.com:7233 portolan worker'],
  async run({ cwd, signal }) {
    const { runWorker } = await import('../../workers/run-worker.ts');
    await runWorker({ cwd, signal });
    return exit.done;
  },
});
