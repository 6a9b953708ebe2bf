/** What npm compares with `process.platform`, `process.arch` and the C library before it installs a package. */
export type Platform = { os: string[]; cpu: string[]; libc?: ('glibc' | 'musl')[] };

const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64'];
const libraries: Record<string, 'glibc' | 'musl'> = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' };

/** The platform in a binary package's name, e.g. `@scope/binding-linux-arm64-musl`; undefined where it names none. */
export const platformOf = (name: string): Platform | undefined => {
  const words = name.split('/').at(-1)!.split('-');
  const os = words.find((word) => systems.includes(word));
  const cpu = words.find((word) => processors.includes(word));
  if (!os || !cpu) return undefined;
  const library = words.map((word) => libraries[word]).find((known) => known !== undefined);
  return { os: [os], cpu: [cpu], ...(os === 'linux' && library ? { libc: [library] } : {}) };
};
