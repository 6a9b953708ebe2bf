import { ApiError, UrlsExpired } from '../../client/errors.ts';
import type { ExportFormat } from '../../contracts/instance/agent-shapes.ts';
import type { StepContext } from '../frame/context.ts';
import { fileName } from './file-name.ts';

/** So often a URL is asked for anew that has ended before its file was there. */
const mostUrls = 20;

/** What is read of an export at most. */
const mostBytes = 256 * 1024 * 1024;

/** The file of an export. Its URL ends after five minutes, also while this process stands still: then another one is asked for. */
export async function fetchExport(
  agent: string,
  artifactId: string,
  format: ExportFormat,
  context: StepContext,
): Promise<{ filename: string; bytes: Uint8Array }> {
  const { signal } = context;
  for (let urls = 1; ; urls++) {
    const { url, filename } = await context.invoke('instance.agents.export', { id: agent, artifactId, format }, { signal });
    try {
      return { filename: fileName(filename ?? `${artifactId}.${format}`), bytes: await context.exportedFile(url, mostBytes) };
    } catch (error) {
      const isOver = error instanceof UrlsExpired || (error instanceof ApiError && [400, 403].includes(error.status));
      if (!isOver || urls === mostUrls) throw error;
    }
  }
}
