import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../../errors/classes.ts';
import { silentInMs } from '../../pipelines/last-effect.ts';
import { recordFile, recordIn } from '../../store/run-record.ts';
import { openTagRecord, type TagName, type TagRecord } from '../../store/tag-record.ts';
import type { StepContext } from '../frame/context.ts';

type Opening = Pick<StepContext, 'store' | 'seeRun' | 'signal'>;

/** The record of a tag. Of runs that say no end of theirs the server is asked: one that was terminated changes no point any more. */
export const openRecord = (context: Opening, name: TagName): TagRecord =>
  openTagRecord(context.store, name, { goesOn: (run) => goesOn(context, run) });

/** Whether a run may still change points. Of one that was terminated just now, what has left is waited for: a few seconds at most. */
async function goesOn({ store, seeRun, signal }: Opening, run: string): Promise<boolean> {
  const text = await readFile(join(dirname(store.path()), run, recordFile), 'utf8').catch(() => '');
  const record = recordIn(text, run);
  if (!record || !seeRun) return true;
  const seen = await seeRun(record).catch((cause: unknown) => {
    throw new Unavailable('temporal', `the Temporal server cannot be reached to see whether run ${run} goes on`, { cause });
  });
  if (seen.open) return true;
  await sleep(silentInMs(seen, Date.now()), undefined, { signal });
  return false;
}
