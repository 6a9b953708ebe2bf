import type { Intents } from '../../store/intents.ts';
import { costOf } from '../../contracts/instance/agent-shapes.ts';
import type { StepContext } from '../frame/context.ts';
import type { Pass } from './pass.ts';
import type { Seen } from './sightings.ts';

/** What is known of an item from one look to the next: when it last changed, and why it is being stopped. */
type Noted = { status: string; updatedAt: string | null; since: number; stopping?: 'stalled' | 'capped' };

const noted = 'noted';

const notedOf = (intents: Intents): Noted | undefined => {
  const state = intents.state(noted);
  return state.is === 'done' ? (state.result as Noted) : undefined;
};

/** How the agent of an item was when it was noted last. */
export const statusIn = (intents: Intents): string | undefined => notedOf(intents)?.status;

/** Why the agent of an item was stopped by us, where it was. */
export const stoppingOf = (intents: Intents): Noted['stopping'] => notedOf(intents)?.stopping;

/** What asked an agent to stop that had ended by itself came too late, and is not to stop a further turn of it. */
export function forgetStop(intents: Intents): void {
  const { stopping, ...last } = notedOf(intents) ?? {};
  if (stopping) intents.done(noted, last);
}

/** Of an agent that goes on: stops it where it has not changed for too long, or has come to its cap. */
export async function watch(seen: Seen, { input, context }: Pass, own: StepContext): Promise<void> {
  const intents = own.intents();
  const last = notedOf(intents);
  // It goes on all the same: what asked it to stop was refused, or lost, and is no second effect.
  if (last?.stopping) return stop(seen, context);
  const changed = !last || last.status !== seen.status || last.updatedAt !== seen.updatedAt;
  // What it was when it was asked: since then this look may have waited for a limit.
  const now = seen.at;
  const since = changed ? now : last.since;
  const stopping =
    now - since >= input.stallSeconds * 1_000
      ? 'stalled'
      : input.cap && costOf(await context.invoke('instance.agents.usage', { id: seen.id }, { signal: context.signal })) >= input.cap.item
        ? 'capped'
        : undefined;
  // One that is busy changes from look to look: what is noted a tenth of the time later is noted in time.
  const isNews = !last || last.status !== seen.status || (changed && now - last.since >= input.stallSeconds * 100);
  // Whoever has the attempt now would send it.
  if (stopping) await own.held();
  if (isNews || stopping)
    intents.done(noted, { status: seen.status, updatedAt: seen.updatedAt, since, ...(stopping ? { stopping } : {}) } satisfies Noted);
  if (stopping) await stop(seen, context);
}

async function stop({ id }: Seen, { invoke, signal }: StepContext): Promise<void> {
  await invoke('instance.agents.stop', { id }, { signal });
}
