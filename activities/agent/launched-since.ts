import { goesDown } from '../../contracts/instance/agents.ts';
import type { StepContext } from '../frame/context.ts';

/** The ids of a page of agents, and whether it goes from the newest to the oldest. */
type Page = { ids: readonly string[]; down: boolean };

/** One reading of the list, as far down as any of those needs it who asked for it. */
type Reading = { by: AbortSignal; olds: ReadonlySet<string>[]; pages: Promise<readonly Page[]> };

/** Where the newest stand first, what is below an agent that was there before was there before too. */
const isLast = ({ ids, down }: Page, old: ReadonlySet<string>): boolean => down && ids.some((id) => old.has(id));

async function read(context: StepContext, olds: readonly ReadonlySet<string>[]): Promise<readonly Page[]> {
  const pages: Page[] = [];
  const open = new Set(olds);
  for await (const { data } of context.pages('instance.agents.list', { limit: 100 }, { signal: context.signal })) {
    const page = { ids: data.map(({ id }) => id), down: goesDown(data) };
    pages.push(page);
    for (const old of open) if (isLast(page, old)) open.delete(old);
    if (open.size === 0) break;
  }
  return pages;
}

/**
 * Agents of the caller that are not among those of `before`, the newest first. Where many answers are lost at once, each launch is looked
 * up, and each look-up needs the list: those that ask while one is being read share the next. None is given a list that was begun before
 * it asked: what was sent after that began may be missing there, and would be sent again.
 */
export function createLaunchedSince(): (context: StepContext, before: readonly string[]) => Promise<string[]> {
  let next: Reading | undefined;
  let latest: Promise<unknown> = Promise.resolve();

  const begin = (context: StepContext): Reading => {
    const olds: ReadonlySet<string>[] = [];
    const pages = latest.then(() => {
      next = undefined;
      return read(context, olds);
    });
    latest = pages.catch(() => undefined);
    return { by: context.signal, olds, pages };
  };

  return async function launchedSince(context, before) {
    const old = new Set(before);
    const reading = (next ??= begin(context));
    reading.olds.push(old);
    let pages: readonly Page[];
    try {
      pages = await reading.pages;
    } catch (error) {
      // Whoever was reading was stopped; this one was not.
      if (reading.by.aborted && !context.signal.aborted) return launchedSince(context, before);
      throw error;
    }
    const depth = pages.findIndex((page) => isLast(page, old));
    return pages.slice(0, depth < 0 ? pages.length : depth + 1).flatMap(({ ids }) => ids.filter((id) => !old.has(id)));
  };
}
