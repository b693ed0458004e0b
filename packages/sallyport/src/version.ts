/** Kept equal to package.json by a test: the built program must not read files to know its name. */
export const VERSION = '0.1.0';
