import { readFile } from 'node:fs/promises';
import type { ParsedDocument } from '../../../contracts/parsed-document.ts';
import { writeWhole } from '../../../files/whole-file.ts';
import { patienceMs, type Embedder } from '../embedding/embedder.ts';

/** Texts of one turn of the embedder. */
const batch = 64;

/** Gives each chunk of a result its vector, which the organization pays as any other. */
export async function embedChunks(path: string, embedder: Embedder, signal: AbortSignal): Promise<void> {
  const parsed = JSON.parse(await readFile(path, 'utf8')) as ParsedDocument;
  for (let at = 0; at < parsed.chunks.length; at += batch) {
    signal.throwIfAborted();
    const part = parsed.chunks.slice(at, at + batch);
    const texts = part.map(({ embed }) => embed);
    const vectors = await embedder.embed(texts, 'search_document', 'svc-embed-text-v1', patienceMs);
    const width = embedder.dimensions;
    for (const [n, chunk] of part.entries()) chunk.embedding = Array.from(vectors.subarray(n * width, (n + 1) * width));
  }
  await writeWhole(path, JSON.stringify(parsed), { mode: 0o600 });
}
