import { dayOf } from '../../../contracts/instance/periods.ts';
import type { Records } from './database.ts';

/** What one model has embedded for an organization. */
export type ModelUsage = { model: string; tokens: number; embeddings: number };

/** Adds to the day's sum: bills go by days, and a row for each call would only grow. */
export const noteUsage = (
  records: Records,
  { organizationId, at, model, tokens, embeddings }: ModelUsage & { organizationId: string; at: number },
): void =>
  void records.run(
    `INSERT INTO usage (organization_id, day, model, tokens, embeddings) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (organization_id, day, model) DO UPDATE SET tokens = tokens + excluded.tokens, embeddings = embeddings + excluded.embeddings`,
    organizationId,
    dayOf(at),
    model,
    tokens,
    embeddings,
  );

/** Sums by model over whole days, UTC: from the one of `from` to before the one of `to`. */
export const usageOf = (records: Records, organizationId: string, { from, to }: { from: number; to: number }): ModelUsage[] =>
  records.all<ModelUsage>(
    'SELECT model, sum(tokens) AS tokens, sum(embeddings) AS embeddings FROM usage WHERE organization_id = ? AND day >= ? AND day < ? GROUP BY model ORDER BY model',
    organizationId,
    dayOf(from),
    dayOf(to),
  );
