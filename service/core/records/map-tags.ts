import type { Records } from './database.ts';

/** Notes which map a tag is of, before the tag is there: many requests name the tag alone. A note without its tag says nothing. */
export const noteTag = (records: Records, tagId: string, mapId: string): void =>
  void records.run('INSERT OR IGNORE INTO map_tags (tag_id, projection_id) VALUES (?, ?)', tagId, mapId);

/** The map of a tag, where one was noted. */
export const mapOfTag = (records: Records, tagId: string): string | undefined =>
  records.get<{ projection_id: string }>('SELECT projection_id FROM map_tags WHERE tag_id = ?', tagId)?.projection_id;
