import { UsageError } from '../errors.ts';
import { exit } from '../exit.ts';
import { overview, verbHelp } from '../help.ts';
import { nearest } from '../nearest.ts';
import { defineVerb } from '../verb.ts';
import { verbs } from './index.ts';

export const help = defineVerb({
  name: 'help',
  summary: 'All verbs, or one of them.',
  usage: '[VERB]',
  options: {},
  examples: ['portolan help run'],
  async run({ args: [name], terminal }) {
    if (name === undefined) {
      terminal.out(overview(verbs));
      return exit.done;
    }
    const entry = verbs.find((verb) => verb.name === name);
    if (!entry) {
      const meant = nearest(
        name,
        verbs.map((verb) => verb.name),
      );
      throw new UsageError(
        `'${name}' is not a verb of portolan`,
        meant ? `did you mean: portolan help ${meant}?` : 'all verbs: portolan help',
      );
    }
    terminal.out(verbHelp(await entry.load()));
    return exit.done;
  },
});
