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

/** Bytes of a file and the options by which they were read. */
type Last = { sha256: string; options: string };

/** What a file holds: its bytes, and the chunks they were read into. */
export type Held = { sha256: string; known: Extract<Known, { is: 'parsed' }> };

export function documentMemory(context: StepContext, options: ParseSettings) {
  const { store, run } = context;
  const step = lastingName(context);
  const service = [context.connection('maps').name, context.mapsUrl('')];
  const own = canonical(options);
  const byBytes = (sha256: string, read = own): string => JSON.stringify(['document', ...service, read, sha256]);
  const byFile = (file: string): string => JSON.stringify(['document of', ...service, run.pipeline, step, file]);
  return {
    /** A name under which nothing else orders the same document. It is of others too: names are files that stay. */
    exclusive: (sha256: string): string => `document ${sha256.slice(0, 3)}`,
    of: async (sha256: string): Promise<Known> => (await store.recall<Known>(byBytes(sha256))) ?? { is: 'new' },
    set: (sha256: string, known: Known): Promise<void> => store.remember(byBytes(sha256), known),
    /** What a file held when it was read last, by whatever options: its chunks stay while it cannot be read as it is. */
    async last(file: string): Promise<Held | undefined> {
      const last = await store.recall<Last>(byFile(file));
      const known = last && (await store.recall<Known>(byBytes(last.sha256, last.options)));
      return known?.is === 'parsed' ? { sha256: last!.sha256, known } : undefined;
    },
    async setLast(file: string, sha256: string): Promise<void> {
      const last = await store.recall<Last>(byFile(file));
      if (last?.sha256 !== sha256 || last.options !== own) await store.remember(byFile(file), { sha256, options: own } satisfies Last);
    },
  };
}

export type DocumentMemory = ReturnType<typeof documentMemory>;
