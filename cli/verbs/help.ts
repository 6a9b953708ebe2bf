import { exit } from '../frame/exit.ts';
import { findVerb } from '../frame/find-verb.ts';
import { overview, verbHelp } from '../frame/help.ts';
import { defineVerb } from '../frame/verb.ts';

export const help = defineVerb({
  name: 'help',
  summary: 'All verbs, or one of them.',
  usage: '[VERB]',
  options: {},
  examples: ['portolan help run'],
  async run({ args: [name], terminal, verbs }) {
    if (name === undefined) {
      terminal.page(overview(verbs));
      return exit.done;
    }
    const entry = findVerb(name, verbs, (meant) => (meant ? `did you mean: portolan help ${meant}?` : 'all verbs: portolan help'));
    terminal.page(verbHelp(await entry.load()));
    return exit.done;
  },
});
