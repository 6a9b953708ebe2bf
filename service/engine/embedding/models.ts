/** The text model that shares its space with a model of images. */
export const textModelOf = (vision: string): string => vision.replace('-vision-', '-text-');
