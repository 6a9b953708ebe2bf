import { relative } from 'node:path';
import { duration } from '../../pipelines/file/schema.ts';
import { milliseconds } from '../../text/duration.ts';
import { findGarbage, removeGarbage } from '../../runs/garbage.ts';
import { UsageError } from '../frame/errors.ts';
import { exit } from '../frame/exit.ts';
import { defineVerb } from '../frame/verb.ts';
import { withRuns } from '../project/project.ts';
import { table } from '../render/table.ts';
import { bytes } from '../render/units.ts';

const units = { kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 } as const;

const sizeOf = (text: string): number => {
  const [, number, unit] = /^(\d+(?:\.\d+)?) ?(kB|MB|GB|TB)$/.exec(text) ?? [];
  if (number === undefined) throw new UsageError(`--most is a size such as 500MB or 20GB, got '${text}'`);
  return Number(number) * units[unit as keyof typeof units];
};

const ageOf = (text: string): number => {
  if (!duration.safeParse(text).success) throw new UsageError(`--older-than is a duration such as 12h or 30d, got '${text}'`);
  return milliseconds(text);
};

export const gc = defineVerb({
  name: 'gc',
  summary: 'Make room in the run store: what ended runs no longer need.',
  usage: '',
  details: `Removes nothing unless told by --yes: first look at the list. Of runs that ended well the working files go (shards, copies of
uploads, items of sweeps); runs that ended longer ago than --older-than go whole, and with --most those that ended first.
Open runs stay, and what an open run continues. Tags that a removed run had set are known all the same.`,
  options: {
    'older-than': { type: 'string', value: 'TIME', description: 'Runs that ended longer ago go whole (default 30d).' },
    most: { type: 'string', value: 'SIZE', description: 'What all runs may take, such as 20GB.' },
    yes: { type: 'boolean', description: 'Remove it.' },
    json: { type: 'boolean', description: 'One JSON object a line.' },
  },
  examples: ['portolan gc', 'portolan gc --older-than 7d --most 20GB --yes'],
  run: ({ cwd, options, terminal }) =>
    withRuns({ cwd }, async ({ place }) => {
      const retention = {
        olderThanMs: ageOf(options['older-than'] ?? '30d'),
        ...(options.most === undefined ? {} : { mostBytes: sizeOf(options.most) }),
      };
      const garbage = await findGarbage(place, retention, Date.now());
      if (options.yes) await removeGarbage(place, garbage);
      const total = garbage.reduce((sum, each) => sum + each.bytes, 0);
      if (options.json) for (const each of garbage) terminal.json({ ...each, removed: options.yes ?? false });
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
