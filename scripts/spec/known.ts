import type { Endpoint } from '../../contracts/endpoint.ts';
import { operations, serviceNames, services, type OperationName, type Service } from '../../contracts/index.ts';
import { addresses } from '../../service/apis/maps/addresses.ts';
import type { Row } from '../../test/spec/rows/row.ts';
import { rows } from '../../test/spec/rows/table.ts';
import type { Proof } from './proofs.ts';
import type { Statement } from './statements.ts';
import { allStatements } from './texts.ts';

/** A statement with what is known of it. */
export type Known = Statement & { api: Service; is: 'shown' | 'open' | 'not yet' };

/** Method and path as text and contracts agree on them: parameters have other names here and there, and a slash at the end says nothing. */
const formOf = (method: string, path: string): string => `${method} ${path.replaceAll(/\{\w+\}/g, '{}').replace(/\/$/, '')}`;

type Served = { operation: OperationName; other: boolean };

/** The operation under each address, as the text of its API writes it: the contract's own, or another that the service has for it. */
const served: ReadonlyMap<string, Served> = new Map([
  ...serviceNames.flatMap((api) =>
    Object.entries<Endpoint>(operations)
      .filter(([name]) => name.startsWith(`${api}.`))
      // The text of the instance API leaves the prefix of its paths out.
      .map(([name, { method, path }]): [string, Served] => [
        `${api}:${formOf(method, api === 'instance' ? `/${path.slice(services[api].prefix.length)}` : path)}`,
        { operation: name as OperationName, other: false },
      ]),
  ),
  ...addresses.further.map(({ method, path, operation }): [string, Served] => [`maps:${formOf(method, path)}`, { operation, other: true }]),
]);

/** The operation that a statement is about, as an id: `maps:POST /v1/query.1` is about `maps:POST /v1/query`. */
export const aboutOf = (id: string): string | undefined => /^(\w+:[A-Z]+ [^#]*?)(?:#.*|\.\d+)?$/.exec(id)?.[1];

/** The operation that an id of the text stands for; undefined where none is built. */
export const servedAs = (about: string): Served | undefined => {
  const [, api, method, path] = /^(\w+):([A-Z]+) (.*)$/.exec(about)!;
  return served.get(`${api}:${formOf(method!, path!)}`);
};

/** What shows an operation; undefined where none is built. */
export const rowOf = (operation: OperationName | undefined): Row | undefined => (operation === undefined ? undefined : rows[operation]);

/** Is it shown by the row of its operation: that it is there, or with what status it succeeds? */
export function isShownByRow({ id, kind }: Pick<Statement, 'id' | 'kind'>): boolean {
  const about = aboutOf(id);
  const { operation } = (about === undefined ? undefined : servedAs(about)) ?? {};
  if (operation === undefined || !rowOf(operation)) return false;
  return kind === 'operation' || (kind === 'status' && id === `${about}#${operations[operation].status}`);
}

/** Every statement of both texts, and whether something shows it. */
export function known(proofs: readonly Proof[]): Known[] {
  const proved = new Set(proofs.flatMap(({ ids }) => ids));
  return allStatements().map((statement) => ({
    ...statement,
    api: statement.id.split(':')[0] as Service,
    is: statement.kind === 'open' ? 'open' : proved.has(statement.id) || isShownByRow(statement) ? 'shown' : 'not yet',
  }));
}
