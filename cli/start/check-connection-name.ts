import { connectionNames } from '../../config/connections.ts';
import type { Config } from '../../config/load.ts';
import { help, type Finding } from '../../pipelines/file/findings.ts';
import type { LoadedFile } from '../../pipelines/file/load.ts';
import { nearest, suggestion } from '../../text/nearest.ts';

/** A connection that a file names and that the configuration does not have. */
export function checkConnectionName({ value, locate }: LoadedFile, config: Config): Finding[] {
  const name = (value as { connection?: unknown } | null | undefined)?.connection;
  const known = connectionNames(config);
  if (typeof name !== 'string' || known.includes(name)) return [];
  return [
    {
      code: 'no-such-connection',
      message: `there is no connection '${name}'${suggestion(name, known)}`,
      path: 'connection',
      ...locate.value(['connection']),
      ...help(locate, ['connection'], { value: nearest(name, known) }, 'name one of these, or add it to portolan.config.mts'),
    },
  ];
}
