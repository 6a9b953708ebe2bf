import { expect, test } from 'vitest';
import { keepingSecrets, type SecretSink } from '../../client/secret-sink.ts';

/** A sink that writes down what happens to it, in order. */
function listening({ taken = [] as string[], full = false } = {}) {
  const happened: string[] = [];
  const sink: SecretSink = {
    async reserve(name) {
      if (taken.includes(name)) throw new Error(`${name} is taken`);
      happened.push(`reserved ${name}`);
      return {
        reference: `secret:${name}`,
        async keep(value) {
          if (full) throw new Error('no space left');
          happened.push(`kept ${value} as ${name}`);
        },
        giveBack: async () => void happened.push(`gave ${name} back`),
      };
    },
  };
  return { sink, happened };
}

test('the place is reserved before the call, and the result holds a reference to it', async () => {
  const { sink, happened } = listening();
  const made = await keepingSecrets('maps.keys.create', ['key'], sink, undefined, async () => {
    happened.push('sent');
    return { id: 1, key: 'nk-value' };
  });
  expect(made).toEqual({ id: 1, key: 'secret:maps.keys.create' });
  expect(happened).toEqual(['reserved maps.keys.create', 'sent', 'kept nk-value as maps.keys.create']);
});

test('where the place is taken, or nothing keeps secrets, nothing is sent', async () => {
  let sent = 0;
  const send = async () => ({ key: `nk-${++sent}` });
  await expect(keepingSecrets('maps.keys.create', ['key'], listening({ taken: ['mine'] }).sink, 'mine', send)).rejects.toThrow('is taken');
  await expect(keepingSecrets('maps.keys.create', ['key'], undefined, 'mine', send)).rejects.toThrow('nothing here keeps secrets');
  expect(sent).toBe(0);
});

test('a call that came to nothing gives its places back', async () => {
  const { sink, happened } = listening();
  const refused = keepingSecrets('maps.keys.create', ['key'], sink, 'mine', () => Promise.reject(new Error('409')));
  await expect(refused).rejects.toThrow('409');
  expect(happened).toEqual(['reserved mine', 'gave mine back']);
});

test('a place in which the secret could not be kept is given back', async () => {
  const { sink, happened } = listening({ full: true });
  await expect(keepingSecrets('maps.keys.create', ['key'], sink, 'mine', async () => ({ key: 'a' }))).rejects.toThrow('no space left');
  expect(happened).toEqual(['reserved mine', 'gave mine back']);
});

test('of several secrets each has a place of its own; one that did not come gives its place back', async () => {
  const { sink, happened } = listening();
  const made = await keepingSecrets('any.create', ['key', 'salt', 'seal'], sink, 'mine', async () => ({ key: 'a', salt: 'b' }));
  expect(made).toEqual({ key: 'secret:mine', salt: 'secret:mine.salt' });
  expect(happened.slice(3)).toEqual(['kept a as mine', 'kept b as mine.salt', 'gave mine.seal back']);
});
