import { canonical } from '../../text/canonical-json.ts';
import type { ParseSettings } from '../../pipelines/steps/documents/parse.ts';
import type { StepContext } from '../frame/context.ts';
import { lastingName } from '../frame/lasting-name.ts';

/** One chunk of a document, without the file that it is from: the same bytes may stand in several. */
export type ChunkOf = { index: number; page: number | null; place: string; section: string; text: string; content: string; hash: string };

/**
 * What this run store knows of a document by its bytes and options: of all runs, because each parsing is paid for. `begun`: it was about
 * to be sent under this name, and no answer was seen; `task`: the service has taken it; `failed`: it cannot be read.
 * `run`: which run has seen to it.
 */
export type Known =
  | { is: 'new' }
  | { is: 'begun'; run: string; file?: string }
  | { is: 'task'; task: string }
  | { is: 'parsed'; pages: number | null; chunks: ChunkOf[]; run?: string }
  | { is: 'failed'; reason: string; run?: string };

export function documentMemory(context: StepContext, options: ParseSettings) {
  const { store, run } = context;
  const step = lastingName(context);
  const service = [context.connection('maps').name, context.mapsUrl(''), canonical(options)];
  const byBytes = (sha256: string): string => JSON.stringify(['document', ...service, sha256]);
  const byFile = (file: string): string => JSON.stringify(['document of', ...service, run.pipeline, step, file]);
  return {
    of: async (sha256: string): Promise<Known> => (await store.recall<Known>(byBytes(sha256))) ?? { is: 'new' },
    set: (sha256: string, known: Known): Promise<void> => store.remember(byBytes(sha256), known),
    /** The bytes that a file had when it was read last, for its chunks stay while a later version cannot be read. */
    last: (file: string): Promise<string | undefined> => store.recall<string>(byFile(file)),
    setLast: (file: string, sha256: string): Promise<void> => store.remember(byFile(file), sha256),
  };
}

export type DocumentMemory = ReturnType<typeof documentMemory>;
