import { sayDeprecated } from './deprecated.ts';
import type { Endpoint } from './endpoint.ts';

/** What is worth knowing of an operation beside its request, its effect class and its limit: a phrase each. */
export const notesOf = ({
  method,
  irreversible,
  deprecated,
  former = [],
  scopes,
  secrets,
  concealed,
  page,
  cost,
  errors = [],
  refuses = {},
}: Endpoint): string[] => [
  ...(irreversible ? ['irreversible'] : []),
  ...(deprecated === undefined ? [] : [sayDeprecated(deprecated)]),
  ...former.map((path) => `also by ${method} ${path}, which is deprecated`),
  ...(scopes ? [`scope ${scopes.join(' or ')}`] : []),
  ...(page ? [`pages by ${page.by}`] : []),
  ...(secrets ? [`secret in the answer: ${secrets.join(', ')}`] : []),
  ...(concealed ? [`secret in the path: ${concealed.join(', ')}`] : []),
  ...(cost === undefined ? [] : [`charged by ${cost}`]),
  ...errors.map(({ status, says, means }) => `${status} (${says}) means ${means}`),
  ...Object.entries(refuses).map(([status, says]) => `${status}: ${says}`),
];
