import { verbHelp } from '../../cli/frame/help.ts';
import { verbs } from '../../cli/verbs/index.ts';
import { code, generated, table } from './markdown.ts';

/** docs/commands.md: every verb with the text of its `--help`. */
export const commandsPage = async (): Promise<string> => {
  const loaded = await Promise.all(verbs.map(async (entry) => ({ entry, verb: await entry.load() })));
  const groups = Map.groupBy(loaded, ({ entry }) => entry.group);
  return [
    generated('cli/verbs/'),
    '# Commands\n\nEvery verb has this page under `portolan help VERB`. Exit codes: 0 done, 1 failed, 2 usage or invalid file, 3 needs approval, 4 inconclusive, 130 interrupted.\n\n',
    table(
      ['verb', 'does'],
      loaded.map(({ entry }) => [`[${code(entry.name)}](#${entry.name})`, entry.summary]),
    ),
    ...[...groups].flatMap(([group, members]) => [
      `\n## ${group}\n`,
      ...members.map(({ entry, verb }) => `\n### ${entry.name}\n\n\`\`\`text\n${verbHelp(verb).trimEnd()}\n\`\`\`\n`),
    ]),
  ].join('');
};
