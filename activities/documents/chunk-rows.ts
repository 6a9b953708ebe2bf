import { sha256 } from '../../text/sha256.ts';
import type { DocumentBlock, DocumentChunk } from '../../contracts/parsed-document.ts';
import type { ResultColumns } from '../../pipelines/own/result-columns.ts';
import { chunkColumns } from '../../pipelines/steps/documents/parse.ts';
import type { ownerOfNoSource } from '../frame/owner-of-no-source.ts';
import type { ChunkOf } from './known.ts';
import type { DocumentFile } from './named-files.ts';

type Owner = ReturnType<typeof ownerOfNoSource>;

/** Columns of the table of chunks, those of them last that it has from the table of files. */
export const columnsWith = (carry: readonly string[]): ResultColumns => ({
  ...chunkColumns,
  ...Object.fromEntries(carry.map((column) => [column, 'VARCHAR'])),
});

/** The chunks of a document that hold anything. */
export const chunksOf = (chunks: readonly DocumentChunk[]): ChunkOf[] =>
  chunks.flatMap((chunk, at): ChunkOf[] => {
    const text = chunk.embed.trim() === '' ? chunk.content : chunk.embed;
    if (text.trim() === '') return [];
    const page = chunk.page ?? chunk.blocks.find(({ bbox }) => bbox)?.bbox?.page ?? null;
    return [
      {
        index: chunk.index ?? at,
        page,
        place: placeOf(chunk, page),
        section: (chunk.section ?? []).join(' › '),
        text,
        content: chunk.content,
        hash: chunk.hash ?? sha256(chunk.content),
      },
    ];
  });

/** Where a chunk stands, for a person who looks for it: lines of a text, a part of a page, or its number. */
function placeOf({ lines, blocks, index }: DocumentChunk, page: number | null): string {
  if (lines) return `lines ${lines[0]}–${lines[1]}`;
  const boxes = blocks.flatMap(({ bbox }: DocumentBlock) => (bbox && bbox.page === page ? [bbox] : []));
  if (page === null || boxes.length === 0) return page === null ? `part ${(index ?? 0) + 1}` : `page ${page}`;
  const percent = (value: number): string => `${Math.round(value * 100)} %`;
  const top = Math.min(...boxes.map((box) => box.top));
  const bottom = Math.max(...boxes.map((box) => box.top + box.height));
  return `page ${page}, ${percent(top)} to ${percent(bottom)} of its height`;
}

/**
 * The rows of one file. A chunk keeps its id while its file and its number are the same, so that a changed one replaces it. `owner`: whose
 * file that is, for another pipeline, step or turn may fill the same dataset with files of the same names.
 */
export const rowsOf = (
  owner: Owner,
  { name: file, carried }: DocumentFile,
  document: string,
  chunks: readonly ChunkOf[],
): Record<string, string | number | null>[] =>
  chunks.map(({ index, section, ...chunk }) => ({
    id: sha256(JSON.stringify([owner.pipeline, owner.step, owner.source, file, index])).slice(0, 32),
    file,
    ...chunk,
    section: section === '' ? file : section,
    document,
    ...carried,
  }));
