import { ContractError } from './errors.ts';

/** Where the values of secret answer fields go: nothing but a reference to them leaves the client. */
export type SecretSink = {
  /** Makes sure of the place before anything is sent: a secret that was made and cannot be kept is lost. Throws where the name is taken. */
  reserve(name: string): Promise<SecretPlace>;
};

export type SecretPlace = {
  /** Stands in the result instead of the value. */
  readonly reference: string;
  keep(value: string): Promise<void>;
  /** Nothing came. */
  giveBack(): Promise<void>;
};

/** Keeps nothing: the value is its own reference, for who wants to see it. */
export const revealing: SecretSink = {
  async reserve() {
    let reference = '';
    return {
      get reference() {
        return reference;
      },
      keep: async (value) => void (reference = value),
      giveBack: async () => undefined,
    };
  },
};

/**
 * Sends a call whose answer holds secrets: their places are reserved before, the values put there, and the result holds
 * references. `name`: of the first secret; default: the operation's, with the field.
 */
export async function keepingSecrets<T>(
  operation: string,
  fields: readonly string[],
  sink: SecretSink | undefined,
  name: string = operation,
  send: () => Promise<T>,
): Promise<T> {
  if (!sink)
    throw new ContractError(operation, 'request', `its answer holds a secret (${fields.join(', ')}), and nothing here keeps secrets`);
  const places = new Map<string, SecretPlace>();
  const kept = new Set<string>();
  try {
    for (const [at, field] of fields.entries()) places.set(field, await sink.reserve(at === 0 ? name : `${name}.${field}`));
    const result = await send();
    const values = result as Readonly<Record<string, unknown>>;
    const references: Record<string, string> = {};
    for (const [field, place] of places) {
      const value = values[field];
      if (typeof value !== 'string') continue;
      await place.keep(value);
      kept.add(field);
      references[field] = place.reference;
    }
    return Object.assign({}, result, references);
  } finally {
    for (const [field, place] of places) if (!kept.has(field)) await place.giveBack();
  }
}
