import { createOwnFetch } from '../../client/own-fetch.ts';
import type { OwnStepContext } from '../../pipelines/own/define.ts';
import { readResults } from '../../store/results.ts';
import type { StepContext } from '../frame/context.ts';
import { secretsRead } from './secrets.ts';

/**
 * What the code of an own step is given. `scope` tells the items of a sweep apart: equal requests of one item are attempts of one
 * request.
 */
export function ownContext(context: StepContext, { scope = '', attempt, signal = context.signal }: Own): OwnStepContext {
  const { invoke, pages, maps, instance, run, callScope, own, store } = context;
  const secret = async (name: string): Promise<string> => secretsRead.note(name, await own.secret(name));
  return {
    progress: ({ note, ...latest }) => context.progress({ ...latest, ...(note === undefined ? {} : { note: secretsRead.scrub(note) }) }),
    signal,
    invoke,
    pages,
    maps,
    instance,
    fetch: createOwnFetch({ ...own, secret }, { scope: `${callScope}/${scope}`, signal, fence: () => context.fence() }),
    secret,
    rows: (results) => readResults(store, results),
    run: { id: run.id, pipeline: run.pipeline },
    attempt,
  };
}

type Own = { scope?: string; attempt: number; signal?: AbortSignal };
