import { dollars } from '../../text/money.ts';
import { counted } from '../../text/units.ts';
import { movedBy } from './differences.ts';
import { differenceKinds, type Difference, type MemberLimits, type Settings } from './difference.ts';

const renewalText = (renewal: Settings['renewal']): string =>
  renewal ? `${dollars(renewal.amountCents)} ${renewal.cadence}` : 'no renewal';

const centsText = (cents: number | null): string => (cents === null ? 'none' : dollars(cents));

const limitsText = ({ enabled, defaultCents, period }: MemberLimits): string =>
  enabled ? `limits of members on, default ${centsText(defaultCents)}${period === null ? '' : ` ${period}`}` : 'limits of members off';

const texts: { [F in keyof Settings]-?: (value: NonNullable<Settings[F]> | null) => string } = {
  amountCents: (cents) => dollars(cents ?? 0),
  onExhausted: (word) => `on exhausted ${word === null || word === '' ? 'nothing' : word}`,
  renewal: renewalText,
  memberLimits: (limits) => (limits === null ? 'limits of members off' : limitsText(limits)),
};

const fields = ['amountCents', 'onExhausted', 'renewal', 'memberLimits'] as const;

const fieldText = (field: keyof Settings, settings: Settings): string =>
  (texts[field] as (value: unknown) => string)(settings[field] ?? null);

/** Members of whom a line says what becomes of their limits. */
const saidMembers = 5;

/** One line of what a difference is: the budget, and each field as it is and as it will be. */
export function sayDifference({ kind, budget, from, to, members, because }: Difference): string {
  if (members !== undefined) {
    const [said, more] = [members.slice(0, saidMembers), members.length - saidMembers];
    const each = said.map((member) => `${member.name} ${centsText(member.from)} → ${centsText(member.to)}`);
    return `${kind}: ${budget}: ${each.join(', ')}${more > 0 ? ` and ${counted(more, 'further member')}` : ''}`;
  }
  const named = fields.filter((field) => to[field] !== undefined);
  const parts = named.map((field) => (kind === 'created' ? fieldText(field, to) : `${fieldText(field, from)} → ${fieldText(field, to)}`));
  return `${kind}: ${budget}: ${parts.join(', ')}${because === undefined ? '' : ` (${because})`}`;
}

/** Lines that stand in a result, so that a gate can show them. */
const mostLines = 200;

/** A line each, and how many more there are. */
export const sayDifferences = (differences: readonly Difference[]): string[] => [
  ...differences.slice(0, mostLines).map(sayDifference),
  ...(differences.length > mostLines ? [`and ${counted(differences.length - mostLines, 'further difference')}`] : []),
];

/** How many there are of each kind; kinds of which there is none are left out. */
export const countDifferences = (differences: readonly Difference[]): { [kind: string]: number } =>
  Object.fromEntries(
    differenceKinds.flatMap((kind) => {
      const count = differences.filter((each) => each.kind === kind).length;
      return count === 0 ? [] : [[kind, count]];
    }),
  );

/** `2 created, 1 funded: $300.00 leave the budget of the organization`, or that there is none. */
export function summariseDifferences(differences: readonly Difference[]): string {
  if (differences.length === 0) return 'no difference';
  const counts = Object.entries(countDifferences(differences)).map(([kind, count]) => `${count} ${kind}`);
  const moved = differences.reduce((sum, each) => sum + movedBy(each), 0);
  const money =
    moved === 0
      ? ''
      : moved > 0
        ? `: ${dollars(moved)} leave the budget of the organization`
        : `: ${dollars(-moved)} go back to the organization`;
  return counts.join(', ') + money;
}
