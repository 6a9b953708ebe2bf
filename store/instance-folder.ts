/**
 * Steps of loops are named by their turns, `review[17].ask`; brackets are signs of patterns, so that their folders are named
 * `review~17~ask`. Ids of steps hold neither.
 */
export const folderOfStep = (step: string): string => step.replaceAll(/\[(\d+)\]\./g, '~$1~');

/** The step that a folder is of. */
export const stepOfFolder = (folder: string): string => folder.replaceAll(/~(\d+)~/g, '[$1].');

/** The same in SQL, of a column with names of folders. */
export const stepOfFolderSql = (column: string): string => `regexp_replace(${column}, '~(\\d+)~', '[\\1].', 'g')`;
