import { sourceName } from '../../pipelines/source-name.ts';
import { chooseWay, type definition, type Way } from '../../pipelines/steps/dataset/load.ts';
import type { ActivityOf } from '../frame/activity.ts';
import append, { mayBeNone } from './append.ts';
import upload from './upload.ts';

type State = { way: Way; because: string; inner: unknown };

/** The two ways, phase by phase. */
const ways = { append, upload } as const;

const activity: ActivityOf<typeof definition> = {
  async prepare(input, context) {
    const { total_datums_in_project: held } = await context.maps.projects.get({ project_id: input.dataset }, { signal: context.signal });
    const facts =
      context.sources[sourceName(input.source)] ??
      (await context.tables.inspect(input.source, { signal: context.signal, mayBeEmpty: mayBeNone(input.source) }));
    const chosen = chooseWay(facts, {
      held,
      replace: input.onChange === 'replace',
      since: input.since !== undefined,
      batch: context.connection('maps').batch,
    });
    await context.store.event({ step: context.step, kind: 'note', cause: `${chosen.way}: ${chosen.because}` });
    const { state, ...prepared } = await ways[chosen.way].prepare(input, context);
    return { ...prepared, state: { ...chosen, inner: state as unknown } satisfies State };
  },

  chunk: (input, { way, inner }: State, index, context) => ways[way].chunk(input, inner, index, context),

  async sent(input, { way, inner }: State, index, context) {
    return (await ways[way].sent?.(input, inner, index, context)) ?? [];
  },

  async finish(input, { way, because, inner }: State, counts, context) {
    return { ...(await ways[way].finish(input, inner, counts, context)), way, because };
  },
};
export default activity;
