/** What may stand at the end of a command line. `files`: the shell's own names of files too. */
export type Completion = { words: { word: string; says: string }[]; files: boolean };
