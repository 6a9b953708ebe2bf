import { BadInput } from '../../errors/classes.ts';
import { sourceName } from '../../pipelines/source-name.ts';
import type { SourceSpec } from '../../pipelines/step.ts';
import type { StepContext } from '../frame/context.ts';

/** The run was planned and checked on the bytes of its start: refuses a source that has changed since. */
export async function checkUnchanged(context: StepContext, source: SourceSpec): Promise<void> {
  if (!context.sources[sourceName(source)]) return;
  refuseChanged(context, source, await context.tables.inspect(source, { signal: context.signal }));
}

/** The same for a source that was looked at anyway. */
export function refuseChanged(context: StepContext, source: SourceSpec, now: { sha256: string; bytes: number }): void {
  const name = sourceName(source);
  const then = context.sources[name];
  if (!then) return;
  if (now.sha256 !== then.sha256) {
    throw new BadInput(
      'bad_input',
      `${name} changed since the run started (${then.bytes} bytes then, ${now.bytes} now); nothing was sent. Run again with the file as it is`,
    );
  }
}
