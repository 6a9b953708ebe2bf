import { createClient } from '../../../client/create-client.ts';
import { createPermits } from '../../../client/permits.ts';
import { costOf } from '../../../contracts/instance/agent-shapes.ts';
import type { JournalRow } from '../../../service/core/journal.ts';

/** Effects of one operation on agents, and how many of them had been there already: equal content on one subject is one intent. */
export const effectsOf = (rows: readonly JournalRow[], operation: 'launch' | 'followup'): { count: number; twice: number } => {
  const effects = rows.filter((row) => row.operation === `instance.agents.${operation}` && row.changed > 0);
  return { count: effects.length, twice: effects.length - new Set(effects.map(({ subject, intent }) => `${subject} ${intent}`)).size };
};

/** What all agents of a service have cost, and those that are not among the named ones, in US dollars. */
export async function paidFor(
  { url, key }: { url: string; key: string },
  agents: ReadonlySet<string>,
): Promise<{ paidUsd: number; paidTwiceUsd: number }> {
  const api = createClient('instance', { baseUrl: url, token: key, permits: createPermits() });
  let [paidUsd, paidTwiceUsd] = [0, 0];
  let cursor: string | undefined;
  do {
    const page = await api.agents.list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    for (const { id } of page.data) {
      const cost = costOf(await api.agents.usage({ id }));
      paidUsd += cost;
      if (!agents.has(id)) paidTwiceUsd += cost;
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return { paidUsd, paidTwiceUsd };
}

/** Lines of a file that say something: neither blank nor a comment. */
export const linesOfCode = (text: string): number => text.split('\n').filter((line) => !/^\s*(?:$|\/\/|\/?\*|#)/.test(line)).length;
