import type { Config } from '../../config/load.ts';
import { formatPath, help, type Finding } from '../../pipelines/file/findings.ts';
import { reach } from '../../pipelines/file/reach.ts';
import type { LoadedFile } from '../../pipelines/file/load.ts';
import { nearest, suggestion } from '../../text/nearest.ts';

/** Channels that a file alerts, and that the configuration does not have. */
export function checkChannels({ value, locate }: LoadedFile, { channels }: Config): Finding[] {
  const known = Object.keys(channels);
  const named = reach(value, ['notify', 'to']);
  if (!Array.isArray(named)) return [];
  return named.flatMap((name: unknown, at): Finding[] => {
    if (typeof name !== 'string' || known.includes(name)) return [];
    const path = ['notify', 'to', at];
    const added = `channels: { ${JSON.stringify(name)}: { webhook: URL, secret: NAME } }`;
    return [
      {
        code: 'no-such-channel',
        message: `there is no channel '${name}'${suggestion(name, known)}`,
        path: formatPath(path),
        ...locate.value(path),
        ...help(
          locate,
          path,
          { value: nearest(name, known) },
          known.length === 0 ? `add it to portolan.config.mts: ${added}` : `name one of these, or add it to portolan.config.mts: ${added}`,
        ),
      },
    ];
  });
}
