import { loadConfig } from '../../config/load.ts';
import type { Check, Found } from '../checks/check.ts';
import { failed } from '../checks/check.ts';
import { childLimits } from '../checks/child-limits.ts';
import { configuration, node, ownSteps, runStore } from '../checks/places.ts';
import { connections, temporal } from '../checks/services.ts';
import { exit } from '../frame/exit.ts';
import { createPaint, plain } from '../render/paint.ts';
import { defineVerb } from '../frame/verb.ts';

const checks: readonly Check[] = [node, configuration, temporal, connections, runStore, childLimits, ownSteps];

export const doctor = defineVerb({
  name: 'doctor',
  summary: 'Check what Portolan needs here, each with its remedy.',
  usage: '',
  details:
    'Looks at Node, configuration, Temporal and its workers, each connection with its key, run store, child limits and own steps.\nExit code: 0 all well, 1 something is not.',
  options: { json: { type: 'boolean', description: 'One JSON object per finding.' } },
  examples: ['portolan doctor'],
  async run({ cwd, options, terminal }) {
    const paint = createPaint(terminal.color);
    const width = Math.max(...checks.map(({ name }) => name.length));
    let wrong = 0;
    const tell = (name: string, found: readonly Found[]): void => {
      for (const { ok, detail, remedy } of found) {
        if (!ok) wrong++;
        if (options.json) terminal.out(`${JSON.stringify({ check: name, ok, detail, ...(remedy && { remedy }) })}\n`);
        else
          terminal.out(
            `${ok ? paint.green('✓') : paint.red('✗')} ${name.padEnd(width)}  ${plain(detail)}\n${remedy ? `  ${' '.repeat(width)}  ${remedy}\n` : ''}`,
          );
      }
    };
    const loaded = await loadConfig(cwd).then(
      (config) => ({ config, problem: undefined }),
      (problem: unknown) => ({ config: undefined, problem }),
    );
    if (loaded.problem !== undefined) tell('config', failed(loaded.problem, 'correct portolan.config.mts'));
    for (const check of checks)
      if (check.needs !== 'config' || loaded.config)
        tell(check.name, await check.run({ cwd, config: loaded.config }).catch((error: unknown) => failed(error, 'see the message')));
    return wrong === 0 ? exit.done : exit.failed;
  },
});
