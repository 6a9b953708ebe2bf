const plainArgument = /^[\w@%+=:,./-]+$/;
/** A word of a command line as a shell takes it: quoted where it must be. */
export const argument = (text: string): string => (plainArgument.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
