import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnOwn, type OwnProcess } from '../../../dev/processes.ts';
import { CommandError } from '../../frame/errors.ts';
import { linesOfCode } from './account.ts';
import type { Side } from './side.ts';

const file = fileURLToPath(new URL(`./by-hand${extname(import.meta.url)}`, import.meta.url));

/** So often the script is started again where it has ended with notes that failed. */
const mostPasses = 5;

/** The script of by-hand.ts, started again whenever it was killed or has left notes behind. */
export function scriptSide(dir: string, service: Pick<Side, 'url' | 'key' | 'control'>): Side {
  const results = join(dir, 'by-hand.jsonl');
  const log = join(dir, 'by-hand.log');
  const rows = (): { id: string; agent: string; costUsd?: number }[] => {
    try {
      return readFileSync(results, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as { id: string; agent: string; costUsd?: number });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  };
  const done = () => new Map(rows().flatMap(({ id, agent, costUsd }) => (costUsd === undefined ? [] : [[id, agent] as const])));
  let running: OwnProcess<never> | undefined;
  return {
    ...service,
    name: 'by hand',
    lines: linesOfCode(readFileSync(file, 'utf8')),
    async run(signal) {
      const stop = (): void => void running?.kill();
      for (let passes = 0; passes < mostPasses;) {
        running = spawnOwn<never>({
          entry: 'cli/demo/chaos/by-hand',
          args: [join(dir, 'notes.json'), results],
          log,
          env: { ...process.env, INSTANCE_URL: service.url, INSTANCE_KEY: service.key },
        });
        signal.addEventListener('abort', stop, { once: true });
        const { code } = await running.exited;
        signal.removeEventListener('abort', stop);
        signal.throwIfAborted();
        if (code === 0) return;
        if (code !== null && code !== 1) throw new CommandError(`the script ended with ${code}`, { remedy: `its log: ${log}` });
        if (code === 1) passes++;
      }
    },
    kill: async () => running?.kill(),
    finished: () => done().size,
    kept: async () => new Set(done().values()),
  };
}
