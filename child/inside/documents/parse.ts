import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { ParsedDocument } from '../../../contracts/parsed-document.ts';
import { BadInput } from '../../../errors/classes.ts';
import { writeWhole } from '../../../files/whole-file.ts';
import { documentLimits } from '../../document-limits.ts';
import type { ParseRequest, ParseResult } from '../../documents.ts';
import type { ChildContext } from '../../protocol.ts';
import type { Opened, ReadDocument, Reader } from './block.ts';
import { chunksOf } from './chunks.ts';
import { chunkSummaries } from './chunk-summaries.ts';
import { formatOf } from './formats.ts';
import { summariser } from './summaries.ts';

/** Changes with what is read: whoever keeps results by hash and options keeps them by this too. */
export const parser = 'portolan-documents/5';

const headBytes = 2_048;

const refuse = (message: string): never => {
  throw new BadInput('too_large', message);
};

function checkSize({ blocks, pages }: ReadDocument): void {
  if (blocks.length > documentLimits.blocks) refuse(`the document has more than ${documentLimits.blocks} blocks; cut it into several`);
  if ((pages?.length ?? 0) > documentLimits.pages) refuse(`the document has more than ${documentLimits.pages} pages; cut it into several`);
  const characters = blocks.reduce((sum, { content }) => sum + content.length, 0);
  if (characters > documentLimits.characters)
    refuse(`the document holds more than ${documentLimits.characters / 1_000_000} million characters; cut it into several`);
}

/** What nests without end fills the stack of whatever goes through it. */
const isTooDeep = (error: unknown): boolean => error instanceof RangeError && /call stack/.test(error.message);

async function readBy(reader: Reader, opened: Opened): Promise<ReadDocument> {
  try {
    return await reader(opened);
  } catch (error) {
    throw isTooDeep(error) ? new BadInput('bad_input', 'the document nests deeper than it can be read') : error;
  }
}

/** Reads a document of any format and writes what was found. Fails with `BadInput` where its bytes are none, or too much. */
export async function parseDocument(request: ParseRequest, context: ChildContext): Promise<ParseResult> {
  const { file, contentType = '', name = '', options, into } = request;
  const { size } = await stat(file);
  if (size === 0) throw new BadInput('bad_input', 'the file is empty');
  if (size > documentLimits.fileMiB * 1024 * 1024) refuse(`the file is larger than ${documentLimits.fileMiB} MiB`);
  const bytes = await readFile(file);
  const format = formatOf(bytes.subarray(0, headBytes), contentType, name);
  const reader = await format.load();
  const read = await readBy(reader, { path: file, bytes, contentType, options, context });
  checkSize(read);
  const chunks = chunksOf(read, summariser(options));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const parsed: ParsedDocument = {
    chunks,
    file: { type: format.type, bytes: size, sha256, ...(read.title ? { title: read.title } : {}) },
    ...(read.pages ? { pages: read.pages } : {}),
    ...(options.chunkSummaries ? { summaries: chunkSummaries(chunks, options.chunkSummaries, options.summaryWords) } : {}),
    notes: [...read.notes, ...(options.notes ?? [])],
    parser,
  };
  await writeWhole(into, JSON.stringify(parsed), { mode: 0o600 });
  return { type: format.type, bytes: size, sha256, pages: read.pages?.length ?? 0, chunks: chunks.length };
}
