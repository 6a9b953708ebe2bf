/** What the first line of a code block says, behind its three backticks. */
export type Fence = {
  language: string;
  /** The block is the whole of this file. */
  file?: string;
  /** The block is what the commands above it print. */
  output: boolean;
  /** Where the commands of this block, and of those below it, are run: a name of the set-ups of test/pages. */
  in?: string;
  /** Exit code of the commands; 0 where nothing is said. */
  exit: number;
  /** The command does not end by itself: it runs beside what follows, and is ended with the page. */
  beside: boolean;
  /** A proof that runs these commands on machines of its own. */
  proof?: string;
};

const flags = new Set(['output', 'beside']);
const valued = new Set(['file', 'in', 'exit', 'proof']);

/** Reads `sh in=project exit=1`. Fails on a word that it does not know. */
export function parseFence(info: string): Fence {
  const [language = '', ...words] = info.split(' ').filter(Boolean);
  const said = new Map<string, string>();
  for (const word of words) {
    const [name = '', value] = word.split(/=(.*)/s);
    if (value === undefined ? !flags.has(name) : !valued.has(name))
      throw new Error(
        `a code block says '${word}'; it may say ${[...flags].join(', ')}, ${[...valued].map((each) => `${each}=…`).join(', ')}`,
      );
    said.set(name, value ?? '');
  }
  const [file, place, proof] = ['file', 'in', 'proof'].map((name) => said.get(name));
  return {
    language,
    ...(file !== undefined && { file }),
    ...(place !== undefined && { in: place }),
    ...(proof !== undefined && { proof }),
    output: said.has('output'),
    beside: said.has('beside'),
    exit: Number(said.get('exit') ?? 0),
  };
}
