import { connectionNames } from '../../config/connections.ts';
import type { Config } from '../../config/load.ts';
import { formatPath, help, type Finding } from '../../pipelines/file/findings.ts';
import { reach } from '../../pipelines/file/reach.ts';
import type { LoadedFile } from '../../pipelines/file/load.ts';
import { nearest, suggestion } from '../../text/nearest.ts';

/** Connections that a file names, for itself and for its environments, and that the configuration does not have. */
export function checkConnectionName({ value, locate }: LoadedFile, config: Config): Finding[] {
  const known = connectionNames(config);
  const { environments } = (value ?? {}) as { environments?: object | null };
  const places = [['connection'], ...Object.keys(environments ?? {}).map((name) => ['environments', name, 'connection'])];
  return places.flatMap((path): Finding[] => {
    const name = reach(value, path);
    if (typeof name !== 'string' || known.includes(name)) return [];
    return [
      {
        code: 'no-such-connection',
        message: `there is no connection '${name}'${suggestion(name, known)}`,
        path: formatPath(path),
        ...locate.value(path),
        ...help(locate, path, { value: nearest(name, known) }, 'name one of these, or add it to portolan.config.mts'),
      },
    ];
  });
}
