import { parentPort, workerData } from 'node:worker_threads';
import { importDefault } from '../../pipelines/file/import-module.ts';
import type { OwnStepContext, OwnSweep } from '../../pipelines/own/define.ts';

/** Thrown where the code asks for what only a run has. */
class OnlyInRun extends Error {}

/** What the code is given: nothing is sent and nothing read for it before the run. */
const context = new Proxy({} as OwnStepContext, {
  get(_, name) {
    throw new OnlyInRun(`they are listed by context.${String(name)}, which only a run has`);
  },
});

async function count({ url, input }: { url: string; input: unknown }): Promise<number | { because: string }> {
  try {
    const loaded = await importDefault(url, 'defineSweep');
    if ('problem' in loaded) return { because: loaded.problem };
    const sweep = loaded.value as OwnSweep;
    parentPort!.postMessage('loaded');
    let items = 0;
    for await (const _ of await sweep.items(await sweep.input.parseAsync(input), context)) items++;
    return items;
  } catch (error) {
    if (error instanceof OnlyInRun) return { because: error.message };
    return { because: `listing them fails: ${error instanceof Error ? error.message : String(error)}` };
  }
}

parentPort!.postMessage(await count(workerData as { url: string; input: unknown }));
