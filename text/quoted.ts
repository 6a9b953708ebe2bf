const special = /[\\^$.*+?()[\]{}|/-]/g;
const literal = (text: string): string => text.replace(special, String.raw`\$&`);

/** Finds a text wherever it is quoted: as it is, or with any of its characters escaped as JSON or an address may escape them. */
export function quoted(text: string): RegExp {
  const forms = Array.from(text.toWellFormed(), (character) => {
    const units = character.split('').map((unit) => `u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    // Most characters stand in an address as they are.
    const each = new Set([
      literal(encodeURIComponent(character)),
      units.map((unit) => String.raw`\\${unit}`).join(''),
      String.raw`\\${literal(character)}`,
      literal(character),
    ]);
    return `(?:${[...each].join('|')})`;
  });
  // Escapes are written in capitals by some.
  return new RegExp(forms.join(''), 'gi');
}
