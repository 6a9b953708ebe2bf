import type { Client, Connection as Wire, Submittable } from 'pg';
import type { Text } from './columns.ts';

/** Rows that were fetched together, one after another. */
export type Batch = { rows: Text[][] };

/** Of so many bytes of text a batch is closed. */
export const batchBytes = 4_000_000;

/** A value counts for so much more than its text. */
const valueBytes = 8;

/**
 * Rows as they come. Where as many bytes as a batch has are not yet taken, the connection is read no further: of how many rows was asked for
 * says nothing of what they hold.
 */
class Fetching implements Submittable {
  readonly #text: string;
  readonly #ready: Batch[] = [];
  #batch: Batch = { rows: [] };
  #bytes = 0;
  #wire: Wire | undefined;
  #end: { error?: Error } | undefined;
  #wake: () => void = () => undefined;
  #given = false;
  /** Rows that came, and bytes of the longest one. */
  count = 0;
  longest = 1;
  /** Called at the end; the library puts the timer of an answer around it. */
  callback = (error?: Error | null): void => {
    this.#end ??= error ? { error } : {};
    this.#wake();
  };

  constructor(text: string) {
    this.#text = text;
  }

  submit(wire: Wire): void {
    this.#wire = wire;
    wire.query(this.#text);
  }

  handleRowDescription(): void {}

  handleDataRow({ fields }: { fields: Text[] }): void {
    if (this.#given) return;
    const bytes = fields.reduce((sum, value) => sum + valueBytes + (value?.length ?? 0), 0);
    this.#batch.rows.push(fields);
    this.#bytes += bytes;
    this.count++;
    this.longest = Math.max(this.longest, bytes);
    if (this.#bytes < batchBytes) return;
    this.#ready.push(this.#batch);
    this.#batch = { rows: [] };
    this.#bytes = 0;
    this.#wire?.stream.pause();
    this.#wake();
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback();
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  /** The batches, the last one as full as it is: one without rows where there are none. */
  async *batches(): AsyncGenerator<Batch> {
    try {
      for (;;) {
        const ready = this.#ready.shift();
        if (ready) yield ready;
        else if (this.#end) break;
        else {
          const woken = new Promise<void>((wake) => void (this.#wake = wake));
          this.#wire?.stream.resume();
          await woken;
        }
      }
      if (this.#end.error) throw this.#end.error;
      if (this.#batch.rows.length > 0 || this.count === 0) yield this.#batch;
    } finally {
      // Whoever takes no more leaves the connection to be read to its end.
      this.#given = true;
      this.#wire?.stream.resume();
    }
  }
}

/** So many rows are fetched at first, and at most. */
const firstRows = 100;
const mostRows = 10_000;

/** The next fetch is of no more rows than so many times the last. */
const growth = 4;

/**
 * The rows of a cursor in batches of about as many bytes, of which no more than about one is held, whatever the rows are; one without rows where
 * there are none. A fetch is of as many rows as the longest one of the last had room for, so that the
 * time that a server may take for it is for few bytes.
 */
export async function* batchesOf(client: Client, cursor: string): AsyncGenerator<Batch> {
  for (let rows = firstRows, first = true; ; first = false) {
    const fetching = client.query(new Fetching(`fetch forward ${rows} from ${cursor}`));
    for await (const batch of fetching.batches()) if (first || batch.rows.length > 0) yield batch;
    if (fetching.count < rows) return;
    rows = Math.max(1, Math.min(mostRows, rows * growth, Math.floor(batchBytes / fetching.longest)));
  }
}
