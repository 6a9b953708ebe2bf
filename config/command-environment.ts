/** What a program of ours passes on: nothing that may hold a secret. */
const passed = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'USER', 'LOGNAME', 'SystemRoot', 'PATHEXT', 'TEMP'];

/** The environment of a command that sends alerts: secrets of the worker are not in it. */
export const commandEnvironment = (): Record<string, string> =>
  Object.fromEntries(passed.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
