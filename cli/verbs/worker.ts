import { exit } from '../frame/exit.ts';
import { defineVerb } from '../frame/verb.ts';

export const worker = defineVerb({
  name: 'worker',
  summary: 'A worker for any Temporal cluster.',
  usage: '',
  details:
    'The cluster is named by TEMPORAL_*, temporal.toml, portolan.config.mts, or a running portolan dev.\nSIGTERM or Ctrl-C drains: work in hand ends, nothing new is taken.',
  options: {},
  examples: ['TEMPORAL_ADDRESS=temporal.example.com:7233 portolan worker'],
  async run({ cwd, signal, terminal }) {
    const { runWorker } = await import('../../workers/run-worker.ts');
    await runWorker({
      cwd,
      signal,
      report: (line) => terminal.err(`${line}\n`),
      onReady: ({ address, namespace, taskQueue, steps }) =>
        terminal.out(`worker on task queue ${taskQueue} at ${address}, namespace ${namespace}, with ${steps} steps\n`),
    });
    return exit.done;
  },
});
