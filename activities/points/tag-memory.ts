import type { TagOperation } from '../../store/tag-lists.ts';
import { exclusively } from '../../store/exclusive.ts';
import type { StepContext } from '../frame/context.ts';

/** A job that ended well, as its step reports it. */
export type Tagged = { run: string; count: number; missing: number };

/**
 * What this run store knows of one tag of a map, whether or not the service says which points have it: the operation that was carried out
 * last, the sets of points for which it was, and the jobs that have begun and not ended. Another operation makes all sets unknown;
 * of two operations at the same time nobody knows which came last at a point, so that neither is known afterwards. A job that failed
 * stays open, for what it has sent may be anywhere: the opposite one is sent each time then, which changes nothing twice.
 */
type Memory = {
  operation: TagOperation;
  sets: { [points: string]: Tagged };
  open: { [job: string]: { operation: TagOperation; mixed: boolean } };
};

export type TagJob = { tag: string; operation: TagOperation; map: string; version: string; points: { uri: string; count: number } };

/** The memory of a tag of a map as it is: an update may have brought a point back without its tags. */
export function tagMemory(context: StepContext, { tag, operation, map, version, points }: TagJob) {
  const { store } = context;
  const key = JSON.stringify(['points.tag', context.connection('maps').name, context.mapsUrl(''), map, version, tag]);
  const job = `${context.run.id}/${context.step}`;
  const set = async (): Promise<string> => `${await store.hashIds(points.uri)}/${points.count}`;
  const read = async (): Promise<Memory> => (await store.recall<Memory>(key)) ?? { operation, sets: {}, open: {} };
  /** As one act: what another job has begun meanwhile would be lost. */
  const change = (act: (memory: Memory) => Memory): Promise<void> =>
    exclusively(store, key, context, async () => store.remember(key, act(await read())));
  return {
    /** The same job, done before, and nothing else since. */
    async known(): Promise<Tagged | undefined> {
      const memory = await read();
      return memory.operation === operation ? memory.sets[await set()] : undefined;
    },
    /** Before the first call of a job: what it will change is not known from then on. */
    async begin(): Promise<void> {
      await change(({ open, ...memory }) => {
        const others = Object.entries(open).filter(([id]) => id !== job);
        const against = (each: { operation: TagOperation }): boolean => each.operation !== operation;
        return {
          operation,
          sets: memory.operation === operation ? memory.sets : {},
          open: {
            ...Object.fromEntries(others.map(([id, each]) => [id, { ...each, mixed: each.mixed || against(each) }])),
            [job]: { operation, mixed: others.some(([, each]) => against(each)) },
          },
        };
      });
    },
    /** When all of its points are done. */
    async end(done: Omit<Tagged, 'run'>): Promise<void> {
      const of = await set();
      await change(({ open, ...memory }) => {
        const { [job]: own, ...others } = open;
        const isLast = own?.mixed === false && memory.operation === operation;
        const sets = isLast ? { ...memory.sets, [of]: { run: context.run.id, ...done } } : memory.sets;
        return { ...memory, sets, open: others };
      });
    },
  };
}
