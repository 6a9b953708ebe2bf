/**
 * Steps of loops are named by their turns, `review[17].ask`, and those that are done about a failure by its class, `rows[transient].log`; brackets are signs of patterns, so that their folders are named
 * `review~17~ask`. Ids of steps hold neither.
 */
export const folderOfStep = (step: string): string => step.replaceAll(/\[(\w+)\]\./g, '~$1~');

/** The step that a folder is of. */
export const stepOfFolder = (folder: string): string => folder.replaceAll(/~(\w+?)~/g, '[$1].');

/** The same in SQL, of a column with names of folders. */
export const stepOfFolderSql = (column: string): string => `regexp_replace(${column}, '~(\\w+?)~', '[\\1].', 'g')`;
