import { assumptionNames, assumptions } from '../../contracts/assumptions/index.ts';
import { operations, serviceNames, serviceOf, services, type OperationName, type Service } from '../../contracts/index.ts';
import type { None } from '../../test/spec/rows/row.ts';
import { rowNames } from '../../test/spec/rows/table.ts';
import { aboutOf, known, rowOf, servedAs, type Known } from '../spec/known.ts';
import type { Proof } from '../spec/proofs.ts';
import { texts } from '../spec/texts.ts';
import { code, generated, table } from './markdown.ts';

const counted = (statements: readonly Known[], is: Known['is']): number => statements.filter((each) => each.is === is).length;

/** Words by which assumptions name the operations of a resource. */
const resources: Readonly<Record<string, string>> = { tags: 'maps.tags.', neighbours: 'maps.neighbors.' };

/** Assumptions whose text begins with the end of the path, `data/delete: …`, or with the resource. */
const assumedOf = (operation: OperationName | undefined, path: string): string[] =>
  assumptionNames.filter((name) => {
    const [, word = ''] = /^(?:GET )?\/?([\w/]*\w)/.exec(assumptions[name].text) ?? [];
    const resource = resources[word];
    return path.replace(/\/$/, '').endsWith(`/${word}`) || (resource !== undefined && operation?.startsWith(resource));
  });

const reasonOr = (said: string | None): string => (typeof said === 'string' ? code(said) : `none: ${said.none}`);

/** The cells of an operation of a text. */
function operationCells(statements: readonly Known[], { id }: Known): string[] {
  const of = statements.filter((each) => aboutOf(each.id) === id && each.is !== 'open');
  const { operation, other } = servedAs(id) ?? { operation: undefined, other: false };
  const row = rowOf(operation);
  const request = id.slice(id.indexOf(':') + 1);
  return [
    code(request),
    operation === undefined ? 'not built' : `${code(operation)}${other ? ', at another address' : ''}`,
    operation && row ? String(operations[operation].status) : '',
    row ? (row.refusal ? reasonOr(row.refusal) : 'yes') : '',
    row ? reasonOr(row.readBack) : '',
    `${counted(of, 'shown')} of ${of.length}`,
    of.every(({ is }) => is === 'shown') ? 'green' : 'not yet',
    assumedOf(operation, request)
      .map((name) => `[${name}](assumptions.md#${name})`)
      .join(', '),
  ];
}

const longest = 110;
const shortened = (text: string): string => {
  const plain = text.replaceAll('`', '');
  return code(plain.length > longest ? `${plain.slice(0, longest - 1)}…` : plain);
};

/** What an id begins with: the section, or that it is of an operation. */
const sectionOf = ({ id, api }: Known): string => (aboutOf(id) === undefined ? id.slice(api.length + 1).split('/')[0]! : 'operations');

const leftOf = (api: Service, statements: readonly Known[]): string[] =>
  Object.entries(
    Object.groupBy(
      statements.filter((each) => each.is === 'not yet'),
      sectionOf,
    ),
  ).flatMap(([section, left = []]) => [
    `\n### ${services[api].title}: ${section}\n\n`,
    ...left.map(({ id, text }) => `- ${code(id.slice(api.length + 1))}: ${shortened(text)}\n`),
  ]);

const heads = ['of the text', 'operation', 'success', 'refused', 'read back by', 'statements shown', 'state', 'rests on'];

/** Operations that the text does not have, and that a row shows all the same. */
const besideText = (statements: readonly Known[]): OperationName[] => {
  const ofText = new Set(statements.flatMap(({ id, kind }) => (kind === 'operation' ? [servedAs(id)?.operation] : [])));
  return rowNames.filter((name) => serviceOf(name) === 'maps' && !ofText.has(name));
};

/** docs/api-coverage.md: what of the texts of the two APIs is shown by tests to hold, and what is not yet. */
export function coveragePage(proofs: readonly Proof[]): string {
  const all = known(proofs);
  const of = (api: Service): Known[] => all.filter((each) => each.api === api);
  return [
    generated('docs/spec/ and test/spec/'),
    '# What is shown of the APIs\n\n',
    `The texts of the APIs ([maps](${texts.maps.slice('docs/'.length)}), [instance](${texts.instance.slice('docs/'.length)})) are divided into [statements](spec/statements.tsv). A statement is shown where a test that names it goes red when it does not hold in the local service (\`test/spec\`), called by the client of this repository. Of an operation a row shows that it is there (\`test/spec/rows\`): it succeeds with the status of its contract, the service refuses it, and another operation shows its effect.\n\n`,
    table(
      ['API', 'statements', 'shown', 'open in the text', 'not yet'],
      serviceNames.map((api) => [
        services[api].title,
        String(of(api).length),
        ...(['shown', 'open', 'not yet'] as const).map((is) => String(counted(of(api), is))),
      ]),
    ),
    '\n**Open**: the text itself says that it does not say. **State**: green where every statement of the row is shown. **Rests on**: the [assumptions](assumptions.md) about it, each of which the local service can take in every reading.\n',
    ...serviceNames.flatMap((api) => [
      `\n## Operations of the ${services[api].title}\n\n`,
      table(
        heads,
        of(api).flatMap((each) => (each.kind === 'operation' ? [operationCells(of(api), each)] : [])),
      ),
      ...(api === 'maps' ? [`\nShown in the same way, though not in the text: ${besideText(of('maps')).map(code).join(', ')}.\n`] : []),
    ]),
    '\n## Statements that are not shown yet\n',
    ...serviceNames.flatMap((api) => leftOf(api, of(api))),
  ].join('');
}
