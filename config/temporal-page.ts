import type { TemporalConnection } from './temporal.ts';

/** Web UI page of a workflow; undefined where no UI is known. */
export const temporalPage = (
  { uiUrl, namespace }: Pick<TemporalConnection, 'uiUrl' | 'namespace'>,
  { id, runId }: { id: string; runId: string },
): string | undefined => uiUrl && `${uiUrl.replace(/\/$/, '')}/namespaces/${namespace}/workflows/${encodeURIComponent(id)}/${runId}`;
