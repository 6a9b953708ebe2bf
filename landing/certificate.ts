/** Codes of certificates that are not to be trusted as they are: no later try changes it. */
const bad = /^(?:ERR_TLS_CERT|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_(?:GET|VERIFY))/;

export const isBadCertificate = (code: unknown): boolean => typeof code === 'string' && bad.test(code);
