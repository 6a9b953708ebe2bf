import { read_file } from './files.ts';
import { query_table, save_query } from './query.ts';
import { save_document, save_review, save_table } from './save.ts';
import { search_codes, search_files } from './search.ts';
import type { AsyncTool, Tool } from './tool.ts';
import { ask_user, delegate } from './waiting.ts';

/** Tools that end at once, and those that an agent waits for, by the names that conversations show. */
export const tools: Readonly<Record<string, Tool>> = {
  read_file,
  query_table,
  search_files,
  search_codes,
  save_document,
  save_table,
  save_query,
  save_review,
};
export const asyncTools: Readonly<Record<string, AsyncTool>> = { ask_user, delegate };
