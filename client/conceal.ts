import type { Endpoint } from '../contracts/endpoint.ts';
import { quoted } from '../text/quoted.ts';

/** A shorter one would stand in many words. */
const shortest = 8;

/**
 * Takes the key, and what the contract calls concealed in the address, out of what a refusal says. A gateway may quote both, and what it
 * says is kept in histories, run stores and alerts.
 */
export function concealing(
  { concealed = [] }: Pick<Endpoint, 'concealed'>,
  fields: Readonly<Record<string, unknown>>,
  key: string | undefined,
): (text: string) => string {
  const secrets = [{ value: key, as: '[the key]' }, ...concealed.map((name) => ({ value: fields[name], as: `[${name}]` }))];
  return (text) =>
    secrets.reduce(
      (clean, { value, as }) => (typeof value === 'string' && value.length >= shortest ? clean.replace(quoted(value), as) : clean),
      text,
    );
}
