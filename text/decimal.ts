const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Is this text one decimal number: no white space, no hexadecimal, no empty text, all of which `Number` reads too? */
export const isDecimal = (text: string): boolean => decimal.test(text);
