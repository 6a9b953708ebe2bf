import { randomUUID } from 'node:crypto';
import { createChannel } from '../../alerts/create-channel.ts';
import { testDocument } from '../../alerts/document.ts';
import { loadConfig } from '../../config/load.ts';
import { CommandError, UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { defineVerb } from '../frame/verb.ts';

export const notify = defineVerb({
  name: 'notify',
  summary: 'test CHANNEL sends a test alert, once, and reports what became of it.',
  usage: 'ACT CHANNEL',
  details: `The channel is one of portolan.config.mts; this command sends it itself, without a worker.
Exit code: 0 the channel took it, 1 it did not, 2 where there is no such channel.`,
  options: { json: { type: 'boolean', description: 'One object.' } },
  examples: ['portolan notify test ops'],
  async run({ args: [act, name], options, cwd, terminal, signal }) {
    if (act !== 'test') throw new UsageError(`notify has the act test, got '${act}'`, 'portolan notify test CHANNEL');
    const config = await loadConfig(cwd);
    const channel = createChannel(config, name!);
    const id = `test-${randomUUID()}`;
    const { is, note } = await channel.send(testDocument(id, new Date().toISOString()), signal);
    if (options.json) terminal.document('notified', { channel: channel.name, kind: channel.kind, id, sent: is === 'sent', note });
    else if (is === 'sent') terminal.out(`${channel.kind} ${channel.name} took it: ${note}\n  id  ${id}\n`);
    if (is === 'sent') return exit.done;
    throw new CommandError(`${channel.kind} ${channel.name} did not take it: ${note}`, {
      remedy: `look at channels.${channel.name} in ${config.file ?? 'portolan.config.mts'}, and at what takes it`,
    });
  },
});
