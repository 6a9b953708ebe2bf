import { resolve } from 'node:path';
import type { OpenAiSettings } from '../../service/engine/agents/openai/settings.ts';
import { UsageError } from '../frame/errors.ts';

/** The endpoint that a file names for the agents of the local service; undefined where no file is named. */
export async function agentsEndpoint(cwd: string, file: string | undefined): Promise<OpenAiSettings | undefined> {
  if (file === undefined) return undefined;
  const { readOpenAiSettings } = await import('../../service/engine/agents/openai/settings.ts');
  try {
    return readOpenAiSettings(resolve(cwd, file));
  } catch (error) {
    throw new UsageError(`--agents ${(error as Error).message}`);
  }
}
