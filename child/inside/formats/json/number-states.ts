export type NumberState = 'minus' | 'zero' | 'integer' | 'point' | 'fraction' | 'exponent' | 'exponent sign' | 'exponent digits';

export const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
const isExponent = (byte: number): boolean => (byte | 0x20) === 0x65;

/** The numbers of RFC 8259: what each byte leads to in each state, undefined where it ends the number, which it may where `ends` is set. */
export const numberStates: Readonly<Record<NumberState, { ends: boolean; next(byte: number): NumberState | undefined }>> = {
  minus: { ends: false, next: (byte) => (byte === 0x30 ? 'zero' : isDigit(byte) ? 'integer' : undefined) },
  zero: { ends: true, next: (byte) => (byte === 0x2e ? 'point' : isExponent(byte) ? 'exponent' : undefined) },
  integer: {
    ends: true,
    next: (byte) => (isDigit(byte) ? 'integer' : byte === 0x2e ? 'point' : isExponent(byte) ? 'exponent' : undefined),
  },
  point: { ends: false, next: (byte) => (isDigit(byte) ? 'fraction' : undefined) },
  fraction: { ends: true, next: (byte) => (isDigit(byte) ? 'fraction' : isExponent(byte) ? 'exponent' : undefined) },
  exponent: {
    ends: false,
    next: (byte) => (isDigit(byte) ? 'exponent digits' : byte === 0x2b || byte === 0x2d ? 'exponent sign' : undefined),
  },
  'exponent sign': { ends: false, next: (byte) => (isDigit(byte) ? 'exponent digits' : undefined) },
  'exponent digits': { ends: true, next: (byte) => (isDigit(byte) ? 'exponent digits' : undefined) },
};
