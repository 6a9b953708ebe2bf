/** Words of lower-case letters and digits, with single hyphens between them. */
export const slugPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** What a slug is, for messages. */
export const slugRule = 'lower-case letters, digits and single hyphens';
