import { resolveService, servicesOf } from '../../config/connections.ts';
import { createGates } from '../../config/gates.ts';
import { loadConfig } from '../../config/load.ts';
import type { Service } from '../../contracts/index.ts';
import type { Check, Found } from '../checks/check.ts';
import { failed } from '../checks/check.ts';
import { childLimits } from '../checks/child-limits.ts';
import { configuration, embedding, node, ownSteps, runStore, secrets } from '../checks/places.ts';
import { connections, temporal } from '../checks/services.ts';
import { sources } from '../checks/sources.ts';
import { unlessAborted } from '../frame/unless-aborted.ts';
import { UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { createPaint } from '../render/paint.ts';
import { plain } from '../../text/controls.ts';
import { defineVerb } from '../frame/verb.ts';

const checks: readonly Check[] = [node, configuration, temporal, connections, embedding, runStore, childLimits, ownSteps, secrets, sources];

export const doctor = defineVerb({
  name: 'doctor',
  summary: 'Check what Portolan needs here, each with its remedy.',
  usage: '',
  details:
    'Looks at Node, configuration, Temporal and its workers, each connection with its key, run store, child limits, own steps and their secrets, and the storages and databases that sources are in.\nExit code: 0 all well, 1 something is not.',
  options: {
    json: { type: 'boolean', description: 'One JSON object per finding.' },
    probe: {
      type: 'boolean',
      description: 'Find how the maps service of a connection fills the gaps of its text (portolan docs assumptions), by reads alone.',
    },
    connection: { type: 'string', short: 'c', value: 'NAME', description: 'With --probe: the connection; default: the configured one.' },
    scratch: { type: 'boolean', description: 'With --probe: write too, to a dataset that is made for it and removed again.' },
  },
  examples: ['portolan doctor', 'portolan doctor --probe --connection prod --scratch'],
  async run({ cwd, options, terminal, signal }) {
    const misplaced = options.probe ? undefined : (['scratch', 'connection'] as const).find((name) => options[name] !== undefined);
    if (misplaced !== undefined) throw new UsageError(`--${misplaced} is for doctor --probe`, 'leave it out, or add --probe');
    if (options.probe) {
      const config = await loadConfig(cwd);
      const permitsOf = createGates(config);
      const reached = (service: Service) => {
        const connection = resolveService(config, service, options.connection);
        return { connection, permits: permitsOf(connection) };
      };
      const maps = reached('maps');
      const { connection } = maps;
      const instance = servicesOf(config, connection.name).includes('instance') ? reached('instance') : undefined;
      const { configurationOf, findReadings } = await import('../probe/find-readings.ts');
      const lines = await findReadings(
        { maps, instance },
        {
          scratch: options.scratch ?? false,
          report: (text) => terminal.err(text),
          signal,
        },
      );
      if (options.json) for (const each of lines) terminal.document('reading', each);
      else
        terminal.out(
          `${lines.map(({ name, reading, unknown }) => `${name.padEnd(20)} ${reading ?? `? ${unknown}`}`).join('\n')}\n\n${configurationOf(connection.name, lines)}\n`,
        );
      return exit.done;
    }
    const paint = createPaint(terminal.color);
    const width = Math.max(...checks.map(({ name }) => name.length));
    let wrong = 0;
    const show = (name: string, found: readonly Found[]): void => {
      for (const { ok, detail, remedy } of found) {
        if (!ok) wrong++;
        if (options.json) terminal.document('check', { check: name, ok, detail, ...(remedy && { remedy }) });
        else
          terminal.page(
            `${ok ? paint.green('✓') : paint.red('✗')} ${name.padEnd(width)}  ${plain(detail)}\n${remedy ? `  ${' '.repeat(width)}  ${remedy}\n` : ''}`,
          );
      }
    };
    const loaded = await loadConfig(cwd).then(
      (config) => ({ config, problem: undefined }),
      (problem: unknown) => ({ config: undefined, problem }),
    );
    if (loaded.problem !== undefined) show('config', failed(loaded.problem, 'correct portolan.config.mts'));
    for (const check of checks)
      if (check.needs !== 'config' || loaded.config)
        show(
          check.name,
          // A service that says nothing holds no one who has seen enough.
          await unlessAborted(
            check
              .run({ cwd, config: loaded.config, report: (line) => terminal.err(line) })
              .catch((error: unknown) => failed(error, 'see the message')),
            signal,
          ),
        );
    return wrong === 0 ? exit.done : exit.failed;
  },
});
