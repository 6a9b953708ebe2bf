import { relative } from 'node:path';
import { findGarbage } from '../../runs/garbage.ts';
import { removeGarbage } from '../../runs/remove-garbage.ts';
import { retentionOf } from '../../runs/retention.ts';
import { durationPattern, durationRule } from '../../text/duration.ts';
import { sizePattern, sizeRule } from '../../text/size.ts';
import { UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { defineVerb } from '../frame/verb.ts';
import { withRuns } from '../project/project.ts';
import { table } from '../render/table.ts';
import { bytes } from '../../text/units.ts';

/** The value of an option, in the words of its rule where it is none. */
const valueOf = (option: string, text: string, { pattern, rule }: { pattern: RegExp; rule: string }): string => {
  if (!pattern.test(text)) throw new UsageError(`--${option} is ${rule}, got '${text}'`);
  return text;
};

export const gc = defineVerb({
  name: 'gc',
  summary: 'Make room in the run store: what ended runs no longer need.',
  usage: '',
  details: `Removes nothing without --yes: first look at the list. Of runs that ended well the working files go (shards, copies of
uploads); runs that ended longer ago than --older-than go whole, and with --most those that ended first.
Open runs stay. A run stays as long as those that continue it. retention: in portolan.config.mts gives other defaults, and has workers keep to them
by themselves. Tags that a removed run had set are known all the same.`,
  options: {
    'older-than': {
      type: 'string',
      value: 'TIME',
      description: 'Runs that ended longer ago go whole (default: retention.runs, else 30d).',
    },
    most: { type: 'string', value: 'SIZE', description: 'What all runs may take, such as 20GB (default: retention.most, else anything).' },
    yes: { type: 'boolean', description: 'Remove it.' },
    json: { type: 'boolean', description: 'One JSON object a line.' },
  },
  examples: ['portolan gc', 'portolan gc --older-than 7d --most 20GB --yes'],
  run: ({ cwd, options, terminal, signal }) =>
    withRuns({ cwd, terminal, signal }, async ({ place, config }) => {
      const { 'older-than': runs, most } = options;
      const retention = retentionOf({
        ...config.retention,
        ...(runs === undefined ? {} : { runs: valueOf('older-than', runs, { pattern: durationPattern, rule: durationRule }) }),
        ...(most === undefined ? {} : { most: valueOf('most', most, { pattern: sizePattern, rule: sizeRule }) }),
      });
      const found = await findGarbage(place, retention, Date.now());
      const garbage = options.yes ? await removeGarbage(place, found) : found;
      const total = garbage.reduce((sum, each) => sum + each.bytes, 0);
      if (options.json) for (const each of garbage) terminal.document('garbage', { ...each, removed: options.yes ?? false });
      else {
        terminal.out(
          table(
            garbage.map(({ path, bytes: size, why }) => [relative(cwd, path), bytes(size), why]),
            ['left', 'right'],
          ),
        );
        const what = `${bytes(total)} in ${garbage.length} folders`;
        terminal.out(
          options.yes
            ? `removed ${what}\n`
            : garbage.length === 0
              ? 'nothing to remove\n'
              : `${what}; nothing was removed: portolan gc --yes\n`,
        );
      }
      return exit.done;
    }),
});
