import type { Answer } from '../service/world.ts';

type Finding = { loc: (string | number)[] };

/** How a request that does not fit was refused: the status, and where each finding lies, such as `body.selection.method`. */
export const misfitsOf = ({ status, body }: Pick<Answer, 'status' | 'body'>): [number, ...string[]] => [
  status,
  ...(Array.isArray(body?.detail) ? body.detail.map(({ loc }: Finding) => loc.join('.')) : []),
];
