import { BadInput } from '../../errors/classes.ts';
import type { StepContext } from '../frame/context.ts';

/** The run was planned and checked on the bytes of its start: refuses what was read of a source that was not those. `name`: of its fingerprint. */
export function refuseChanged(
  context: Pick<StepContext, 'sources'>,
  name: string,
  read: { sha256: string; bytes: number; rows: number },
): void {
  const then = context.sources[name];
  if (!then) return;
  if (read.sha256 !== then.sha256)
    throw new BadInput(
      'bad_input',
      `${name} changed since the run started (${then.bytes} bytes then, ${read.bytes} now); nothing was sent. Run again with the file as it is`,
    );
  if (read.rows !== then.rows)
    throw new BadInput(
      'bad_input',
      `${name} had ${then.rows} rows when the run started, and ${read.rows} were read of the same bytes; nothing was sent. Run again`,
    );
}
