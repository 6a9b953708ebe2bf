/** What a secret that is kept in a file may be called; `rule` is for messages. */
export const secretName = {
  pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
  rule: 'letters, digits, dots and dashes, up to 100, the first a letter or digit',
};
