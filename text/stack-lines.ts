/** Where code stands that a debugger has stopped, from the innermost call outward. */
export type CallFrame = { functionName: string; location: { scriptId: string; lineNumber: number; columnNumber?: number } };

/** Stopped code as lines of a stack, as an error has them. `files`: what the debugger calls the scripts, by their ids. */
export const stackLines = (frames: readonly CallFrame[], files: ReadonlyMap<string, string>): string =>
  frames
    .map(({ functionName, location: { scriptId, lineNumber, columnNumber = 0 } }) => {
      const place = `${files.get(scriptId) ?? ''}:${lineNumber + 1}:${columnNumber + 1}`;
      return `    at ${functionName || '<anonymous>'} (${place})`;
    })
    .join('\n');
