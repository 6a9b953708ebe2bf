/** `_x000D_` stands for a character that XML has no place for (ECMA-376 22.9.2.19, ST_Xstring). */
export const unescaped = (text: string): string =>
  text.includes('_x') ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16))) : text;

/** True of text elements of a string: its own and those of its runs; what says how they are spoken is none (`rPh`). */
export const isItemText = (name: string, parent: string): boolean => name === 't' && (parent === 'si' || parent === 'is' || parent === 'r');
