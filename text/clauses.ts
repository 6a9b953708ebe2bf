/** Clauses of one sentence, as far as they are there, parted by semicolons; none stands behind a question or a full stop. */
export const clauses = (all: readonly (string | undefined)[]): string =>
  all
    .filter((each) => each !== undefined)
    .reduce((said, each) => (said === '' ? each : `${said}${/[.?!]$/.test(said) ? '' : ';'} ${each}`), '');
