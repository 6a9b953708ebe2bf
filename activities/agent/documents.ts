import type { ListedFile } from '../../child/listed-files.ts';
import { agentsInChunk } from '../../pipelines/steps/agent/run.ts';
import { listUnchanged } from '../sources/list-unchanged.ts';
import type { Listed } from '../../child/listed-rows.ts';
import type { StepContext } from '../frame/context.ts';

/** The files of a glob, a chunk at a time, each by its name. Fails where they are not those of the run's start. */
export async function* documentsOf(pattern: string, context: StepContext): AsyncGenerator<Listed[], void, undefined> {
  const files = await listUnchanged(pattern, context);
  for (let from = 0; from < files.length; from += agentsInChunk)
    yield files.slice(from, from + agentsInChunk).map((file: ListedFile) => ({ key: file.name, row: file }));
}
