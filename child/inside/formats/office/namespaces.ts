/** Namespaces of ECMA-376, each in its transitional and its strict form. */
export const namespaces = {
  sheets: /^http:\/\/(schemas\.openxmlformats\.org\/spreadsheetml\/2006\/main|purl\.oclc\.org\/ooxml\/spreadsheetml\/main)$/,
  words: /^http:\/\/(schemas\.openxmlformats\.org\/wordprocessingml\/2006\/main|purl\.oclc\.org\/ooxml\/wordprocessingml\/main)$/,
  /** Of the parts that name others (ECMA-376, part 2). */
  package: /^http:\/\/schemas\.openxmlformats\.org\/package\/2006\/relationships$/,
  /** Of the attribute with which a part names a relationship. */
  reference: /^http:\/\/(schemas\.openxmlformats\.org\/officeDocument\/2006|purl\.oclc\.org\/ooxml\/officeDocument)\/relationships$/,
} as const;
