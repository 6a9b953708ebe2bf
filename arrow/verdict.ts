import { BadInput } from '../errors/classes.ts';

export const refuseArrow = (what: string): never => {
  throw new BadInput('bad_input', what);
};

export const damaged = (what: string): never => refuseArrow(`is damaged Arrow IPC: ${what}`);

/** Types that the reader does not know, by what it says of them. */
const unknownType = /Unrecognized type: "?(\w+)"?/;

/**
 * A failure of the Arrow library as a verdict: by the name of the feature where it is one. What passed every check and is
 * still not understood is damaged; the words of the JavaScript engine about it help nobody.
 */
export function arrowVerdict(error: unknown): BadInput {
  if (error instanceof BadInput) return error;
  const message = error instanceof Error ? error.message : String(error);
  const type = unknownType.exec(message)?.[1];
  if (type) return new BadInput('bad_input', `uses the Arrow type ${type}, which is not supported; write the column as another type`);
  return new BadInput('bad_input', 'is damaged Arrow IPC: its schema or a record batch contradicts itself');
}

export const tooLarge = (longest: number): BadInput =>
  new BadInput('too_large', `a compressed buffer grows beyond the ${longest} bytes that are left for it`);
